// The properties a settlement sets, with the types they came with.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyChangesOf } from '../../src/content/property-changes.js';
import { anyValue } from '../support/frame-arbitraries.js';
import { described, hex, map, NULL, str, sym, uint } from '../support/frame-encoder.js';

describe('the property changes of a settlement', () => {
  it('are none when there is no map, or an empty one', () => {
    expect(propertyChangesOf(undefined)).toEqual([]);
    expect(propertyChangesOf(map([]))).toEqual([]);
  });

  it('have the names of string and of symbol keys, short and long [SET-07]', () => {
    const long = 'k'.repeat(300);
    const changes = propertyChangesOf(
      map(
        [
          [str('a'), uint(1)],
          [sym('ü'), uint(2)],
          [sym(long), uint(3)],
        ],
        true,
      ),
    );
    expect(changes.map(({ name }) => name)).toEqual(['a', 'ü', long]);
  });

  it('have every value as it was encoded [SET-07, MSG-11]', () => {
    fc.assert(
      fc.property(fc.array(anyValue, { maxLength: 5 }), fc.boolean(), (values, isWide) => {
        const entries = values.map((value, index) => [sym(`k${index}`), value] as const);
        const changes = propertyChangesOf(map(entries, isWide));
        expect(changes.map(({ value }) => Buffer.from(value ?? ''))).toEqual(values);
      }),
    );
  });

  it('have the dead-letter reason and description as whatever text they came [DLQ-05]', () => {
    const changes = propertyChangesOf(
      map([
        [sym('DeadLetterReason'), str('r')],
        [str('DeadLetterErrorDescription'), sym('d')],
      ]),
    );
    expect(changes.map(({ name, value }) => [name, Buffer.from(value ?? '')])).toEqual([
      ['DeadLetterReason', str('r')],
      ['DeadLetterErrorDescription', sym('d')],
    ]);
  });

  it('leave out a reason and description that are null, which is how SDKs say none was given', () => {
    const info = map([
      [str('DeadLetterReason'), NULL],
      [str('DeadLetterErrorDescription'), NULL],
      [str('other'), NULL],
    ]);
    expect(propertyChangesOf(info)).toEqual([{ name: 'other', value: new Uint8Array([0x40]) }]);
  });

  it('leave out keys that are no text', () => {
    const annotations = map([
      [hex('5301'), uint(1)],
      [NULL, uint(2)],
      [described(sym('d'), str('k')), uint(3)],
      [sym('k'), uint(4)],
    ]);
    expect(propertyChangesOf(annotations).map(({ name }) => name)).toEqual(['k']);
  });

  it('do not keep alive the larger buffer they came in', () => {
    const page = Buffer.concat([map([[sym('k'), str('value')]]), Buffer.alloc(60_000)]);
    const [change] = propertyChangesOf(page.subarray(0, 13));
    expect(change?.value).toHaveProperty('buffer.byteLength', 7);
  });
});
