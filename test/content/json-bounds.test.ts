// How many levels and values a JSON text from outside may have.

import { expect, test } from 'vitest';
import { isWithinJsonBounds } from '../../src/content/json-bounds.js';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const list = (count: number) => `[${'1,'.repeat(count - 1)}1]`;

test.each([
  [true, 'levels up to 100', nested(100)],
  [false, 'more levels', nested(101)],
  [false, 'levels that never end', '{"a":'.repeat(20_000)],
  [true, 'any number of brackets in a text', JSON.stringify(nested(101))],
  [true, 'brackets behind a quote in a text', JSON.stringify(`"${nested(101)}\\"`)],
  [false, 'brackets behind a text that ends in a backslash', `["\\\\",${nested(100)}]`],
  [true, 'one list after the other', `[${Array(1000).fill('[[]]')}]`],
  [true, 'values up to 100,000, with that of the list', list(99_999)],
  [false, 'more values', list(100_000)],
])('%s: %s', (isWithin, _, json) => {
  expect(isWithinJsonBounds(json)).toBe(isWithin);
});
