// What the broker learns from a message, and that it gets the content as bytes of its own.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewMessage } from '../../src/broker/contract/message-properties.js';
import { DecodeError } from '../../src/codec/decode-error.js';
import { readMessage } from '../../src/content/read-message.js';
import { endOf } from '../support/frame-decoder.js';
import { bin, hex, list, NULL, str, sym, uint, variable } from '../support/frame-encoder.js';
import { section } from '../support/frame-message.js';
import { anyMessage, type Message } from '../support/frame-message-arbitraries.js';
import { countFor } from '../support/thorough.js';
import { textOf } from './delivered.js';

const withProperties = (...fields: Buffer[]) => section(0x73, list(fields));
const nulls = (count: number) => new Array<Buffer>(count).fill(NULL);

describe('the session ids of a message', () => {
  const IDS = ['s1', '', 'ü', 's'.repeat(300)];

  it('are the group-id and the reply-to-group-id, short or long, empty or not [MSG-10]', () => {
    for (const id of IDS) {
      const bytes = withProperties(
        ...nulls(10),
        str(id),
        uint(1),
        variable(0xa1, Buffer.from(`r${id}`), true),
      );
      expect(readMessage(bytes)).toMatchObject({ sessionId: id, replyToSessionId: `r${id}` });
    }
  });

  it('are missing where they are null or left out [MSG-10]', () => {
    const none = { sessionId: undefined, replyToSessionId: undefined };
    expect(readMessage(withProperties(...nulls(13)))).toMatchObject(none);
    expect(readMessage(withProperties(...nulls(10)))).toMatchObject(none);
    expect(readMessage(withProperties(...nulls(11), uint(1)))).toMatchObject(none);
    expect(readMessage(hex(''))).toMatchObject(none);
  });

  it('of another type are refused [MSG-10]', () => {
    for (const id of [sym('s'), uint(1), bin(hex('73'))]) {
      expect(() => readMessage(withProperties(...nulls(10), id))).toThrow('a group-id is not a string');
      expect(() => readMessage(withProperties(...nulls(12), id))).toThrow(
        'a reply-to-group-id is not a string',
      );
    }
  });
});

describe('what is read of a message', () => {
  it('is what the sender wrote, whatever else there is and however it is encoded [MSG-04, MSG-08, MSG-10, TTL-01, SCH-01, SND-16]', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const { content, correlationIdOffset: _, ...read } = readMessage(message.bytes);
        expect(Buffer.from(content)).toEqual(message.bytes);
        expect(read).toEqual(learned(message));
      }),
      { numRuns: countFor(60, 500) },
    );
  });

  it('has the size of everything before the body, and of nothing else [MSG-08]', () => {
    const head = Buffer.concat([section(0x70, list([hex('41')])), withProperties(str('i'.repeat(70_000)))]);
    const body = section(0x75, bin(Buffer.alloc(1000)));
    expect(readMessage(Buffer.concat([head, body])).headBytes).toBe(head.length);
    expect(readMessage(body).headBytes).toBe(0);
    expect(readMessage(head).headBytes).toBe(head.length);
  });
});

describe('the content of a message', () => {
  it('does not keep alive, or change with, the larger buffer it came in', () => {
    const message = withProperties(str('id'));
    const page = Buffer.concat([Buffer.alloc(100), message, Buffer.alloc(60_000)]);
    const { content } = readMessage(page.subarray(100, 100 + message.length));
    expect(content.buffer.byteLength).toBe(message.length);
    page.fill(0);
    expect(Buffer.from(content)).toEqual(message);
  });

  it('is not copied when the bytes are all of their memory', () => {
    const own = new Uint8Array(withProperties(str('id')));
    expect(readMessage(own).content).toBe(own);
    expect(readMessage(own).messageId).toBe('id');
  });

  it('is refused when it is no message', () => {
    expect(() => readMessage(hex('01'))).toThrow(DecodeError);
    expect(() => readMessage(Buffer.from('hello'))).toThrow(DecodeError);
  });
});

/** The same by the parts the message was made of. */
function learned(message: Message): Omit<NewMessage, 'content'> {
  const properties = message.properties ?? [];
  const values = (message.applicationProperties ?? []).map(([, value]) => value);
  return {
    messageId: idText(properties[0] ?? NULL),
    sessionId: optionalText(properties[10]),
    replyToSessionId: optionalText(properties[12]),
    partitionKey: optionalText(annotation(message, 'x-opt-partition-key')),
    viaPartitionKey: optionalText(annotation(message, 'x-opt-via-partition-key')),
    timeToLiveMs: timeToLive(numberOf(message.header?.[2]), numberOf(properties[9]), numberOf(properties[8])),
    scheduledEnqueueTime: numberOf(annotation(message, 'x-opt-scheduled-enqueue-time')),
    headBytes: message.bytes.length - message.body.length - message.footer.length,
    largestPropertyBytes: Math.max(0, ...values.map((value) => value.length)),
    unsupportedProperty: unsupported(message),
  };
}

function annotation(message: Message, name: string): Buffer | undefined {
  return message.messageAnnotations?.find(([key]) => textOf(key) === name)?.[1];
}

function optionalText(encoded = NULL): string | undefined {
  return encoded.equals(NULL) ? undefined : textOf(encoded);
}

/** Of a timestamp or a uint. */
function numberOf(encoded = NULL): number | undefined {
  if (encoded.equals(NULL)) return undefined;
  if (encoded.length === 9) return Number(encoded.readBigInt64BE(1));
  return encoded.length === 1 ? 0 : encoded.readUIntBE(1, encoded.length - 1);
}

function idText(id: Buffer): string | undefined {
  if (id.equals(NULL)) return undefined;
  const digits = id.toString('hex');
  if (digits.startsWith('a0')) return id.toString('latin1', 2);
  if (digits.startsWith('98')) return digits.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return ['44', '53', '80'].includes(digits.slice(0, 2))
    ? String(BigInt(`0x0${digits.slice(2)}`))
    : textOf(id);
}

function timeToLive(ttl?: number, creation?: number, expiry?: number): number | undefined {
  if (ttl === 0 && ((expiry ?? 0) - (creation ?? 0) < 2 ** 32 || creation === undefined)) return undefined;
  if (ttl === undefined || creation === undefined || expiry === undefined) return ttl;
  const isExact = ttl < 2 ** 32 - 1;
  if (expiry >= creation && isExact && expiry - creation < 2 ** 32) return ttl;
  const isNever = new Date(expiry).getUTCFullYear() === 9999 && expiry >= creation && !isExact;
  return isNever ? undefined : expiry - creation;
}

function unsupported(message: Message): NewMessage['unsupportedProperty'] {
  for (const [key, value] of message.applicationProperties ?? []) {
    let bare = value;
    while (bare[0] === 0x00) bare = bare.subarray(endOf(bare, 1));
    const digits = bare.toString('hex', 0, 1);
    if (['45', 'c0', 'd0'].includes(digits)) return { name: textOf(key), type: 'list' };
    if (['c1', 'd1'].includes(digits)) return { name: textOf(key), type: 'map' };
    if (['e0', 'f0'].includes(digits)) return { name: textOf(key), type: 'array' };
    if (['a0', 'b0'].includes(digits)) return { name: textOf(key), type: 'binary' };
  }
  return undefined;
}
