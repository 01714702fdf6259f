// The figures of a long backlog as a table beside their targets.

import { formatTable } from '../table.js';
import { RECEIVER_COUNT } from './drain.js';
import type { MillionFigures } from './run-million.js';

const MOST_PRIVATE_MB = 400;
const MOST_PAUSE_MS = 200;
const MOST_RESTART_S = 3;
const MOST_FIRST_MESSAGE_RATIO = 1.5;
const MEGABYTE = 1024 * 1024;

type Row = readonly [what: string, measured: string, target: string, verdict: string];

export function formatMillion(figures: MillionFigures): string {
  const { messageCount, fillMs, restart, drain, diskBytes } = figures;
  const rate = (elapsedMs: number) =>
    `${Math.round((messageCount * 1000) / elapsedMs).toLocaleString('en')}/s`;
  const noTarget = (what: string, measured: string): Row => [what, measured, '', ''];
  return formatTable(
    [`${messageCount.toLocaleString('en')} messages of 1 KB waiting`, 'measured', 'target', ''],
    [
      ...memoryRows(figures),
      noTarget('sent by one client in batches', rate(fillMs)),
      [
        'process start to first link accepted, after kill -9',
        seconds(restart.elapsedMs),
        ...atMost(restart.elapsedMs / 1000, MOST_RESTART_S, 's'),
      ],
      noTarget('processor time of that', restart.cpuMs === undefined ? '-' : seconds(restart.cpuMs)),
      [
        `longest pause while ${RECEIVER_COUNT} receivers drain it in order`,
        `${drain.longestPauseMs.toFixed(0)} ms`,
        ...atMost(drain.longestPauseMs, MOST_PAUSE_MS, 'ms'),
      ],
      noTarget(
        'for comparison: longest stall of the receivers’ process',
        `${drain.ownStallMs.toFixed(0)} ms`,
      ),
      noTarget('received and completed', rate(drain.elapsedMs)),
      ...firstMessageRows(figures),
      noTarget('data directory, all waiting', megabytes(diskBytes.full)),
      noTarget('data directory after the drain', megabytes(diskBytes.drained)),
    ],
  );
}

function memoryRows({ privateBytes, restart }: MillionFigures): Row[] {
  const { waiting, highest } = privateBytes;
  if (waiting === undefined || highest === undefined || restart.privateBytes === undefined) {
    return [['private memory (RssAnon)', 'only on Linux', '', '']];
  }
  return [
    [
      'private memory (RssAnon), all waiting',
      megabytes(waiting),
      ...atMost(waiting / MEGABYTE, MOST_PRIVATE_MB, 'MB'),
    ],
    ['the most of it while they were sent', megabytes(highest), '', ''],
    ['the same just after a restart', megabytes(restart.privateBytes), '', ''],
  ];
}

function firstMessageRows({ firstMessageMs: { used, fresh } }: MillionFigures): Row[] {
  return [
    ['first message out of the drained queue', `${used.toFixed(2)} ms`, '', ''],
    [
      'its ratio to a fresh queue',
      `${(used / fresh).toFixed(2)} x`,
      ...atMost(used / fresh, MOST_FIRST_MESSAGE_RATIO, 'x'),
    ],
  ];
}

function atMost(value: number, most: number, unit: string): [string, string] {
  return [`≤ ${most} ${unit}`, value <= most ? 'ok' : 'above'];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(0)} MB`;
}
