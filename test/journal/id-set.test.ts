// A set of ids as bits: the same answers as a plain set.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IdSet } from '../../src/journal/id-set.js';

const id = fc.oneof(fc.nat(40), fc.constantFrom(8191, 8192, 2 ** 31, 2 ** 32 + 7, 2 ** 40), fc.maxSafeNat());

test('it has the ids that were added, and no others', () => {
  fc.assert(
    fc.property(fc.array(id), fc.array(id), (added, others) => {
      const ids = new IdSet();
      const expected = new Set(added);
      for (const each of added) ids.add(each);
      for (const each of [...added, ...others]) expect(ids.has(each)).toBe(expected.has(each));
      expect([...ids].sort()).toEqual([...expected].sort());
    }),
  );
});
