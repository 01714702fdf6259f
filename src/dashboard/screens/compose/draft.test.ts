import { describe, expect, it } from 'vitest';
import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { ApiError } from '../../state/api.js';
import { readDuration } from '../../state/duration.js';
import { type Draft, EMPTY_DRAFT, hasText, readDraft } from './draft.js';
import { draftOfMessage, localTime } from './draft-of-message.js';
import { readProperty } from './property-value.js';
import { fieldOfError } from './send-problem.js';

const NOW = Date.parse('2026-05-01T12:00:00.000Z');

function read(change: Partial<Draft>) {
  return readDraft({ ...EMPTY_DRAFT, destination: 'orders', ...change }, NOW);
}

describe('a draft of a message', () => {
  it('leaves out what is empty', () => {
    expect(read({})).toEqual({ messages: [{}], problems: new Map() });
  });

  it('sends as many messages as asked for, each with its number in the body and the id', () => {
    const { messages } = read({ count: '3', messageId: 'ord-{n}', body: '{"n":{n}}', subject: 'a-{n}' });
    expect(messages).toEqual([
      { messageId: 'ord-1', body: '{"n":1}', subject: 'a-{n}' },
      { messageId: 'ord-2', body: '{"n":2}', subject: 'a-{n}' },
      { messageId: 'ord-3', body: '{"n":3}', subject: 'a-{n}' },
    ]);
  });

  it('counts its schedule from now, or takes a time', () => {
    expect(read({ when: 'in', time: '5 min' }).messages[0]?.scheduledEnqueueTime).toBe(
      '2026-05-01T12:05:00.000Z',
    );
    const at = localTime('2026-05-02T08:00:00.000Z');
    expect(read({ when: 'at', time: at }).messages[0]?.scheduledEnqueueTime).toBe('2026-05-02T08:00:00.000Z');
  });

  it.each([
    [{ destination: ' ' }, 'destination', /missing/],
    [{ body: '{' }, 'body', /not JSON/],
    [{ bodyKind: 'base64', body: '%%' }, 'body', /not Base64/],
    [{ timeToLive: 'soon' }, 'timeToLive', /30 s/],
    [{ when: 'in', time: 'soon' }, 'time', /duration/],
    [{ when: 'at', time: '' }, 'time', /day/],
    [{ count: '1001' }, 'count', /1 to 1,000/],
    [{ count: '0' }, 'count', /1 to 1,000/],
    [{ contentType: 'ü' }, 'contentType', /ASCII/],
    [{ properties: [{ name: '', type: 'int', value: '1' }] }, 'property 0', /name/],
    [{ properties: [{ name: 'a', type: 'int', value: 'x' }] }, 'property 0', /whole number/],
    [{ properties: [{ name: '__proto__', type: 'int', value: '1' }] }, 'property 0', /cannot be sent/],
  ] satisfies readonly (readonly [Partial<Draft>, string, RegExp])[])(
    'says what is wrong with %j',
    (change, field, expected) => {
      const { problems } = read(change);
      expect([...problems.keys()]).toEqual([field]);
      expect(problems.get(field)).toMatch(expected);
    },
  );

  it('leaves out a property row that is empty, and refuses a name twice', () => {
    const row = { name: 'a', type: 'string', value: 'x' } as const;
    expect(read({ properties: [row, { ...row, name: '', value: '' }] }).messages[0]).toEqual({
      applicationProperties: { a: { type: 'string', value: 'x' } },
    });
    expect(read({ properties: [row, row] }).problems.get('property 1')).toMatch(/two properties/);
  });
});

it('has text to lose as soon as something but its destination is written', () => {
  expect(hasText({ ...EMPTY_DRAFT, destination: 'orders' }, EMPTY_DRAFT)).toBe(false);
  expect(hasText({ ...EMPTY_DRAFT, subject: 'a' }, EMPTY_DRAFT)).toBe(true);
});

describe('the value of a property', () => {
  it.each([
    ['int', '42', 42],
    ['long', '9007199254740993', '9007199254740993'],
    ['ulong', '18446744073709551615', '18446744073709551615'],
    ['double', '18.9', 18.9],
    ['double', 'NaN', 'NaN'],
    ['boolean', 'TRUE', true],
    ['null', '', null],
    ['string', ' a ', ' a '],
    ['timestamp', '2026-05-01T12:00:00Z', '2026-05-01T12:00:00.000Z'],
    ['char', '🙂', '🙂'],
  ] as const)('%s %s is read', (type, text, value) => {
    expect(readProperty(type, text)).toEqual({ type, value });
  });

  it.each([
    ['uri', 'https://contoso.com', 'string', 'https://contoso.com', 'com.microsoft:uri'],
    ['timespan', 'PT5S', 'long', '50000000', 'com.microsoft:timespan'],
    ['timespan', '1.5 min', 'long', '900000000', 'com.microsoft:timespan'],
    [
      'datetime-offset',
      '1970-01-01T00:00:00Z',
      'long',
      '621355968000000000',
      'com.microsoft:datetime-offset',
    ],
  ] as const)('%s %s is sent as a described value', (type, text, plain, value, descriptor) => {
    expect(readProperty(type, text)).toEqual({ type: plain, value, descriptor });
  });

  it.each([
    ['timespan', 'soon'],
    ['datetime-offset', '2026-05-01'],
    ['int', '2147483648'],
    ['ubyte', '-1'],
    ['double', ''],
    ['boolean', 'yes'],
    ['uuid', 'x'],
    ['char', 'ab'],
    ['timestamp', 'soon'],
  ] as const)('%s %s is refused', (type, text) => {
    expect(readProperty(type, text)).toHaveProperty('problem');
  });
});

describe('a duration', () => {
  it.each([
    ['30 s', 30_000],
    ['5min', 300_000],
    ['1.5 h', 5_400_000],
    ['2 d', 172_800_000],
    ['PT1H30M', 5_400_000],
    ['P1DT1S', 86_401_000],
    ['soon', undefined],
    ['P', undefined],
    ['5', undefined],
  ])('%s is %s ms', (text, expected) => {
    expect(readDuration(text)).toBe(expected);
  });
});

const DEAD: RawMessageAnswer = {
  sequenceNumber: 7,
  state: 'active',
  enqueuedTime: '2026-05-01T12:00:00.000Z',
  deliveryCount: 3,
  sizeBytes: 10,
  hopCount: 0,
  deadLetterReason: 'why',
  messageId: 'ord-1',
  subject: 'order.placed',
  timeToLiveMs: 1500,
  applicationProperties: {
    region: { type: 'string', value: 'EU' },
    tags: { type: 'list', value: [{ type: 'string', value: 'a' }] },
    wait: { type: 'long', value: 50_000_000, descriptor: 'com.microsoft:timespan' },
    DeadLetterReason: { type: 'string', value: 'why' },
  },
  annotations: {},
  body: { kind: 'json', section: 'data', sizeBytes: 7, value: { a: 1 } },
  // A data section: its descriptor, a binary of 7 bytes, and {"a":1}.
  raw: { base64: btoa('\u0000Su\u00a0\u0007{"a":1}'), sections: [{ name: 'data', start: 0, end: 12 }] },
};

describe('a copy of a stored message', () => {
  it('keeps its properties and body, but not what dead-lettering has added', () => {
    const { draft, lost } = draftOfMessage(DEAD, 'orders/$DeadLetterQueue');
    expect(draft).toMatchObject({
      destination: 'orders',
      messageId: 'ord-1',
      subject: 'order.placed',
      ...{ bodyKind: 'json', body: '{"a":1}', timeToLive: '1500 ms', when: 'now' },
      properties: [
        { name: 'region', type: 'string', value: 'EU' },
        { name: 'wait', type: 'timespan', value: 'PT5S' },
      ],
    });
    expect(lost).toEqual(['its property tags, of type list']);
    expect(readDraft(draft, NOW).problems.size).toBe(0);
  });
});

describe('an error of the interface', () => {
  it.each([
    ['entity-not-found', "'nope' could not be found.", 'destination'],
    ['bad-request', "The application property 'a' must be a value of type int.", 'property 0'],
    ['bad-request', "'0.contentType' must be ASCII", 'contentType'],
    ['not-allowed', 'The SessionId was not set on a message', 'sessionId'],
    ['message-size-exceeded', 'too large', 'body'],
    ['other', 'something', undefined],
  ])('%s is shown where it belongs', (code, message, field) => {
    const properties = [{ name: 'a', type: 'int', value: 'x' } as const];
    expect(fieldOfError(new ApiError(400, { code, message }), properties)).toBe(field);
  });
});
