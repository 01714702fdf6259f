// The tables about topics must say when a target is missed.

import { expect, test } from 'vitest';
import type { RateFigures } from './topic-rates.js';
import { formatSharedContent, formatTopicRates } from './topics-report.js';

function rates(ofQueue: number): RateFigures {
  return { messagesPerSecond: 10_000 * ofQueue, cpuMicrosecondsPerMessage: 100, ofQueue };
}

function lineOf(table: string, start: string): string | undefined {
  return table.split('\n').find((line) => line.startsWith(`| ${start}`));
}

test('a topic is judged by its share of the rate of a queue', () => {
  const table = formatTopicRates({ queue: rates(1), routed: rates(0.7), copied: rates(0.69) });
  expect(lineOf(table, 'each is for one')).toMatch(/7,000 \|\s+0\.70 \|\s+ok \|\s+100\.0 \|$/);
  expect(lineOf(table, 'each is for all')).toMatch(/6,900 \|\s+0\.69 \|\s+below \|/);
});

test('a message that is stored more than once is said to be, and what each copy takes is told', () => {
  const ofSingle = { disk: 1, memory: 1 };
  const table = formatSharedContent({ ofMany: { disk: 1.99, memory: 100 }, ofSingle });
  expect(lineOf(table, 'disk for each message ')).toMatch(/1\.99 bodies \| ≤ 2 bodies \|\s+ok \|$/);
  expect(lineOf(table, 'disk for each further copy')).toMatch(/ 1000 B \|/);
  expect(lineOf(table, 'memory for each message ')).toMatch(/100\.00 bodies \| ≤ 2 bodies \|\s+above \|$/);
});
