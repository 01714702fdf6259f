import { describe, expect, it } from 'vitest';
import { bytesMessage, dataSection, rawMessage } from '../testing/raw-message.js';
import { sendCommand } from './send-command.js';

const BODY = { kind: 'json', section: 'data', sizeBytes: 8, value: { a: 1 } } as const;
const JSON_MESSAGE = { body: BODY, sections: [dataSection(Buffer.from('{"a": 1}'))] };

describe('the command that sends a message again', () => {
  it('has the body as it was sent, the properties with their types, and the entity of a dead letter', () => {
    const message = rawMessage(JSON_MESSAGE, {
      ...{ messageId: 'ord-1', subject: "it's", timeToLiveMs: 1500, deadLetterReason: 'Bad' },
      applicationProperties: {
        region: { type: 'string', value: 'EU' },
        weight: { type: 'long', value: '9007199254740993' },
        none: { type: 'double', value: 'NaN' },
        at: { type: 'timestamp', value: '2026-05-01T12:00:00.000Z' },
        link: { type: 'string', value: 'https://contoso.com', descriptor: 'com.microsoft:uri' },
        wait: { type: 'long', value: 50_000_000, descriptor: 'com.microsoft:timespan' },
        'a:b': { type: 'string', value: 'c' },
        DeadLetterReason: { type: 'string', value: 'Bad' },
      },
    });
    expect(sendCommand(message, 'orders/$DeadLetterQueue').split(' \\\n  ')).toEqual([
      'npx jitney send orders',
      `--body '{"a": 1}'`,
      '--message-id ord-1',
      `--subject 'it'\\''s'`,
      '--ttl PT1.5S',
      '--property region=EU',
      '--property weight:long=9007199254740993',
      '--property none:double=NaN',
      '--property at:timestamp=2026-05-01T12:00:00.000Z',
      '--property link:uri=https://contoso.com',
      '--property wait:timespan=PT5S',
      '--property a:b:string=c',
    ]);
  });

  it('takes bytes from a pipe, and names another port', () => {
    expect(sendCommand(bytesMessage(Uint8Array.of(0xff, 0)), 'events/Subscriptions/audit', 5673)).toBe(
      "printf %s '/wA=' | base64 -d | npx jitney send events - \\\n  --port 5673".replace("'/wA='", '/wA='),
    );
  });

  it('says what it does not keep, on lines that no text of a sender ends', () => {
    const body = {
      kind: 'value',
      section: 'value',
      sizeBytes: 1,
      value: { type: 'int', value: 42 },
    } as const;
    const list = { type: 'list', value: [] };
    const command = sendCommand(
      rawMessage({ body }, { applicationProperties: { 'x\nrm -rf /': list } }),
      'orders',
    );
    expect(command).toBe(
      '# Not kept: its body was an AMQP value\n# Not kept: its property x?rm -rf /, of type list\nnpx jitney send orders \\\n  --body 42',
    );
  });

  it('shows control characters as escapes', () => {
    const body = { kind: 'text', section: 'value', sizeBytes: 1, text: "a'\u001b[31m\u202e" } as const;
    expect(sendCommand(rawMessage({ body }), 'orders')).toContain(`--body $'a\\'\\x1b[31m\\u202e'`);
  });
});
