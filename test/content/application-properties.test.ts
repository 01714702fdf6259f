// What the broker learns of application properties: the size of the largest, and the first that may not be.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMessage } from '../../src/content/read-message.js';
import { anySentScalar, anyValue } from '../support/frame-arbitraries.js';
import {
  arrayOf,
  bin,
  described,
  hex,
  list,
  map,
  NULL,
  str,
  sym,
  uint,
  variable,
} from '../support/frame-encoder.js';
import { section } from '../support/frame-message.js';

type Entry = readonly [Buffer, Buffer];
const read = (entries: readonly Entry[], isWide = false) => readMessage(section(0x74, map(entries, isWide)));
const named = (values: readonly Buffer[]) => values.map((value, index): Entry => [str(`p${index}`), value]);

const timespan = described(sym('com.microsoft:timespan'), hex('81 0000000000000001'));
const LIST = list([uint(1)]);
const MAP = map([[str('k'), uint(1)]]);
const ARRAY = arrayOf(hex('52'), [hex('01'), hex('02')]);

describe('an application property', () => {
  it('may be every scalar but a binary, described or not, and null [SND-16, MSG-11]', () => {
    const described_ = anySentScalar.map((value) => described(sym('com.microsoft:uri'), value));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anySentScalar, described_), { maxLength: 8 }),
        fc.boolean(),
        (values, isWide) => {
          expect(read(named(values), isWide).unsupportedProperty).toBeUndefined();
        },
      ),
    );
    expect(read(named([NULL, timespan])).unsupportedProperty).toBeUndefined();
  });

  it.each([
    ['list', LIST],
    ['list', list([])],
    ['list', list([uint(1)], true)],
    ['list', described(sym('d'), LIST)],
    ['list', described(sym('d'), described(LIST, list([])))],
    ['map', MAP],
    ['map', map([], true)],
    ['map', described(sym('d'), MAP)],
    ['array', ARRAY],
    ['array', arrayOf(hex('a1'), [], true)],
    ['array', described(uint(1), ARRAY)],
    ['binary', bin(hex('01'))],
    ['binary', variable(0xa0, hex(''), true)],
    ['binary', described(sym('d'), bin(hex('01')))],
  ])('may not be a %s: %#, and the first such one is named [SND-16, MSG-11]', (type, value) => {
    const entries: Entry[] = [
      [str('fine'), timespan],
      [str('wröng'), value],
      [str('wrong too'), type === 'map' ? LIST : MAP],
    ];
    expect(read(entries).unsupportedProperty).toEqual({ name: 'wröng', type });
    expect(read([...entries].reverse()).unsupportedProperty?.name).toBe('wrong too');
  });

  it('is named also when its key is long, a symbol, or no text at all [SND-16]', () => {
    const long = 'n'.repeat(300);
    expect(read([[str(long), LIST]]).unsupportedProperty?.name).toBe(long);
    expect(read([[sym('s'), LIST]]).unsupportedProperty?.name).toBe('s');
    expect(read([[uint(1), LIST]]).unsupportedProperty).toEqual({ name: '', type: 'list' });
  });

  it('that is made of values elsewhere in the message is none [SND-16, MSG-03]', () => {
    const bytes = Buffer.concat([
      section(0x71, map([[sym('d'), LIST]])),
      section(0x72, map([[sym('m'), MAP]])),
      section(0x77, LIST),
      section(0x78, map([[sym('f'), ARRAY]])),
    ]);
    expect(readMessage(bytes)).toMatchObject({ unsupportedProperty: undefined, largestPropertyBytes: 0 });
  });
});

describe('the size of the largest application property', () => {
  it('is that of its value as encoded, constructor and descriptor included, and not of its name [MSG-08]', () => {
    fc.assert(
      fc.property(fc.array(anyValue, { maxLength: 8 }), fc.boolean(), (values, isWide) => {
        const largest = Math.max(0, ...values.map((value) => value.length));
        expect(read(named(values), isWide).largestPropertyBytes).toBe(largest);
      }),
    );
    expect(read([[str('n'.repeat(300)), uint(1)]]).largestPropertyBytes).toBe(2);
    expect(read([[str('k'), str('v'.repeat(32 * 1024))]]).largestPropertyBytes).toBe(32 * 1024 + 5);
  });

  it('is 0 where there are none [MSG-08]', () => {
    expect(read([]).largestPropertyBytes).toBe(0);
    expect(readMessage(hex('')).largestPropertyBytes).toBe(0);
  });
});
