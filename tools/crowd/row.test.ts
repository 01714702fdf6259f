// Tests of when a row of the report is good.

import { expect, test } from 'vitest';
import { problemsOf, type Row, reportOf } from './row.js';

const GOOD: Row = {
  attack: 'garbage',
  waitP99Ms: 249,
  longestWaitMs: 400,
  memoryMb: { before: 60, highest: 210, after: 70 },
  told: 'nothing',
};

test('a row within the limits is good', () => {
  expect(problemsOf(GOOD)).toEqual([]);
  expect(reportOf(GOOD)).toMatch(
    /^garbage .* p99 249\.0 ms, longest 400\.0 ms · memory 60, 210, 70 MB · nothing · ok$/,
  );
});

test.each([
  ['p99 is 250 ms', { waitP99Ms: 250 }],
  ['memory rose by 151 MB', { memoryMb: { before: 60, highest: 211, after: 60 } }],
  ['memory is after 10 s still higher by 160 MB', { memoryMb: { before: 60, highest: 100, after: 220 } }],
])('%s: the row says so', (problem, change) => {
  expect(problemsOf({ ...GOOD, ...change })).toEqual([expect.stringContaining(problem)]);
});
