// What the table of many sessions says of figures within their targets, beyond them, and of those a system does not tell.

import { expect, test } from 'vitest';
import type { SessionsFigures } from './run-sessions.js';
import { formatSessions } from './sessions-report.js';

const MEGABYTE = 1024 * 1024;

const FIGURES: SessionsFigures = {
  sessionCount: 1000,
  broker: {
    acceptCount: 800,
    sessionBytes: 499.6,
    messageBytes: 200,
    acceptCpuMs: 0.012,
    longestAcceptMs: 12.3,
    undisturbedAcceptMs: 0.2,
    detachCpuMs: 0.004,
  },
  fillMs: 500,
  stateMs: 2000,
  acceptNext: {
    accept: { count: 900, meanMs: 0.5, longestMs: 20, cpuMs: 0.25 },
    release: { count: 900, meanMs: 0.2, longestMs: 3, cpuMs: 0.1 },
  },
  startMs: 1234,
  readStateMs: 15.4,
  privateBytes: { atRest: 80 * MEGABYTE, restarted: 50 * MEGABYTE },
  plain: {
    privateBytes: { atRest: 79 * MEGABYTE, restarted: 50 * MEGABYTE + 7000 },
    startMs: 876,
  },
};

/** Each line's cells, without the padding. */
function rowsOf(figures: SessionsFigures): string[][] {
  const lines = formatSessions(figures).split('\n');
  return lines.map((line) => line.split('|').map((cell) => cell.trim())).map((cells) => cells.slice(1, -1));
}

test('figures stand beside their targets, and those without one alone', () => {
  const rows = rowsOf(FIGURES);
  expect(rows[0]).toEqual([
    '1,000 sessions, each with a message of 1 KB and a state',
    'measured',
    'target',
    '',
  ]);
  expect(rows).toContainEqual(['broker alone: memory of an idle session', '500 B', '≤ 500 B', 'ok']);
  expect(rows).toContainEqual(['broker alone: accept-next, processor time', '0.012 ms', '≤ 1 ms', 'ok']);
  expect(rows).toContainEqual(['broker alone: accept-next, the longest of 800', '12 ms', '', '']);
  expect(rows).toContainEqual(['broker alone: the longest, undisturbed', '0.200 ms', '', '']);
  expect(rows).toContainEqual(['product: accepted by id, state set, given back', '500/s', '', '']);
  expect(rows.slice(-3)).toEqual([
    ['process start to first link accepted, after kill -9', '1.23 s', '', ''],
    ['the same without sessions', '0.88 s', '', ''],
    ['right then: connected, session accepted, its state read', '15 ms', '', ''],
  ]);
});

test('memory for each session is what is beyond a queue without sessions, also when that is nothing', () => {
  const rows = rowsOf(FIGURES);
  const first = rows.findIndex(([what]) => what?.startsWith('private memory'));
  expect(rows.slice(first, first + 6)).toEqual([
    ['private memory (RssAnon), at rest', '80 MB', '', ''],
    ['the same without sessions', '79 MB', '', ''],
    ['the difference for each session', '1049 B', '', ''],
    ['private memory just after a restart', '50 MB', '', ''],
    ['the same without sessions', '50 MB', '', ''],
    ['the difference for each session', '-7 B', '', ''],
  ]);
});

test('what is above its target says so', () => {
  const { broker, acceptNext } = FIGURES;
  const rows = rowsOf({
    ...FIGURES,
    broker: { ...broker, sessionBytes: 501, acceptCpuMs: 1.01 },
    acceptNext: { ...acceptNext, accept: { ...acceptNext.accept, cpuMs: 1.5 } },
  });
  expect(rows.filter((cells) => cells.includes('above')).map(([, ...cells]) => cells)).toEqual([
    ['501 B', '≤ 500 B', 'above'],
    ['1.010 ms', '≤ 1 ms', 'above'],
    ['1.500 ms', '≤ 1 ms', 'above'],
  ]);
});

test('where the system does not tell, no figure is made up', () => {
  const { accept, release } = FIGURES.acceptNext;
  const nothing = { atRest: undefined, restarted: undefined };
  const rows = rowsOf({
    ...FIGURES,
    acceptNext: { accept: { ...accept, cpuMs: undefined }, release: { ...release, cpuMs: undefined } },
    privateBytes: nothing,
    plain: { ...FIGURES.plain, privateBytes: nothing },
  });
  expect(rows.filter(([, measured]) => measured === 'only on Linux')).toEqual([
    ['product: accept-next, processor time', 'only on Linux', '', ''],
    ['product: giving one back, processor time', 'only on Linux', '', ''],
    ['private memory (RssAnon), at rest', 'only on Linux', '', ''],
    ['private memory just after a restart', 'only on Linux', '', ''],
  ]);
});
