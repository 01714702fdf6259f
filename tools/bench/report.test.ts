// The tables of the benchmark: whose figure stands where, and which ratio is judged.

import { expect, test } from 'vitest';
import { compare, formatTable, median } from './report.js';
import type { Figures } from './rounds.js';
import type { Scenario } from './scenarios.js';

const SENDS: Scenario = { title: 'sends', action: 'awaited', messageCount: 1, bodyBytes: 1, target: 2 };
const RECEIVES: Scenario = { title: 'receives', action: 'receive', messageCount: 1, bodyBytes: 1 };
const N = { title: 'N', broker: 'null' } as const;
const JITNEY = { title: 'Jitney', broker: 'jitney' } as const;

/** Each round with the rate of the null broker and that of Jitney. */
function figures(...rates: readonly (readonly [ofNull: number, ofJitney: number])[]): Figures {
  const held = { startMs: [2], idleBytes: 1e6, residentBytes: 2e6, diskBytes: 0 };
  return {
    rounds: rates.map((round) =>
      [SENDS, RECEIVES].flatMap((scenario) =>
        (['null', 'jitney'] as const).map((broker, index) => {
          const messagesPerSecond = round[index] ?? 0;
          return { broker, scenario, messagesPerSecond, microsecondsPerMessage: 7 };
        }),
      ),
    ),
    holdings: new Map([
      ['null', held],
      ['jitney', { ...held, startMs: [20] }],
    ]),
  };
}

function cells(table: string, title: string): string[] | undefined {
  const lines = table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  return lines.find((line) => line[1] === title)?.slice(2, -1);
}

test('a ratio stands beside its target, and says when it is below', () => {
  const judged = { ...JITNEY, isJudged: true };
  expect(cells(compare(figures([1000, 2500]), '', N, [judged]), 'sends')).toEqual([
    '1,000/s',
    '2,500/s',
    '2.50',
    '≥ 2',
    'ok',
  ]);
  expect(cells(compare(figures([1000, 1900]), '', N, [judged]), 'sends')?.at(-1)).toBe('below');
  expect(cells(compare(figures([1000, 1900]), '', N, [judged]), 'receives')?.slice(2)).toEqual([
    '1.90',
    '',
    '',
  ]);
  expect(
    cells(compare(figures([1000, 1900]), '', N, [{ ...JITNEY, isJudged: 0.97 }]), 'sends')?.slice(3),
  ).toEqual(['≥ 0.97', 'ok']);
});

test('a column that is not judged has no target, and what is measured once has a line', () => {
  const table = compare(figures([1000, 2000]), '', N, [JITNEY]);
  expect(cells(table, 'sends')).toEqual(['1,000/s', '2,000/s', '2.00']);
  expect(cells(table, 'process start to listening')).toEqual(['2 ms', '20 ms', '10.00']);
  expect(cells(table, 'disk, 3 s after the rounds')?.slice(0, 2)).toEqual(['none', 'none']);
});

test('a ratio is the median of the ratios of each round, and not the ratio of the medians', () => {
  const table = compare(figures([1000, 5000], [2000, 4000], [3000, 9000]), '', N, [JITNEY]);
  expect(cells(table, 'sends')).toEqual(['2,000/s', '5,000/s', '3.00']);
});

test('the median is the middle of the sorted values, or lies between the two in the middle', () => {
  expect(median([9, 1, 1000])).toBe(9);
  expect(median([40, 10, 20, 30])).toBe(25);
  expect(() => median([])).toThrow('no median');
});

test('a table is Markdown whose columns line up, text on the left and figures on the right', () => {
  expect(formatTable(['scenario', 'N'], [['sends', '3,272']]).split('\n')).toEqual([
    '| scenario |     N |',
    '|----------|------:|',
    '| sends    | 3,272 |',
  ]);
});
