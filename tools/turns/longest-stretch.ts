// The longest stretch of the event loop, and how much of each stretch was garbage collection: its pauses, and the steps of marking
// between them, which only the profiler sees.

import { type Profiler, type Runtime, Session } from 'node:inspector/promises';
import { type LoopTurn, watchTurns } from './turn-watch.js';

export type LongestStretch = {
  /** The longest stretch in which a client beside would have waited. */
  readonly longestMs: number;
  /** Garbage collection within that stretch. */
  readonly collectionMs: number;
  /** The longest stretch, if each is taken without its garbage collection. */
  readonly ownMs: number;
  /** What took longest within the longest stretch, with all that it called. */
  readonly where: readonly string[];
};

/** What the profiler saw at a moment, and for how long until then. */
type Sample = { readonly at: number; readonly ms: number; readonly nodeId: number };

/** Shorter stretches are not kept. */
export const SHORTEST_KEPT_MS = 2;
/** Often enough to tell garbage collection, and seldom enough to cost nothing. */
const SAMPLE_MICROSECONDS = 5000;
/** Often enough to tell functions as well, which makes everything a tenth slower. */
const DETAILED_SAMPLE_MICROSECONDS = 500;
const COLLECTOR = '(garbage collector)';
const MAX_SHOWN = 30;
/** Resolves when the work is done. `isDetailed`: `where` is worth reading. */
export async function longestStretch(
  work: () => Promise<unknown>,
  isDetailed: boolean,
): Promise<LongestStretch> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', {
    interval: isDetailed ? DETAILED_SAMPLE_MICROSECONDS : SAMPLE_MICROSECONDS,
  });
  await session.post('Profiler.start');
  const stretches = await stretchesOf(work);
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  return longestOf(stretches, profile);
}

async function stretchesOf(work: () => Promise<unknown>): Promise<readonly LoopTurn[]> {
  const stretches: LoopTurn[] = [];
  const watch = watchTurns((turn) => {
    if (turn.ms > SHORTEST_KEPT_MS) stretches.push(turn);
  });
  await work();
  watch.end();
  return stretches;
}

function longestOf(stretches: readonly LoopTurn[], profile: Profiler.Profile): LongestStretch {
  const samples = samplesOf(profile);
  const collector = new Set(
    profile.nodes.filter(({ callFrame }) => callFrame.functionName === COLLECTOR).map(({ id }) => id),
  );
  let longest: LoopTurn = { from: 0, to: 0, ms: 0 };
  let longestSamples: readonly Sample[] = [];
  let collectionMs = 0;
  let ownMs = 0;
  let next = 0;
  for (const stretch of stretches) {
    const { from, to, ms: stretchMs } = stretch;
    while ((samples[next]?.at ?? Number.POSITIVE_INFINITY) < from) next += 1;
    const start = next;
    while ((samples[next]?.at ?? Number.POSITIVE_INFINITY) <= to) next += 1;
    const within = samples.slice(start, next);
    const collectedMs = within.reduce((sum, { nodeId, ms }) => sum + (collector.has(nodeId) ? ms : 0), 0);
    const collected = (collectedMs / (to - from)) * stretchMs; // samples are taken by the clock
    ownMs = Math.max(ownMs, stretchMs - collected);
    if (stretchMs <= longest.ms) continue;
    longest = stretch;
    longestSamples = within;
    collectionMs = collected;
  }
  return { longestMs: longest.ms, collectionMs, ownMs, where: where(longestSamples, profile) };
}

/** The profiler's times are microseconds of the clock that `hrtime` reads. */
function samplesOf({ samples = [], timeDeltas = [], startTime }: Profiler.Profile): readonly Sample[] {
  const originMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  let microseconds = startTime;
  return samples.map((nodeId, index) => {
    const delta = timeDeltas[index] ?? 0;
    microseconds += delta;
    return { at: microseconds / 1000 - originMs, ms: delta / 1000, nodeId };
  });
}

function where(samples: readonly Sample[], { nodes }: Profiler.Profile): readonly string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const msOf = new Map<string, number>();
  for (const { ms, nodeId } of samples) {
    const names = new Set<string>(); // a function that calls itself counts once
    for (let id: number | undefined = nodeId; id !== undefined; id = callers.get(id)) {
      const node = byId.get(id);
      if (node !== undefined && callers.has(id)) names.add(nameOf(node.callFrame));
    }
    for (const name of names) msOf.set(name, (msOf.get(name) ?? 0) + ms);
  }
  const longest = [...msOf].sort(([, a], [, b]) => b - a).slice(0, MAX_SHOWN);
  return longest.map(([name, ms]) => `${ms.toFixed(1).padStart(8)} ms  ${name}`);
}

function nameOf({ functionName, url }: Runtime.CallFrame): string {
  const file = url.split('/').slice(-2).join('/');
  return `${functionName === '' ? '(anonymous)' : functionName}  ${file}`.trimEnd();
}
