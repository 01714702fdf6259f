// The middle of several rounds.

import { expect, test } from 'vitest';
import { median } from './statistics.js';

test('the median is the middle of the sorted values, however far off the others are', () => {
  expect(median([9, 1, 1000])).toBe(9);
});

test('the median of an even number of values lies between the two in the middle', () => {
  expect(median([40, 10, 20, 30])).toBe(25);
});

test('there is no median of nothing', () => {
  expect(() => median([])).toThrow('no median');
});
