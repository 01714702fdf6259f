// The problems of a value with many parts.

import { expect, test } from 'vitest';
import { readAllParts, ValueError } from '../../src/description/value-error.js';

test('a value that is wrong in thousands of places is read as far as its first hundred problems', () => {
  let readCount = 0;
  const wrong = () => {
    readCount += 1;
    throw new ValueError('must be right');
  };
  expect(() => readAllParts(Array(5000).fill(wrong))).toThrow(/^must be right(; must be right){99}$/);
  expect(readCount).toBe(100);
});
