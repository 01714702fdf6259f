// AMQP values as JSON with their types, and back.

import { describe, expect, it } from 'vitest';
import { amqp, encodeValue } from '../../src/codec/types.js';
import {
  encodeTyped,
  SENT_TYPES,
  type SentType,
  type TypedValue,
  typedValueAt,
} from '../../src/content/typed-value.js';
import { hex } from '../support/frame-encoder.js';

const VALUES: Readonly<Record<SentType, readonly TypedValue['value'][]>> = {
  string: ['', 'grün', '<b>'],
  boolean: [true, false],
  int: [0, -1, 2_147_483_647, -2_147_483_648],
  long: [0, 255, '9223372036854775807', '-9223372036854775808', 9_007_199_254_740_991],
  double: [0, -2.5, 'NaN', 'Infinity', '-Infinity'],
  float: [0.5, 'NaN'],
  timestamp: ['1970-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '0001-01-01T00:00:00.000Z'],
  uuid: ['f81d4fae-7dec-11d0-a765-00a0c91e6bf6'],
  symbol: ['a symbol'],
  char: ['x', '😀'],
  ubyte: [0, 255],
  ushort: [65_535],
  uint: [0, 255, 4_294_967_295],
  ulong: [0, 255, '18446744073709551615'],
  byte: [-128, 127],
  short: [-32_768, 32_767],
  null: [null],
};

describe('a typed value', () => {
  it.each(SENT_TYPES.flatMap((type) => VALUES[type].map((value) => [type, value] as const)))(
    'of type %s is the same after it was encoded: %s',
    (type, value) => {
      const encoded = encodeTyped(type, value as string);
      expect(typedValueAt(Buffer.from(encoded ?? []), 0)).toEqual({ type, value });
    },
  );

  it.each([
    ['string', 'https://contoso.com', 'com.microsoft:uri'],
    ['long', 10, 'com.microsoft:timespan'],
    ['int', 3, '12345678901'],
  ] as const)('of type %s with the value %s keeps its descriptor %s', (type, value, descriptor) => {
    const encoded = encodeTyped(type, value, descriptor);
    expect(typedValueAt(Buffer.from(encoded ?? []), 0)).toEqual({ type, value, descriptor });
  });

  it.each([
    ['int', 2_147_483_648],
    ['int', 1.5],
    ['int', '0x1'],
    ['int', true],
    ['ubyte', -1],
    ['ulong', '-1'],
    ['ulong', '18446744073709551616'],
    ['long', Number.MAX_VALUE],
    ['double', '1'],
    ['boolean', 'true'],
    ['null', 0],
    ['string', 7],
    ['symbol', 'ü'],
    ['char', ''],
    ['uuid', 'f81d4fae'],
    ['timestamp', 'yesterday'],
  ] as const)('of type %s cannot be %s', (type, value) => {
    expect(encodeTyped(type, value)).toBeUndefined();
  });
});

it.each([
  [
    amqp.described(amqp.symbol('com.microsoft:timespan'), amqp.long(10)),
    { type: 'long', value: 10, descriptor: 'com.microsoft:timespan' },
  ],
  [
    amqp.list([amqp.int(1), amqp.string('a')]),
    {
      type: 'list',
      value: [
        { type: 'int', value: 1 },
        { type: 'string', value: 'a' },
      ],
    },
  ],
  [
    amqp.map([[amqp.symbol('k'), amqp.null()]]),
    {
      type: 'map',
      value: [
        [
          { type: 'symbol', value: 'k' },
          { type: 'null', value: null },
        ],
      ],
    },
  ],
] as const)('a value with parts is shown with the types of all of them: %#', (value, shown) => {
  expect(typedValueAt(encodeValue(value), 0)).toEqual(shown);
});

it.each([
  ['a decimal', '74 01020304', 'decimal'],
  ['an array', 'e0 03 01 50 07', 'array'],
])('%s is shown as its encoding', (_, bytes, type) => {
  expect(typedValueAt(hex(bytes), 0)).toEqual({ type, value: hex(bytes).toString('base64') });
});

it('a time that no date has is shown in milliseconds', () => {
  expect(typedValueAt(hex('83 7fffffffffffffff'), 0)).toEqual({
    type: 'timestamp',
    value: '9223372036854775807',
  });
});
