// Typed values that come with a rule: what a client writes is what it reads again, in its type.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amqpOf, parameterOf } from '../../../src/amqp/management/parameter-values.js';
import type { ParameterValue } from '../../../src/broker/contract/rule-description.js';
import { formatTicks } from '../../../src/broker/rules/parameter-value.js';
import { decodeValue, encodeValue } from '../../../src/codec/types.js';
import { decode } from '../../support/frame-decoder.js';
import {
  big,
  bin,
  byte,
  described,
  double,
  type Encoded,
  FALSE,
  fixed,
  int,
  list,
  long,
  map,
  NULL,
  short,
  str,
  sym,
  TRUE,
  timestamp,
  ubyte,
  uint,
  ulong,
  ushort,
  uuid,
} from '../../support/frame-encoder.js';
import { notation } from '../../support/frame-notation.js';

const HEX = '00112233445566778899aabbccddeeff';
const FLOAT_ONE_AND_A_HALF = fixed(0x72, Buffer.from('3fc00000', 'hex'));
const CHAR_G_CLEF = fixed(0x73, big(0x1d11e, 4));

function read(encoded: Encoded): ParameterValue | undefined {
  return parameterOf(decodeValue(encoded));
}

/** As AMQP again. */
function written(value: ParameterValue): string {
  return notation(decode(encodeValue(amqpOf(value))));
}

describe('a value of a rule', () => {
  it.each<[string, Encoded, ParameterValue, string]>([
    ['string', str('a'), 'a', '"a"'],
    ['empty string', str(''), '', '""'],
    ['symbol', sym('a'), 'a', '"a"'],
    ['char', CHAR_G_CLEF, '\u{1d11e}', '"\u{1d11e}"'],
    ['true', TRUE, true, 'true'],
    ['false', FALSE, false, 'false'],
    ['boolean of one byte', fixed(0x56, Buffer.of(0)), false, 'false'],
    ['ubyte', ubyte(255), { type: 'int', value: '255' }, 'int 255'],
    ['ushort', ushort(65_535), { type: 'int', value: '65535' }, 'int 65535'],
    ['uint', uint(2), { type: 'int', value: '2' }, 'int 2'],
    ['uint that no int holds', uint(4e9), { type: 'long', value: '4000000000' }, 'long 4000000000'],
    ['ulong', ulong(7), { type: 'long', value: '7' }, 'long 7'],
    ['byte', byte(-1), { type: 'int', value: '-1' }, 'int -1'],
    ['short', short(-300), { type: 'int', value: '-300' }, 'int -300'],
    ['int', int(-70_000), { type: 'int', value: '-70000' }, 'int -70000'],
    ['long', long(5), { type: 'long', value: '5' }, 'long 5'],
    [
      'long beyond 2^53',
      long(-(2n ** 63n)),
      { type: 'long', value: '-9223372036854775808' },
      'long -9223372036854775808',
    ],
    ['float', FLOAT_ONE_AND_A_HALF, { type: 'double', value: '1.5' }, 'double 1.5'],
    ['double', double(-0.25), { type: 'double', value: '-0.25' }, 'double -0.25'],
    ['infinite double', double(-Infinity), { type: 'double', value: '-Infinity' }, 'double -Infinity'],
    ['timestamp', timestamp(-1), { type: 'timestamp', value: -1 }, 'timestamp -1'],
    [
      'time span',
      described(sym('com.microsoft:timespan'), long(-937_800_000_001n)),
      { type: 'duration', value: '-P1DT2H3M0.0000001S' },
      "'com.microsoft:timespan(long -937800000001)",
    ],
    ['uuid', uuid(Buffer.from(HEX, 'hex')), { type: 'uuid', value: HEX }, `uuid ${HEX}`],
  ])('that is a %s is kept, and written in the same kind', (_, encoded, value, again) => {
    expect(read(encoded)).toEqual(value);
    expect(written(value)).toBe(again);
  });

  it.each<[string, Encoded]>([
    ['null', NULL],
    ['binary', bin(Buffer.from('a'))],
    ['decimal', fixed(0x74, Buffer.alloc(4))],
    ['list', list([int(1)])],
    ['map', map([])],
    ['described long', described(sym('com.microsoft:datetime-offset'), long(5))],
    ['time span that is no long', described(sym('com.microsoft:timespan'), str('PT1S'))],
    ['char that is none', fixed(0x73, big(0x110000, 4))],
  ])('cannot be a %s, which no rule compares', (_, encoded) => {
    expect(read(encoded)).toBeUndefined();
  });

  it('may have been given without the type that its size needs, or with hyphens', () => {
    expect(written({ type: 'int', value: '4000000000' })).toBe('long 4000000000');
    expect(written({ type: 'uuid', value: '00112233-4455-6677-8899-AABBCCDDEEFF' })).toBe(`uuid ${HEX}`);
  });

  it('is the same when it has been written and read again', () => {
    const parameter = fc.oneof(
      fc.string(),
      fc.boolean(),
      fc.integer().map((value): ParameterValue => ({ type: 'int', value: String(value) })),
      fc
        .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
        .map((value): ParameterValue => ({ type: 'long', value: String(value) })),
      fc.double().map((value): ParameterValue => ({ type: 'double', value: String(value) })),
      fc.maxSafeInteger().map((value): ParameterValue => ({ type: 'timestamp', value })),
      fc
        .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
        .map((ticks): ParameterValue => ({ type: 'duration', value: formatTicks(ticks) })),
    );
    fc.assert(
      fc.property(parameter, (value) => {
        const again = parameterOf(decodeValue(encodeValue(amqpOf(value))));
        expect(again).toEqual(value);
      }),
    );
  });
});
