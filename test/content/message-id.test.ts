// Message-ids and correlation ids: four AMQP types, one text each.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError } from '../../src/codec/decode-error.js';
import { contentReader } from '../../src/content/message-reader.js';
import { readMessage } from '../../src/content/read-message.js';
import { bin, hex, list, NULL, str, sym, uint, variable, wideUlong } from '../support/frame-encoder.js';
import { section } from '../support/frame-message.js';

const idOf = (...fields: Buffer[]) => readMessage(section(0x73, list(fields))).messageId;

describe('a message-id', () => {
  it.each([
    ['a string', str('Order-7 ü'), 'Order-7 ü'],
    ['an empty string', str(''), ''],
    ['a long string', str('i'.repeat(300)), 'i'.repeat(300)],
    ['a short string of the wide kind', variable(0xa1, Buffer.from('id'), true), 'id'],
    ['a ulong', wideUlong(2n ** 64n - 1n), '18446744073709551615'],
    ['a ulong beyond the exact numbers', wideUlong(2n ** 53n + 1n), '9007199254740993'],
    ['a small ulong', hex('53 ff'), '255'],
    ['a ulong 0', hex('44'), '0'],
    ['a uuid', hex('98 00112233445566778899AABBCCDDEEFF'), '00112233-4455-6677-8899-aabbccddeeff'],
    ['a binary', bin(hex('01 AB ff')), '\u0001\u00ab\u00ff'],
    ['an empty binary', bin(hex('')), ''],
    ['a binary of the wide kind', variable(0xa0, hex('0f'), true), '\u000f'],
  ])('may be %s, and has one text [MSG-04, DUP-07]', (_name, id, text) => {
    expect(idOf(id)).toBe(text);
    expect(idOf(id, NULL, str('to'))).toBe(text);
  });

  it('that is a ulong is the same text however it is encoded [DUP-07]', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (id) => {
        expect(idOf(wideUlong(id))).toBe(id.toString(10));
      }),
    );
    for (const id of [0, 1, 255]) expect(idOf(Buffer.from([0x53, id]))).toBe(idOf(wideUlong(BigInt(id))));
  });

  it('is told apart from another one by every letter of it, and by case [DUP-07]', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.string({ maxLength: 300 }), (one, other) => {
        expect(idOf(str(one)) === idOf(str(other))).toBe(one === other);
      }),
    );
    expect(idOf(str('a'))).not.toBe(idOf(str('A')));
  });

  it.each([
    ['there is no properties section', hex('')],
    ['there are no properties', section(0x73, list([]))],
    ['a null stands in its place', section(0x73, list([NULL, NULL, str('to')]))],
  ])('is missing where %s [MSG-04]', (_name, bytes) => {
    expect(readMessage(bytes).messageId).toBeUndefined();
  });

  it('of another type is refused [MSG-04]', () => {
    for (const id of [uint(1), sym('id'), list([NULL]), hex('5401'), hex('00 a301 64 a101 69')]) {
      expect(() => idOf(id)).toThrow('a message-id is not a string, ulong, uuid or binary');
      expect(() => idOf(id)).toThrow(
        expect.objectContaining({ condition: 'amqp:invalid-field', constructor: DecodeError }),
      );
    }
  });
});

describe('a correlation id', () => {
  function correlationIdOf(...fields: Buffer[]): string | undefined {
    const { content, correlationIdOffset } = readMessage(section(0x73, list(fields)));
    return correlationIdOffset === undefined
      ? undefined
      : contentReader.correlationId(content, correlationIdOffset);
  }
  const before = [str('id'), NULL, NULL, NULL, NULL];

  it.each([
    ['a string', str('ü'), 'ü'],
    ['a ulong', wideUlong(2n ** 53n + 1n), '9007199254740993'],
    ['a uuid', hex('98 00112233445566778899AABBCCDDEEFF'), '00112233-4455-6677-8899-aabbccddeeff'],
    ['a binary', bin(hex('01 AB ff')), '\u0001\u00ab\u00ff'],
  ])('may be %s', (_name, id, text) => {
    expect(correlationIdOf(...before, id)).toBe(text);
    expect(correlationIdOf(...before, id, str('content type'))).toBe(text);
  });

  it('of another type is carried and not shown', () => {
    for (const id of [sym('s'), uint(1), hex('50 07'), list([str('x')])]) {
      expect(correlationIdOf(...before, id)).toBeUndefined();
    }
  });

  it('that is missing has no place', () => {
    expect(readMessage(section(0x73, list(before))).correlationIdOffset).toBeUndefined();
    expect(readMessage(section(0x73, list([...before, NULL]))).correlationIdOffset).toBeUndefined();
  });

  it('is shown by its beginning when it is long', () => {
    expect(correlationIdOf(...before, str('c'.repeat(30_000)))).toBe('c'.repeat(128));
    expect(correlationIdOf(...before, bin(Buffer.alloc(30_000)))).toBeUndefined();
  });
});
