// What the broker learns from a message, and that it gets the content as bytes of its own.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError } from '../../src/codec/decode-error.js';
import { readMessage } from '../../src/content/properties.js';
import { bin, hex, list, NULL, section, str, sym, uint, ulong, variable } from '../codec/wire.js';
import { anyMessage } from './arbitrary-message.js';

const withProperties = (...fields: Buffer[]) => section(0x73, list(fields));
const nulls = (count: number) => new Array<Buffer>(count).fill(NULL);

describe('a message-id', () => {
  it.each([
    ['string', str('id')],
    ['empty string', str('')],
    ['long string', str('i'.repeat(300))],
    ['ulong', ulong(2n ** 63n)],
    ['small ulong', hex('5301')],
    ['ulong 0', hex('44')],
    ['uuid', hex('98 00112233445566778899aabbccddeeff')],
    ['binary', bin(hex('01'))],
    ['wide binary', variable(0xa0, hex('01'), true)],
  ])('may be a %s', (_name, id) => {
    expect(readMessage(withProperties(id)).hasMessageId).toBe(true);
  });

  it.each([
    ['no properties section', hex('')],
    ['no properties', withProperties()],
    ['a null in its place', withProperties(NULL, NULL, str('to'))],
  ])('is missing where there is %s', (_name, bytes) => {
    expect(readMessage(bytes).hasMessageId).toBe(false);
  });

  it('of another type is refused', () => {
    for (const id of [uint(1), sym('id'), list([NULL]), hex('5401')]) {
      expect(() => readMessage(withProperties(id))).toThrow(
        'a message-id is not a string, ulong, uuid or binary',
      );
    }
  });
});

describe('a session id', () => {
  it('is the group-id, short or long, empty or not', () => {
    for (const id of ['s1', '', 'ü', 's'.repeat(300)]) {
      expect(readMessage(withProperties(...nulls(10), str(id))).sessionId).toBe(id);
    }
    expect(readMessage(withProperties(...nulls(10), str('s'), uint(1), str('other'))).sessionId).toBe('s');
  });

  it('is missing where the group-id is null or left out', () => {
    expect(readMessage(withProperties(...nulls(13))).sessionId).toBeUndefined();
    expect(readMessage(withProperties(...nulls(9), str('creation'))).sessionId).toBeUndefined();
    expect(readMessage(hex('')).sessionId).toBeUndefined();
  });

  it('of another type is refused', () => {
    for (const id of [sym('s'), uint(1), bin(hex('73'))]) {
      expect(() => readMessage(withProperties(...nulls(10), id))).toThrow('a group-id is not a string');
    }
  });
});

describe('the content of a message', () => {
  it('is every byte the sender wrote', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const read = readMessage(message.bytes);
        expect(Buffer.from(read.content)).toEqual(message.bytes);
        expect(read.sessionId).toBe(textOf(message.properties?.[10]));
        expect(read.hasMessageId).toBe(!(message.properties?.[0] ?? NULL).equals(NULL));
      }),
    );
  });

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
  });

  it('is refused when it is no message', () => {
    expect(() => readMessage(hex('01'))).toThrow(DecodeError);
    expect(() => readMessage(Buffer.from('hello'))).toThrow(DecodeError);
  });
});

function textOf(encoded: Buffer | undefined): string | undefined {
  return encoded === undefined || encoded.equals(NULL) ? undefined : encoded.toString('utf8', 2);
}
