// Tests of when a row of the report is good.

import { expect, test } from 'vitest';
import { problemsOf, type Row, reportOf } from './row.js';
import { waitsOf } from './waits.js';

const GOOD: Row = {
  attack: 'garbage',
  column: 'comfortable',
  turnMs: 50,
  waits: { count: 900, p99Ms: 250, longestMs: 400, failures: [] },
  delayedPart: 0,
  before: { aliveMb: 20, messageCount: 0 },
  held: { aliveMb: 380, messageCount: 100_000 },
  after: { aliveMb: 160, messageCount: 100_000 },
  told: 'nothing',
  problems: [],
};

test('a row within the limits is good, and says what was stored', () => {
  expect(problemsOf(GOOD)).toEqual([]);
  expect(reportOf(GOOD)).toMatch(
    /^garbage .* turn 50 ms · others p99 250, longest 400 ms of 900 · alive 20, 380, 160 MB, 100000 messages stored, 3600 bytes each · nothing · ok$/,
  );
});

test.each<[string, Partial<Row>]>([
  ['the longest turn took 51 ms; 50 ms is the limit', { turnMs: 51 }],
  ['others waited p99 251 ms; 250 ms is the limit', { waits: { ...GOOD.waits, p99Ms: 251 } }],
  ['beyond what is stored it held 301 MB; 300 MB is the limit', { held: { aliveMb: 321, messageCount: 0 } }],
  [
    'when the client had gone there were left 81 MB; 80 MB is the limit',
    { after: { aliveMb: 101, messageCount: 0 } },
  ],
  ['others were told: busy', { waits: { ...GOOD.waits, failures: ['busy'] } }],
  ['it was answered 500', { problems: ['it was answered 500'] }],
])('"%s" is a problem', (problem, change) => {
  expect(problemsOf({ ...GOOD, ...change })).toEqual([problem]);
});

test('in the other column a turn may take 500 ms, and others may wait for two seconds', () => {
  const waits = { ...GOOD.waits, p99Ms: 2000 };
  expect(problemsOf({ ...GOOD, column: 'works', turnMs: 500, waits })).toEqual([]);
});

test('what others waited because the machine was busy is none of the wait, and is said', () => {
  const busy = { ...GOOD, delayedPart: 0.5, waits: { ...GOOD.waits, p99Ms: 500 } };
  expect(problemsOf(busy)).toEqual([]);
  expect(reportOf(busy)).toContain('of 900, the machine busy for 50 % of it');
});

test('a pause counts as the wait of all messages that it held up', () => {
  const quick = Array<number>(900).fill(1);
  const { p99Ms, longestMs, count } = waitsOf([[...quick, 10_000], quick], []);
  expect(p99Ms).toBeGreaterThan(9000);
  expect({ longestMs, count }).toEqual({ longestMs: 10_000, count: 1801 });
});
