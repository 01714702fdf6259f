// The scanner against well-formed values of every type and against bytes made to hurt.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError } from '../../src/codec/decode-error.js';
import { MAX_DEPTH, scanValue } from '../../src/codec/scan.js';
import { anyValue } from '../support/frame-arbitraries.js';
import { arrayOf, described, hex, list, map, NULL, smallUlong, str, sym } from '../support/frame-encoder.js';

const scan = (bytes: Buffer) => scanValue(bytes, 0, bytes.length);
const refusal = (bytes: Buffer, end = bytes.length): string => {
  try {
    scanValue(bytes, 0, end);
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError);
    return (error as DecodeError).message;
  }
  return 'accepted';
};
const nested = (depth: number, wrap: (inner: Buffer) => Buffer) => {
  let value = NULL;
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
};

describe('the scanner', () => {
  it('finds the end of every well-formed value', () => {
    fc.assert(
      fc.property(anyValue, fc.uint8Array({ maxLength: 5 }), (value, behind) => {
        const bytes = Buffer.concat([value, behind]);
        expect(scanValue(bytes, 0, bytes.length)).toBe(value.length);
      }),
    );
  });

  it('refuses every value that is cut short, wherever the cut is', () => {
    fc.assert(
      fc.property(anyValue, fc.nat(), (value, cut) => {
        expect(refusal(value, cut % value.length)).not.toBe('accepted');
      }),
    );
  });

  it('throws nothing but DecodeError at random bytes, and never reads past the end', () => {
    let acceptedCount = 0;
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (random) => {
        const bytes = Buffer.from(random);
        const outcome = refusal(bytes);
        if (outcome !== 'accepted') return;
        acceptedCount++;
        expect(scan(bytes)).toBeLessThanOrEqual(bytes.length);
      }),
      { numRuns: 2000 },
    );
    expect(acceptedCount).toBeGreaterThan(0);
  });

  it('refuses sizes and counts that do not fit each other', () => {
    expect(scan(hex('c0 04 01 a1 01 61'))).toBe(6);
    expect(scan(hex('e0 04 02 50 01 02'))).toBe(6);
    for (const [name, bytes] of Object.entries({
      'size too large': hex('c0 05 01 a1 01 61 40'),
      'size too small': hex('c0 03 01 a1 01 61'),
      'size smaller than the count field': hex('d0 00000003 00000000'),
      'count too large': hex('c0 04 02 a1 01 61'),
      'count too small': hex('c0 05 01 41 41 41 41'),
      'array size too large': hex('e0 05 02 50 01 02 03'),
      'array size too small': hex('e0 03 02 50 01 02'),
      'array count too small': hex('e0 04 01 50 01 02'),
      'array count too large': hex('e0 04 03 50 01 02'),
      'array without constructor': hex('e0 01 00'),
      'array of nothing': hex('e0 00'),
    })) {
      expect(refusal(bytes), name).not.toBe('accepted');
    }
  });

  it('refuses type codes that do not exist', () => {
    const known = new Set(
      '40 41 42 43 44 45 50 51 52 53 54 55 56 60 61 70 71 72 73 74 80 81 82 83 84 94 98 a0 a1 a3 b0 b1 b3 c0 c1 d0 d1 e0 f0 00'.split(
        ' ',
      ),
    );
    for (let code = 0; code < 256; code++) {
      const digits = code.toString(16).padStart(2, '0');
      if (known.has(digits)) continue;
      expect(refusal(Buffer.concat([Buffer.from([code]), Buffer.alloc(300)]))).toBe(
        `0x${digits} is not an AMQP type`,
      );
    }
  });

  it('refuses a map with a key that has no value', () => {
    expect(refusal(hex('c1 03 01 a1 00'))).toBe('a map has an odd number of items: 1');
  });

  it('refuses a boolean byte that is neither 0 nor 1, also inside an array', () => {
    expect(refusal(hex('56 02'))).toBe('a boolean is neither 0 nor 1');
    expect(refusal(arrayOf(hex('56'), [hex('01'), hex('02')]))).toBe('a boolean is neither 0 nor 1');
    expect(scan(arrayOf(hex('56'), [hex('01'), hex('00')]))).toBe(6);
  });

  it('refuses ten bytes that claim twenty million nulls', () => {
    expect(refusal(hex('f0 00000005 01312d00 40'))).toBe(
      'an array claims 20000000 elements that take no bytes',
    );
  });

  it('bounds the elements without bytes over a whole value, not array by array', () => {
    const manyNulls = hex('f0 00000005 0000ffff 40');
    expect(scan(list([manyNulls]))).toBe(13);
    expect(refusal(list([manyNulls, manyNulls]))).toMatch(/elements that take no bytes/);
    const emptyLists = hex('f0 00000005 7fffffff 45');
    expect(refusal(emptyLists)).toMatch(/elements that take no bytes/);
  });

  it('refuses a list of four billion items that is a few bytes long', () => {
    expect(refusal(hex('d0 00000005 ffffffff 40'))).toMatch(/cut short/);
    expect(refusal(hex('d1 00000006 fffffffe 40 40'))).toMatch(/cut short/);
    expect(refusal(hex('b0 ffffffff 00'))).toMatch(/cut short by 4294967294 bytes/);
  });

  it('refuses 60,000 descriptors inside each other without overflowing the stack', () => {
    expect(refusal(Buffer.concat([Buffer.alloc(60_000), NULL]))).toMatch(/nested deeper/);
    const chain = Buffer.concat([...new Array(60_000).fill(hex('00 5301')), NULL]);
    expect(refusal(chain)).toMatch(/nested deeper/);
  });

  it('takes lists, maps, arrays and descriptors to the depth limit and none beyond', () => {
    const wraps: Readonly<Record<string, (inner: Buffer) => Buffer>> = {
      lists: (inner) => list([inner]),
      maps: (inner) => map([[sym('k'), inner]]),
      descriptions: (inner) => described(smallUlong(1), inner),
      descriptors: (inner) => described(inner, NULL),
    };
    for (const [name, wrap] of Object.entries(wraps)) {
      expect(refusal(nested(MAX_DEPTH, wrap)), name).toBe('accepted');
      expect(refusal(nested(MAX_DEPTH + 1, wrap)), name).toMatch(/nested deeper/);
    }
    const arrays = nested(MAX_DEPTH * 3, (inner) => arrayOf(inner.subarray(0, 1), [inner.subarray(1)], true));
    expect(refusal(arrays)).toMatch(/nested deeper/);
  });

  it('walks arrays of described values, of lists and of arrays', () => {
    const point = described(sym('point'), hex('c0'));
    const ofLists = arrayOf(point, [list([str('a')]).subarray(1), list([NULL, NULL]).subarray(1)]);
    const ofArrays = arrayOf(hex('e0'), [
      ofLists.subarray(1),
      arrayOf(hex('71'), [hex('00000001')]).subarray(1),
    ]);
    expect(scan(ofLists)).toBe(ofLists.length);
    expect(scan(ofArrays)).toBe(ofArrays.length);
    expect(refusal(arrayOf(point, [hex('02 02 40')]))).not.toBe('accepted');
  });

  it('keeps within the end it is given although the buffer goes on', () => {
    const bytes = hex('a1 05 68656c6c6f');
    expect(refusal(bytes, 6)).toBe('a value of type 0xa1 is cut short by 1 bytes');
    expect(refusal(bytes, 0)).toBe('a value is cut short: its constructor is missing');
  });
});
