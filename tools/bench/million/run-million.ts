// A queue with a very long backlog, from its first message to its last: memory, `kill -9`, the drain, and what remains of it all.

import { setInterval, setTimeout as sleep } from 'node:timers/promises';
import { median } from '../statistics.js';
import { type DrainFigures, drainQueue } from './drain.js';
import { fillQueue } from './fill.js';
import { timeFirstMessages } from './first-message.js';
import { directoryBytes, JitneyProcess } from './jitney-process.js';

export type MillionOptions = {
  readonly messageCount: number;
  /** Empty; whatever is left in it afterwards is for the caller to remove. */
  readonly dataDirectory: string;
  /** How often it is killed and started again with everything waiting. */
  readonly restartCount: number;
  /** How often the first message is taken out of each queue. */
  readonly tryCount: number;
  /** How long it may tidy up before it is looked at. */
  readonly restMs: number;
  readonly tell: (line: string) => void;
};

export type RestartFigures = {
  readonly elapsedMs: number;
  /** What the processor worked for it; nearly the same on a busy machine. */
  readonly cpuMs: number | undefined;
  readonly privateBytes: number | undefined;
};

export type MillionFigures = {
  readonly messageCount: number;
  readonly fillMs: number;
  /** Undefined where the system does not tell. */
  readonly privateBytes: { readonly waiting: number | undefined; readonly highest: number | undefined };
  readonly restart: RestartFigures;
  readonly drain: DrainFigures;
  readonly firstMessageMs: { readonly used: number; readonly fresh: number };
  readonly diskBytes: { readonly full: number; readonly drained: number };
};

const BACKLOG = 'backlog';
const FRESH = 'fresh';
const WARM_UP = 'warm-up';
/** As large as the standard tier allows; and locked for as long as it allows, so that no pause is hidden by a lock that ends. */
const QUEUES = [`${BACKLOG}?maxSizeInMegabytes=5120&lockDuration=PT5M`, FRESH, WARM_UP];
const SAMPLE_MS = 250;
const WARM_UP_TRIES = 20;

export async function runMillion(options: MillionOptions): Promise<MillionFigures> {
  const { messageCount, dataDirectory, tell } = options;
  const start = () => JitneyProcess.start(dataDirectory, QUEUES);
  let jitney = await start();
  try {
    const filled = await fill(jitney, options);
    const full = await directoryBytes(dataDirectory);
    const restarts: RestartFigures[] = [];
    for (let restart = 0; restart < options.restartCount; restart++) {
      await jitney.kill();
      jitney = await start();
      restarts.push(await measureRestart(jitney, tell));
    }
    const drain = await drainQueue(jitney.address, { queue: BACKLOG, messageCount, tell });
    await sleep(options.restMs);
    const drained = await directoryBytes(dataDirectory);
    const firstMessageMs = await compareFirstMessages(jitney, options);
    const diskBytes = { full, drained };
    return { messageCount, ...filled, restart: middle(restarts), drain, firstMessageMs, diskBytes };
  } finally {
    await jitney.stop();
  }
}

async function fill(
  jitney: JitneyProcess,
  { messageCount, restMs, tell }: MillionOptions,
): Promise<Pick<MillionFigures, 'fillMs' | 'privateBytes'>> {
  const filled = new AbortController();
  const highest = highestPrivateBytes(jitney, filled.signal);
  const fillMs = await fillQueue(jitney.address, { queue: BACKLOG, messageCount, tell }).finally(() =>
    filled.abort(),
  );
  const highestBytes = await highest;
  await sleep(restMs);
  return { fillMs, privateBytes: { waiting: jitney.privateBytes(), highest: highestBytes } };
}

async function measureRestart(jitney: JitneyProcess, tell: (line: string) => void): Promise<RestartFigures> {
  const elapsedMs = await jitney.firstAttach(BACKLOG);
  tell(`killed, and ready again after ${Math.round(elapsedMs)} ms`);
  return { elapsedMs, cpuMs: jitney.cpuMs(), privateBytes: jitney.privateBytes() };
}

/** By time. */
function middle(restarts: readonly RestartFigures[]): RestartFigures {
  const sorted = restarts.toSorted((a, b) => a.elapsedMs - b.elapsedMs);
  const found = sorted[Math.floor(sorted.length / 2)];
  if (found === undefined) throw new Error('it was never started again');
  return found;
}

async function highestPrivateBytes(jitney: JitneyProcess, signal: AbortSignal): Promise<number | undefined> {
  let highest = jitney.privateBytes();
  const look = () => {
    if (highest !== undefined) highest = Math.max(highest, jitney.privateBytes() ?? 0);
  };
  try {
    for await (const _ of setInterval(SAMPLE_MS, undefined, { signal })) look();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  look();
  return highest;
}

async function compareFirstMessages(
  jitney: JitneyProcess,
  { tryCount, tell }: MillionOptions,
): Promise<MillionFigures['firstMessageMs']> {
  await timeFirstMessages(jitney.address, [WARM_UP], WARM_UP_TRIES);
  const [used = [], fresh = []] = await timeFirstMessages(jitney.address, [BACKLOG, FRESH], tryCount);
  tell(`took the first message out of the drained queue and of a fresh one, ${tryCount} times each`);
  return { used: median(used), fresh: median(fresh) };
}
