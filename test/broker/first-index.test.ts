// The binary search that all ordered lists share.

import { expect, it } from 'vitest';
import { firstIndex } from '../../src/broker/collections/first-index.js';

it('finds the first index that is not below, in lists of any length, and looks at few', () => {
  for (let length = 0; length <= 130; length++) {
    for (let first = 0; first <= length; first++) {
      let looks = 0;
      let last = -1;
      const isBelow = (index: number) => {
        looks += 1;
        last = Math.max(last, index);
        return index < first;
      };
      expect(firstIndex(length, isBelow)).toBe(first);
      expect(looks).toBeLessThanOrEqual(8);
      expect(last).toBeLessThan(length);
    }
  }
});
