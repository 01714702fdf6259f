import { describe, expect, it } from 'vitest';
import type { RawMessageAnswer } from '../../http/control/control-schemas.js';
import { bytesMessage, dataSection, rawMessage } from '../testing/raw-message.js';
import { base64Of, sendableOf } from './sendable.js';

const JSON_BYTES = Buffer.from('{"a": 1}');
const BODY = { kind: 'json', section: 'data', sizeBytes: 8, value: { a: 1 } } as const;

function sendable(change: Partial<RawMessageAnswer> = {}) {
  return sendableOf(rawMessage({ body: BODY, sections: [dataSection(JSON_BYTES)] }, change));
}

describe('a stored message that is sent again', () => {
  it('keeps the bytes of its body, spaces of JSON and all', () => {
    expect(sendable()).toEqual({ message: { bodyBase64: JSON_BYTES.toString('base64') }, lost: [] });
    const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 256);
    expect(sendableOf(bytesMessage(bytes)).message.bodyBase64).toBe(Buffer.from(bytes).toString('base64'));
  });

  it('keeps the properties of a sender, and no others', () => {
    const given = {
      messageId: 'ord-1',
      to: 't',
      subject: 's',
      replyTo: 'r',
      correlationId: 'c',
      contentType: 'a/b',
      sessionId: 'x',
      replyToSessionId: 'y',
      partitionKey: 'x',
      timeToLiveMs: 1500,
    };
    const { message, lost } = sendable({ ...given, groupSequence: 3 } as typeof given);
    expect(message).toEqual({ ...given, bodyBase64: expect.any(String) });
    expect(lost).toEqual([]);
  });

  it('has no body if it had none', () => {
    const { message } = sendableOf(rawMessage({ body: { kind: 'empty', section: 'none', sizeBytes: 0 } }));
    expect(message).toEqual({});
  });

  it('says that an AMQP value becomes a text', () => {
    const body = {
      kind: 'value',
      section: 'value',
      sizeBytes: 1,
      value: { type: 'int', value: 42 },
    } as const;
    expect(sendableOf(rawMessage({ body }))).toEqual({
      message: { body: '42' },
      lost: ['its body was an AMQP value'],
    });
  });

  it('keeps typed properties, and says which cannot be sent', () => {
    const long = { type: 'long', value: '9007199254740993' };
    const list = { type: 'list', value: [{ type: 'int', value: 1 }] };
    const uri = { type: 'string', value: 'https://contoso.com', descriptor: 'com.microsoft:uri' };
    const { message, lost } = sendable({
      applicationProperties: { big: long, tags: list, nothing: { type: 'null', value: null }, link: uri },
    });
    expect(message.applicationProperties).toEqual({
      ...{ big: long, nothing: { type: 'null', value: null }, link: uri },
    });
    expect(lost).toEqual(['its property tags, of type list']);
  });

  it('leaves out what dead-lettering has added, but not what a sender calls so', () => {
    const reason = { type: 'string', value: 'why' };
    const applicationProperties = { DeadLetterReason: reason, DeadLetterErrorDescription: reason };
    expect(sendable({ applicationProperties, deadLetterReason: 'why' }).message).not.toHaveProperty(
      'applicationProperties',
    );
    expect(sendable({ applicationProperties }).message.applicationProperties).toEqual(applicationProperties);
  });

  it('keeps its schedule while that is still to come', () => {
    const scheduledTime = '2026-05-02T08:00:00.000Z';
    expect(sendable({ state: 'scheduled', scheduledTime }).message.scheduledEnqueueTime).toBe(scheduledTime);
    expect(sendable({ state: 'active', scheduledTime }).message).not.toHaveProperty('scheduledEnqueueTime');
  });

  it('says that its via partition key is lost', () => {
    expect(sendable({ viaPartitionKey: 'v' }).lost).toEqual(['its via partition key']);
  });
});

describe('what an application property is sent with', () => {
  it('is Base64 for bytes', () => {
    expect(base64Of(new Uint8Array([0xff, 0x00, 0x10]))).toBe('/wAQ');
    expect(base64Of(new Uint8Array(0))).toBe('');
  });
});
