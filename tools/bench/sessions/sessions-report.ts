// The figures of a great many sessions as a table beside their targets, and what is counted in words.

import { formatTable } from '../table.js';
import type { EachFigures } from './accept-next.js';
import type { PrivateBytes, SessionsFigures } from './run-sessions.js';

const MOST_SESSION_BYTES = 500;
const MOST_ACCEPT_CPU_MS = 1;
const MEGABYTE = 1024 * 1024;

type Row = readonly [what: string, measured: string, target: string, verdict: string];

export const WHAT_IS_COUNTED = `Broker alone: the rules without wire and journal, in a process of its own. The memory of an idle session is the heap after
garbage collection with all of them there and none held, less that of the same messages in a queue without sessions, by their
number: the session with its id, the record of its state, its places in the tables and orders. Not counted: the message itself,
and the contents of messages and states, which are in the journal. While accept-next is measured, all that were accepted stay
held; there are several rounds of it. Undisturbed: of each accept-next only the shortest of its rounds counts, so that neither
other programs nor the collection of garbage, which hit another one each time, are taken for its own length; what is left is
a table that grows to twice its size.
Product: the built Jitney with its journal, over loopback, one client; processor time is that of all its threads.
Without sessions: another Jitney with the same messages in a plain queue. What is "at rest" has garbage of earlier work in it.`;

export function formatSessions(figures: SessionsFigures): string {
  const header = `${count(figures.sessionCount)} sessions, each with a message of 1 KB and a state`;
  return formatTable(
    [header, 'measured', 'target', ''],
    [
      ...brokerRows(figures),
      ...fillRows(figures),
      ...wireRows(figures),
      ...memoryRows(figures),
      ...restartRows(figures),
    ],
  );
}

function brokerRows({ broker }: SessionsFigures): Row[] {
  const { acceptCount, sessionBytes, acceptCpuMs } = broker;
  return [
    [
      'broker alone: memory of an idle session',
      `${sessionBytes.toFixed(0)} B`,
      ...atMost(sessionBytes, MOST_SESSION_BYTES, 'B'),
    ],
    noTarget('broker alone: memory of its message', `${broker.messageBytes.toFixed(0)} B`),
    [
      'broker alone: accept-next, processor time',
      milliseconds(acceptCpuMs),
      ...atMost(acceptCpuMs, MOST_ACCEPT_CPU_MS, 'ms'),
    ],
    noTarget(
      `broker alone: accept-next, the longest of ${count(acceptCount)}`,
      milliseconds(broker.longestAcceptMs),
    ),
    noTarget('broker alone: the longest, undisturbed', milliseconds(broker.undisturbedAcceptMs)),
    noTarget('broker alone: giving one back, processor time', milliseconds(broker.detachCpuMs)),
  ];
}

function fillRows({ sessionCount, fillMs, stateMs }: SessionsFigures): Row[] {
  const rate = (elapsedMs: number) => `${count((sessionCount * 1000) / elapsedMs)}/s`;
  return [
    noTarget('product: messages sent by one client in batches', rate(fillMs)),
    noTarget('product: accepted by id, state set, given back', rate(stateMs)),
  ];
}

function wireRows({ acceptNext: { accept, release } }: SessionsFigures): Row[] {
  return [
    ...eachRows('product: accept-next', accept, MOST_ACCEPT_CPU_MS),
    ...eachRows('product: giving one back', release),
  ];
}

function eachRows(what: string, figures: EachFigures, mostCpuMs?: number): Row[] {
  const { meanMs, longestMs, cpuMs } = figures;
  const target: [string, string] =
    cpuMs === undefined || mostCpuMs === undefined ? ['', ''] : atMost(cpuMs, mostCpuMs, 'ms');
  return [
    noTarget(`${what}, mean`, milliseconds(meanMs)),
    noTarget(`${what}, the longest of ${count(figures.count)}`, milliseconds(longestMs)),
    [`${what}, processor time`, cpuMs === undefined ? 'only on Linux' : milliseconds(cpuMs), ...target],
  ];
}

function memoryRows({ sessionCount, privateBytes, plain }: SessionsFigures): Row[] {
  const rows = (what: string, of: keyof PrivateBytes): Row[] => {
    const bytes = privateBytes[of];
    const plainBytes = plain.privateBytes[of];
    if (bytes === undefined || plainBytes === undefined) return [noTarget(what, 'only on Linux')];
    const bytesOfEach = ((bytes - plainBytes) / sessionCount).toFixed(0);
    return [
      noTarget(what, `${(bytes / MEGABYTE).toFixed(0)} MB`),
      noTarget('the same without sessions', `${(plainBytes / MEGABYTE).toFixed(0)} MB`),
      noTarget('the difference for each session', `${bytesOfEach} B`),
    ];
  };
  return [
    ...rows('private memory (RssAnon), at rest', 'atRest'),
    ...rows('private memory just after a restart', 'restarted'),
  ];
}

function restartRows({ startMs, readStateMs, plain }: SessionsFigures): Row[] {
  return [
    noTarget('process start to first link accepted, after kill -9', seconds(startMs)),
    noTarget('the same without sessions', seconds(plain.startMs)),
    noTarget('right then: connected, session accepted, its state read', milliseconds(readStateMs)),
  ];
}

function noTarget(what: string, measured: string): Row {
  return [what, measured, '', ''];
}

function atMost(value: number, most: number, unit: string): [string, string] {
  return [`≤ ${most} ${unit}`, value <= most ? 'ok' : 'above'];
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 3 : 0)} ms`;
}
