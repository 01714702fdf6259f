// Sources, targets and coordinators as the SDKs write them.

import { describe, expect, it } from 'vitest';
import { DecodeError } from '../../src/codec/decode-error.js';
import { entryOf, textOf } from '../../src/codec/read-value.js';
import { answeredSource, decodeTerminus } from '../../src/codec/terminus.js';
import { amqp } from '../../src/codec/types.js';
import { items } from '../support/frame-decoder.js';
import {
  arrayOf,
  described,
  hex,
  list,
  map,
  NULL,
  smallUlong,
  str,
  sym,
  uint,
  wideUlong,
} from '../support/frame-encoder.js';

const coordinator = list([arrayOf(hex('a3'), [hex('0161')])]);

describe('a terminus', () => {
  it.each([
    ['source', 0x28, 'amqp:source:list'],
    ['target', 0x29, 'amqp:target:list'],
  ])('%s is read by its code, its wide code and its symbol', (kind, code, symbol) => {
    for (const descriptor of [smallUlong(code), wideUlong(BigInt(code)), sym(symbol)]) {
      const bytes = described(descriptor, list([str('queue/$management')]));
      expect(decodeTerminus(bytes)).toEqual({
        kind,
        address: 'queue/$management',
        durable: 0,
        expiryPolicy: undefined,
        dynamic: false,
        distributionMode: undefined,
        filter: undefined,
      });
    }
  });

  it('may be a transaction coordinator, which has no address', () => {
    for (const descriptor of [smallUlong(0x30), sym('amqp:coordinator:list')]) {
      expect(decodeTerminus(described(descriptor, coordinator))).toMatchObject({
        kind: 'coordinator',
        address: undefined,
      });
    }
  });

  it('may leave out everything, or be absent itself', () => {
    expect(decodeTerminus(described(smallUlong(0x28), list([])))).toMatchObject({
      address: undefined,
      dynamic: false,
    });
    expect(decodeTerminus(undefined)).toBeUndefined();
  });

  it('keeps the filter of a source with its types, described or not', () => {
    const session = described(wideUlong(0x137000000cn), str('s1'));
    const filter = map([
      [sym('com.microsoft:session-filter'), session],
      [sym('plain'), str('s2')],
    ]);
    const fields = [str('q'), uint(0), sym('never'), uint(0), hex('41'), NULL, sym('move'), filter];
    const source = decodeTerminus(described(smallUlong(0x28), list(fields)));
    expect(source?.dynamic).toBe(true);
    const found = entryOf(source?.filter, 'com.microsoft:session-filter');
    expect([textOf(found), found?.descriptor?.value]).toEqual(['s1', 0x137000000c]);
    expect(entryOf(source?.filter, 'plain')?.descriptor).toBeUndefined();
  });

  it.each([
    ['a code that is none', described(smallUlong(0x27), list([])), '39 is not a source or target'],
    ['a symbol that spells a code', described(sym('40'), list([])), '40 is not a source or target'],
    [
      'a symbol named like a property of every object',
      described(sym('constructor'), list([])),
      'constructor is not a source or target',
    ],
    ['no description', str('queue'), 'a described value is expected'],
    [
      'an address that is no string',
      described(smallUlong(0x28), list([uint(1)])),
      'source.address has type 0x52',
    ],
    [
      'a filter that is no map',
      described(smallUlong(0x28), list([...new Array(7).fill(NULL), list([NULL])])),
      'source.filter has type 0xc0',
    ],
    [
      'too many fields',
      described(smallUlong(0x29), list(new Array(8).fill(NULL))),
      'target has 8 fields, 7 are known',
    ],
  ])('is refused: %s', (_name, bytes, message) => {
    expect(() => decodeTerminus(bytes)).toThrow(DecodeError);
    expect(() => decodeTerminus(bytes)).toThrow(message);
  });
});

describe('a source with another filter', () => {
  const rest = [hex('41'), NULL, arrayOf(hex('a3'), [hex('0161')])];
  const front = [str('q'), uint(2), sym('never'), uint(5), hex('42'), NULL, sym('move')];
  const filter = map([[sym('a'), described(wideUlong(0x137000000cn), str('b'))]]);

  it.each([
    ['a code', smallUlong(0x28)],
    ['a wide code', wideUlong(0x28n)],
    ['a symbol', sym('amqp:source:list')],
  ])('that is described by %s keeps all else as it was encoded', (_name, descriptor) => {
    for (const isWide of [false, true]) {
      const source = described(descriptor, list([...front, filter, ...rest], isWide));
      const replaced = answeredSource(source, {
        filter: amqp.map([[amqp.symbol('c'), amqp.string('d')]]),
        keepsMode: true,
      });
      expect(items(replaced).toSpliced(7, 1)).toEqual([...front, ...rest]);
      expect(replaced.subarray(0, descriptor.length + 1)).toEqual(source.subarray(0, descriptor.length + 1));
      expect(textOf(entryOf(decodeTerminus(replaced)?.filter, 'c'))).toBe('d');
      expect(items(answeredSource(source, { filter: undefined, keepsMode: true }))).toEqual([
        ...front,
        NULL,
        ...rest,
      ]);
    }
  });

  it('may end with it', () => {
    const source = described(smallUlong(0x28), list([...front, filter]));
    expect(items(answeredSource(source, { filter: undefined, keepsMode: true }))).toEqual([...front, NULL]);
  });
});
