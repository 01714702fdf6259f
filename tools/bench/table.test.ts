// How the tables of the benchmark look.

import { expect, test } from 'vitest';
import { formatTable } from './table.js';

test('a table is Markdown whose columns line up, text on the left and figures on the right', () => {
  const table = formatTable(
    ['scenario', 'N'],
    [
      ['awaited sends', '3,272'],
      ['arrays', '90,790'],
    ],
  );
  expect(table.split('\n')).toEqual([
    '| scenario      |      N |',
    '|---------------|-------:|',
    '| awaited sends |  3,272 |',
    '| arrays        | 90,790 |',
  ]);
});
