// The figures of a long backlog as a table beside their targets.

import { formatTable, megabytes } from '../report.js';
import { RECEIVER_COUNT } from './drain.js';
import type { MillionFigures } from './run-million.js';

const MOST_PRIVATE_MB = 400;
const MOST_PAUSE_MS = 200;
const MOST_RESTART_S = 3;
const MEGABYTE = 1024 * 1024;

type Row = readonly [what: string, measured: string, target: string, verdict: string];

export function formatMillion(figures: MillionFigures): string {
  const { messageCount, fillMs, restart, drain, diskBytes, privateBytes } = figures;
  const rate = (elapsedMs: number) =>
    `${Math.round((messageCount * 1000) / elapsedMs).toLocaleString('en')}/s`;
  const row = (what: string, measured: string): Row => [what, measured, '', ''];
  return formatTable(
    [`${messageCount.toLocaleString('en')} messages of 1 KB waiting`, 'measured', 'target', ''],
    [
      [
        'private memory (RssAnon), all waiting',
        megabytes(privateBytes.waiting),
        ...atMost(privateBytes.waiting / MEGABYTE, MOST_PRIVATE_MB, 'MB'),
      ],
      row('the most of it while they were sent', megabytes(privateBytes.highest)),
      row('the same just after a restart', megabytes(restart.privateBytes)),
      row('sent by one client in batches', rate(fillMs)),
      [
        'process start to first link accepted, after kill -9',
        seconds(restart.elapsedMs),
        ...atMost(restart.elapsedMs / 1000, MOST_RESTART_S, 's'),
      ],
      row('processor time of that', seconds(restart.cpuMs)),
      [
        `longest pause while ${RECEIVER_COUNT} receivers drain it in order`,
        `${drain.longestPauseMs.toFixed(0)} ms`,
        ...atMost(drain.longestPauseMs, MOST_PAUSE_MS, 'ms'),
      ],
      row('for comparison: longest stall of the receivers’ process', `${drain.ownStallMs.toFixed(0)} ms`),
      row('received and completed', rate(drain.elapsedMs)),
      row('data directory, all waiting', megabytes(diskBytes.full)),
      row('data directory after the drain', megabytes(diskBytes.drained)),
    ],
  );
}

function atMost(value: number, most: number, unit: string): [string, string] {
  return [`≤ ${most} ${unit}`, value <= most ? 'ok' : 'above'];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
