// The options of the benchmark: what they mean, and what is said of those that make no sense.

import { expect, test } from 'vitest';
import { readOptions } from './options.js';

test('without options everything is measured in 11 rounds, and --quick takes 4', () => {
  expect(readOptions([])).toMatchObject({ part: undefined, roundCount: 11 });
  expect(readOptions(['--quick'])).toMatchObject({ part: undefined, roundCount: 4 });
});

test('a part has a flag of its own, and a number of rounds goes before --quick', () => {
  expect(readOptions(['--peers', '--quick', '--rounds', '7'])).toMatchObject({
    part: 'peers',
    roundCount: 7,
  });
  expect(readOptions(['--ways-in'])).toMatchObject({ part: 'ways-in' });
});

test.each([
  [['--peers', '--million'], '--million and --peers cannot be measured in one run; take one of them'],
  [['--rounds', '0'], "--rounds must be a whole number of at least 1, and is '0'"],
  [['--rounds', 'many'], "--rounds must be a whole number of at least 1, and is 'many'"],
  [['--messages', '150'], "--messages must be a multiple of 200 of at least 200, and is '150'"],
  [['--count', '100'], "--count must be a multiple of 200 of at least 1000, and is '100'"],
  [['--peer'], "Unknown option '--peer'"],
])('%j is refused with the reason', (args, problem) => {
  expect(readOptions(args)).toEqual({ problem: expect.stringContaining(problem) });
});
