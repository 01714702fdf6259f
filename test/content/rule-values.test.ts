// AMQP values and what rules make of them, in both directions.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RuleValue } from '../../src/broker/rules/rule-value.js';
import { encodeRuleValue, ruleValueAt } from '../../src/content/rule-values.js';
import { anyScalar, anyValue } from '../support/frame-arbitraries.js';
import {
  bin,
  described,
  hex,
  list,
  long,
  NULL,
  str,
  sym,
  timestamp,
  ulong,
  variable,
} from '../support/frame-encoder.js';
import { textOf } from './delivered.js';

const UUID = '00112233445566778899aabbccddeeff';
const read = (encoded: Buffer) => ruleValueAt(Buffer.concat([hex('ff'), encoded, hex('ff')]), 1);
const other = (encoded: Buffer): RuleValue => ({ kind: 'other', encoded });

describe('a value as rules compute with it', () => {
  it.each<[string, Buffer, RuleValue]>([
    ['null', NULL, null],
    ['true', hex('41'), true],
    ['false', hex('42'), false],
    ['a long true', hex('56 01'), true],
    ['a long false', hex('56 00'), false],
    ['a ubyte', hex('50 ff'), 255n],
    ['a byte', hex('51 ff'), -1n],
    ['a ushort', hex('60 ffff'), 65_535n],
    ['a short', hex('61 fffe'), -2n],
    ['a uint of no bytes', hex('43'), 0n],
    ['a small uint', hex('52 ff'), 255n],
    ['a uint', hex('70 ffffffff'), 4_294_967_295n],
    ['a small int', hex('54 80'), -128n],
    ['an int', hex('71 80000000'), -2_147_483_648n],
    ['a ulong of no bytes', hex('44'), 0n],
    ['a small ulong', hex('53 ff'), 255n],
    ['a ulong', ulong(2n ** 64n - 1n), 2n ** 64n - 1n],
    ['a small long', hex('55 ff'), -1n],
    ['a long', long(-(2n ** 63n)), -(2n ** 63n)],
    ['a long beyond what a double holds', long(2n ** 53n + 1n), 2n ** 53n + 1n],
    ['a float', hex('72 bfc00000'), -1.5],
    ['a double', hex('82 3fb999999999999a'), 0.1],
    ['a char', hex('73 0001f600'), '\u{1f600}'],
    ['a string', str('dé'), 'dé'],
    ['a long string', variable(0xa1, Buffer.from('a'), true), 'a'],
    ['a symbol', sym('s'), 's'],
    ['a long symbol', variable(0xa3, Buffer.from('s'), true), 's'],
    ['a uuid', hex(`98 ${UUID}`), { kind: 'uuid', hex: UUID }],
    ['a timestamp', timestamp(-1n), { kind: 'timestamp', ms: -1 }],
  ])('is what it is: %s [SQL-18, MSG-11]', (_, encoded, value) => {
    expect(read(encoded)).toEqual(value);
  });

  it('is a duration when it is a time span of .NET, and is written as one again', () => {
    for (const ticks of [0n, -1n, 2n ** 62n]) {
      const encoded = described(sym('com.microsoft:timespan'), long(ticks));
      expect(read(encoded)).toEqual({ kind: 'duration', ticks });
      expect(read(Buffer.from(encodeRuleValue({ kind: 'duration', ticks })))).toEqual({
        kind: 'duration',
        ticks,
      });
    }
  });

  it.each([
    ['.NET', 250n, -2, '0c3c00000000000000000000000000fa'],
    ['.NET', -25n, -1, '8c3e0000000000000000000000000019'],
    ['.NET', 2n ** 96n - 1n, 0, '0c400000ffffffffffffffffffffffff'],
    ['.NET', 1n, -28, '0c080000000000000000000000000001'],
    ['Python', 250n, -2, '303c00000000000000000000000000fa'],
    ['Python', -25n, -1, 'b03e0000000000000000000000000019'],
    ['Python', 2n ** 96n - 1n, 0, '30400000ffffffffffffffffffffffff'],
    ['Python', 1n, 5, '304a0000000000000000000000000001'],
  ])('is a decimal as %s writes it: %s with the exponent %s [SQL-15]', (_, digits, exponent, bytes) => {
    const encoded = hex(`94 ${bytes}`);
    expect(read(encoded)).toEqual({ kind: 'decimal', digits, exponent, encoded });
    expect(Buffer.from(encodeRuleValue(read(encoded)))).toEqual(encoded);
  });

  it.each([
    ['a binary', bin(hex('01'))],
    ['a decimal of 32 bits', hex('74 32800001')],
    ['a decimal that is infinite', hex('94 78000000000000000000000000000000')],
    ['a list', list([str('a')])],
    ['a described value', described(sym('com.microsoft:uri'), str('a'))],
    ['a described value that is not a long', described(sym('com.microsoft:timespan'), str('a'))],
    ['a char that is no character', hex('73 00110000')],
    ['a timestamp that a number would round', timestamp(2n ** 53n + 1n)],
  ])('is only copied when it is %s [MSG-11]', (_, encoded) => {
    expect(read(encoded)).toEqual(other(encoded));
    expect(Buffer.from(encodeRuleValue(read(encoded)))).toEqual(encoded);
  });

  it('may be of any type and encoding: none is refused, and no byte of what is copied is lost [MSG-11]', () => {
    const counts = { other: 0, text: 0 };
    fc.assert(
      fc.property(fc.oneof(anyScalar, anyValue), (encoded) => {
        const value = read(encoded);
        const again = Buffer.from(encodeRuleValue(value));
        expect(read(again)).toEqual(value);
        if (typeof value === 'object' && value?.kind === 'other') {
          counts.other++;
          expect(again).toEqual(encoded);
        }
        if (typeof value === 'string' && encoded[0] === 0xa1) {
          counts.text++;
          expect(textOf(again)).toBe(value);
        }
      }),
      { numRuns: 1000 },
    );
    expect(counts.other).toBeGreaterThan(0);
    expect(counts.text).toBeGreaterThan(0);
  });
});

describe('a value that an action stores', () => {
  it.each<[RuleValue, Buffer]>([
    [null, NULL],
    [true, hex('41')],
    [false, hex('42')],
    ['text', str('text')],
    ['x'.repeat(300), str('x'.repeat(300))],
    [0n, hex('55 00')],
    [-128n, hex('55 80')],
    [128n, long(128n)],
    [2n ** 63n - 1n, long(2n ** 63n - 1n)],
    [-(2n ** 63n), long(-(2n ** 63n))],
    [2n ** 63n, ulong(2n ** 63n)],
    [1, hex('82 3ff0000000000000')],
    [{ kind: 'uuid', hex: UUID }, hex(`98 ${UUID}`)],
    [{ kind: 'timestamp', ms: 1_763_700_000_123 }, timestamp(1_763_700_000_123n)],
    [other(bin(hex('0102'))), bin(hex('0102'))],
  ])('has the AMQP type of its own: %o [ACT-03]', (value, encoded) => {
    expect(Buffer.from(encodeRuleValue(value))).toEqual(encoded);
  });

  it('does not keep alive the message it was copied from', () => {
    const content = Buffer.concat([bin(hex('01')), Buffer.alloc(60_000)]);
    for (const value of [ruleValueAt(content, 0), 'text', 7n]) {
      const encoded = encodeRuleValue(value);
      expect(encoded.buffer.byteLength).toBe(encoded.length);
    }
  });
});
