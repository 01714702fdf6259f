// Reading what a decoded value holds: each reader answers for its own type and for no other.

import { describe, expect, it } from 'vitest';
import {
  booleanOf,
  bytesOf,
  entriesOf,
  entryOf,
  integerOf,
  itemsOf,
  textOf,
  timestampOf,
  uuidOf,
} from '../../src/codec/read-value.js';
import { decodeValue } from '../../src/codec/types.js';
import { arrayOf, bin, hex, list, map, NULL, str, sym, timestamp, uint } from '../support/frame-encoder.js';

const uuid = '00112233445566778899aabbccddeeff';
const SAMPLES: Readonly<Record<string, Buffer>> = {
  null: NULL,
  true: hex('41'),
  text: str('5'),
  symbol: sym('s'),
  binary: bin(hex('01')),
  uint: uint(5),
  timestamp: timestamp(5n),
  uuid: hex(`98 ${uuid}`),
  char: hex('73 00000041'),
  double: hex('82 3ff0000000000000'),
  list: list([uint(1)]),
  map: map([[str('k'), uint(1)]]),
  array: arrayOf(hex('52'), [hex('01')]),
};
const READERS = { textOf, integerOf, timestampOf, booleanOf, bytesOf, uuidOf, itemsOf, entriesOf };
const READ_BY: Readonly<Record<keyof typeof READERS, readonly string[]>> = {
  textOf: ['text', 'symbol'],
  integerOf: ['uint'],
  timestampOf: ['timestamp'],
  booleanOf: ['true'],
  bytesOf: ['binary'],
  uuidOf: ['uuid'],
  itemsOf: ['list', 'array'],
  entriesOf: ['map'],
};

describe('reading a decoded value', () => {
  it.each(Object.keys(READERS) as (keyof typeof READERS)[])(
    '%s answers for its own types and no other',
    (name) => {
      for (const [type, bytes] of Object.entries(SAMPLES)) {
        const found = READERS[name](decodeValue(bytes));
        expect(found !== undefined, type).toBe(READ_BY[name].includes(type));
      }
      expect(READERS[name](undefined)).toBeUndefined();
    },
  );

  it('reads every encoding of an integer', () => {
    const encodings =
      '43 0, 5205 5, 7000000100 256, 44 0, 5307 7, 800000000000000009 9, 5001 1, 51ff -1, 600102 258, 61fffe -2, 54fd -3, 71ffffff00 -256, 55fc -4, 81fffffffffffffffb -5';
    for (const encoding of encodings.split(', ')) {
      const [bytes = '', value] = encoding.split(' ');
      expect(integerOf(decodeValue(hex(bytes))), bytes).toBe(Number(value));
    }
  });

  it('reads every encoding of a boolean', () => {
    expect(['41', '42', '5601', '5600'].map((bytes) => booleanOf(decodeValue(hex(bytes))))).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('reads a uuid as digits in the order they are read', () => {
    expect(uuidOf(decodeValue(hex(`98 ${uuid}`)))).toBe(uuid);
  });

  it('finds an entry of a map by its string or symbol, null ones included', () => {
    const value = decodeValue(
      map([
        [str('a'), uint(1)],
        [sym('b'), str('x')],
        [uint(1), uint(2)],
        [str('n'), NULL],
      ]),
    );
    expect(integerOf(entryOf(value, 'a'))).toBe(1);
    expect(textOf(entryOf(value, 'b'))).toBe('x');
    expect(entryOf(value, 'n')?.value).toBeNull();
    expect(entryOf(value, '1')).toBeUndefined();
    expect(entryOf(undefined, 'a')).toBeUndefined();
    expect(entriesOf(value)).toHaveLength(4);
  });
});
