// Typed values: exact in both directions, whatever rhea's codec does with them.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError } from '../../src/codec/decode-error.js';
import { entryOf, integerOf, itemsOf, timestampOf } from '../../src/codec/read-value.js';
import { type AmqpValue, amqp, decodeValue, encodeValue } from '../../src/codec/types.js';
import { anyValue } from '../support/frame-arbitraries.js';
import {
  arrayOf,
  bin,
  described,
  hex,
  list,
  map,
  str,
  sym,
  timestamp,
  uint,
  variable,
  wideLong,
  wideUlong,
} from '../support/frame-encoder.js';

const MAX_LONG = 2n ** 63n - 1n;
const MIN_LONG = -(2n ** 63n);
const MAX_ULONG = 2n ** 64n - 1n;
const AROUND_2_53 = [2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n];
const LONGS = [0n, 1n, -1n, 128n, -129n, 255n, 256n, 2n ** 32n - 1n, 2n ** 32n, -(2n ** 32n), ...AROUND_2_53];
const EDGES = [
  ...LONGS,
  ...AROUND_2_53.map((each) => -each),
  MAX_LONG,
  MAX_LONG - 1n,
  MIN_LONG,
  MIN_LONG + 1n,
];

const read = (bytes: Buffer) => decodeValue(bytes).value;
const exact = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : value);

describe('64-bit integers', () => {
  it('are read exactly over the whole range of a long', () => {
    for (const edge of EDGES) expect(read(wideLong(edge)), `${edge}`).toBe(exact(edge));
    fc.assert(fc.property(fc.bigInt(MIN_LONG, MAX_LONG), (value) => read(wideLong(value)) === exact(value)));
  });

  it('are read exactly over the whole range of a ulong', () => {
    for (const edge of [...LONGS.filter((each) => each >= 0n), MAX_LONG + 1n, MAX_ULONG - 1n, MAX_ULONG]) {
      expect(read(wideUlong(edge)), `${edge}`).toBe(exact(edge));
    }
    fc.assert(fc.property(fc.bigInt(0n, MAX_ULONG), (value) => read(wideUlong(value)) === exact(value)));
  });

  it('are read exactly as timestamps, also far outside the range of a Date', () => {
    for (const edge of EDGES) expect(read(timestamp(edge))).toBe(exact(edge));
    expect(timestampOf(decodeValue(timestamp(1_763_700_000_123n)))).toBe(1_763_700_000_123);
  });

  it('are read exactly inside lists, maps and arrays', () => {
    const inside = list([
      map([[str('k'), wideLong(MAX_LONG)]]),
      arrayOf(hex('81'), [wideLong(MIN_LONG).subarray(1)]),
    ]);
    const [inMap, inArray] = itemsOf(decodeValue(inside)) ?? [];
    expect(entryOf(inMap, 'k')?.value).toBe(MAX_LONG);
    expect(itemsOf(inArray)?.[0]?.value).toBe(MIN_LONG);
  });

  it('are written exactly, whether given as a number or a bigint', () => {
    for (const edge of EDGES) {
      expect(read(encodeValue(amqp.long(edge))), `${edge}`).toBe(exact(edge));
      expect(read(encodeValue(amqp.timestamp(edge)))).toBe(exact(edge));
    }
    const unsigned = EDGES.filter((edge) => edge >= 0n);
    expect(unsigned.length).toBeGreaterThan(0);
    for (const edge of unsigned) expect(read(encodeValue(amqp.ulong(edge)))).toBe(exact(edge));
    expect(encodeValue(amqp.ulong(MAX_ULONG))).toEqual(hex('80 ffffffffffffffff'));
    expect(encodeValue(amqp.long(-1))).toEqual(hex('55 ff'));
    expect(encodeValue(amqp.longArray([1, MIN_LONG]))).toEqual(
      arrayOf(hex('81'), [wideLong(1n).subarray(1), wideLong(MIN_LONG).subarray(1)], true),
    );
  });

  it('count as integers only while a number holds them exactly', () => {
    expect(integerOf(decodeValue(wideLong(2n ** 53n - 1n)))).toBe(2 ** 53 - 1);
    expect(integerOf(decodeValue(wideLong(2n ** 53n + 1n)))).toBeUndefined();
    expect(integerOf(decodeValue(str('5')))).toBeUndefined();
  });
});

describe('a decoded value', () => {
  it('is encoded again to bytes that decode to the same', () => {
    fc.assert(
      fc.property(anyValue, (bytes) => {
        const value = decodeValue(bytes);
        expect(decodeValue(encodeValue(value))).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps its descriptor, also when that is named like a property of every object', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'com.microsoft:uri']) {
      const value = decodeValue(described(sym(name), str('v')));
      expect([value.descriptor?.value, value.value]).toEqual([name, 'v']);
    }
  });

  it('must end where the bytes end', () => {
    expect(() => decodeValue(Buffer.concat([str('a'), hex('40')]))).toThrow('1 bytes follow a value');
    expect(() => decodeValue(hex(''))).toThrow(DecodeError);
  });

  it('is never built from bytes that the scanner refuses', () => {
    expect(() => decodeValue(hex('f0 00000005 01312d00 40'))).toThrow(DecodeError);
    expect(() => decodeValue(Buffer.concat([Buffer.alloc(60_000), hex('40')]))).toThrow(DecodeError);
  });
});

describe('the builders of values', () => {
  const uuid = '00112233445566778899aabbccddeeff';
  it.each<[string, AmqpValue, Buffer]>([
    ['null', amqp.null(), hex('40')],
    ['boolean', amqp.boolean(true), hex('41')],
    ['ubyte', amqp.ubyte(200), hex('50 c8')],
    ['ushort', amqp.ushort(513), hex('60 0201')],
    ['uint', amqp.uint(70_000), uint(70_000)],
    ['byte', amqp.byte(-1), hex('51 ff')],
    ['short', amqp.short(-2), hex('61 fffe')],
    ['small int', amqp.int(-128), hex('54 80')],
    ['int', amqp.int(404), hex('71 00000194')],
    ['float', amqp.float(1), hex('72 3f800000')],
    ['double', amqp.double(1), hex('82 3ff0000000000000')],
    ['char', amqp.char(0x1f600), hex('73 0001f600')],
    ['uuid', amqp.uuid(uuid), hex(`98 ${uuid}`)],
    ['binary', amqp.binary(new Uint8Array([1, 2])), bin(hex('0102'))],
    ['string', amqp.string('grüße'), str('grüße')],
    ['symbol', amqp.symbol('a:b'), sym('a:b')],
    ['empty list', amqp.list([]), hex('45')],
    ['list', amqp.list([amqp.uint(1)]), list([uint(1)], true)],
    ['map', amqp.map([[amqp.symbol('k'), amqp.int(1)]]), map([[sym('k'), hex('54 01')]], true)],
    [
      'timestamps',
      amqp.timestampArray([1, 2]),
      arrayOf(hex('83'), [wideLong(1n).subarray(1), wideLong(2n).subarray(1)], true),
    ],
    ['uuids', amqp.uuidArray([uuid]), arrayOf(hex('98'), [hex(uuid)], true)],
    [
      'strings',
      amqp.stringArray(['', 'grüße']),
      arrayOf(
        hex('b1'),
        [variable(0xa1, hex(''), true).subarray(1), variable(0xa1, Buffer.from('grüße'), true).subarray(1)],
        true,
      ),
    ],
    ['no strings', amqp.stringArray([]), arrayOf(hex('b1'), [], true)],
    ['described', amqp.described(amqp.symbol('d'), amqp.string('v')), described(sym('d'), str('v'))],
  ])('write %s', (_name, value, bytes) => {
    expect(encodeValue(value)).toEqual(bytes);
  });

  it('write strings, symbols and binaries of more than 255 bytes with the wide constructor', () => {
    const text = 'é'.repeat(128);
    expect(encodeValue(amqp.string(text)).subarray(0, 5)).toEqual(hex('b1 00000100'));
    expect(encodeValue(amqp.symbol('s'.repeat(256))).subarray(0, 5)).toEqual(hex('b3 00000100'));
    expect(encodeValue(amqp.binary(Buffer.alloc(256))).subarray(0, 5)).toEqual(hex('b0 00000100'));
  });
});
