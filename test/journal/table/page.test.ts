// Changes grouped by pages: the last change of a row counts, with and without a look into its key.

import { expect, test } from 'vitest';
import type { RowChange } from '../../../src/journal/log/record.js';
import { GroupedChanges, type PageChanges } from '../../../src/journal/table/page.js';
import {
  messageKey,
  messagePageStart,
  pageKeyOf,
  sequenceKey,
} from '../../../src/journal/table/rows/keys.js';

const START = messagePageStart(7, 3);
const PAGE = pageKeyOf(messageKey(7, 300));

function changesIn(page: PageChanges | undefined): (readonly [number, string | undefined])[] {
  return [...(page ?? [])].sort(([a], [b]) => a - b);
}

test.each([
  ['unknown', (index: number, text?: string): RowChange => [messageKey(7, 300 + index), text]],
  ['known', (index: number, text?: string): RowChange => [messageKey(7, 300 + index), text, START, index]],
])('rows go to their pages when the page is %s', (_, row) => {
  const grouped = new GroupedChanges([row(5, 'a'), row(2, 'b'), row(5, 'c'), row(9), row(3, 'd')]);
  expect(changesIn(grouped.pages.get(PAGE))).toEqual([
    [2, 'b'],
    [3, 'd'],
    [5, 'c'],
    [9, undefined],
  ]);
  expect([grouped.textOf(row(5)), grouped.textOf(row(9)), grouped.textOf(row(1))]).toEqual([
    'c',
    undefined,
    undefined,
  ]);
  for (const index of [2, 3, 5, 5, 9]) grouped.drop(row(index));
  expect([grouped.pages.get(PAGE)?.size, grouped.isEmpty]).toEqual([0, true]);
});

test('the key of a row whose page is known is not read', () => {
  const grouped = new GroupedChanges([[messageKey(7, 300), 'a', START, 0]]);
  grouped.add(['never read', 'b', START, 1]);
  expect(changesIn(grouped.pages.get(PAGE))).toEqual([
    [0, 'a'],
    [1, 'b'],
  ]);
});

test('rows of their own and rows of several pages may come in any order', () => {
  const counter = sequenceKey(7, 0);
  const grouped = new GroupedChanges([
    [messageKey(7, 300), 'a', START, 0],
    [counter, '4'],
    [messageKey(8, 300), 'b', messagePageStart(8, 3), 0],
    [messageKey(7, 301), 'c', START, 1],
    [messageKey(8, 301), 'd'],
    [counter, '5'],
  ]);
  expect([...grouped.rows]).toEqual([[counter, '5']]);
  expect([...grouped.pages.values()].map(changesIn)).toEqual([
    [
      [0, 'a'],
      [1, 'c'],
    ],
    [
      [0, 'b'],
      [1, 'd'],
    ],
  ]);
});
