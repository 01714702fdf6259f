// A queue with a very long backlog, from its first message to its last: memory, `kill -9`, and the drain.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'rhea';
import { Broker } from '../brokers.js';
import { closeConnection, openConnection } from '../connection.js';
import { median } from '../report.js';
import { type DrainFigures, drainQueue } from './drain.js';
import { fillQueue } from './fill.js';

export type MillionOptions = {
  readonly messageCount: number;
  /** Whatever is left in it afterwards is for the caller to remove. */
  readonly directory: string;
  /** How often it is killed and started again with everything waiting. */
  readonly restartCount: number;
  /** How long it may tidy up before it is looked at. */
  readonly restMs: number;
  readonly tell: (line: string) => void;
};

type Restart = { readonly elapsedMs: number; readonly cpuMs: number; readonly privateBytes: number };

/** What the system does not tell is not a number. */
export type MillionFigures = {
  readonly messageCount: number;
  readonly fillMs: number;
  readonly privateBytes: { readonly waiting: number; readonly highest: number };
  readonly restart: Restart;
  readonly drain: DrainFigures;
  readonly diskBytes: { readonly full: number; readonly drained: number };
};

const BACKLOG = 'backlog';
/** As large as the standard tier allows; and locked for as long as it allows, so that no pause is hidden by a lock that ends. */
const QUEUES = [`${BACKLOG}?maxSizeInMegabytes=5120&lockDuration=PT5M`];
const SAMPLE_MS = 250;

export async function runMillion(options: MillionOptions): Promise<MillionFigures> {
  const { messageCount, directory, restMs, tell } = options;
  const start = () => Broker.start('jitney', { directory, queues: QUEUES });
  let jitney = await start();
  try {
    const filled = await fill(jitney, options);
    const full = await jitney.diskBytes();
    const restarts: Restart[] = [];
    for (let restart = 0; restart < options.restartCount; restart++) {
      await jitney.stop();
      jitney = await start();
      const readyMs = await firstAttach(jitney);
      tell(`killed, and ready again after ${Math.round(readyMs)} ms`);
      const { cpuMs, privateBytes } = jitney.usage();
      restarts.push({ elapsedMs: readyMs, cpuMs, privateBytes });
    }
    const drain = await drainQueue(jitney.port, { queue: BACKLOG, messageCount, tell });
    await sleep(restMs);
    const diskBytes = { full, drained: await jitney.diskBytes() };
    const middle = (figure: keyof Restart) => median(restarts.map((each) => each[figure]));
    const restart = {
      elapsedMs: middle('elapsedMs'),
      cpuMs: middle('cpuMs'),
      privateBytes: middle('privateBytes'),
    };
    return { messageCount, ...filled, restart, drain, diskBytes };
  } finally {
    await jitney.stop();
  }
}

async function fill(
  jitney: Broker,
  { messageCount, restMs, tell }: MillionOptions,
): Promise<Pick<MillionFigures, 'fillMs' | 'privateBytes'>> {
  let highest = 0;
  const look = () => {
    highest = Math.max(highest, jitney.usage().privateBytes);
  };
  const sampling = setInterval(look, SAMPLE_MS);
  try {
    const fillMs = await fillQueue(jitney.port, { queue: BACKLOG, messageCount, tell });
    look();
    await sleep(restMs);
    return { fillMs, privateBytes: { waiting: jitney.usage().privateBytes, highest } };
  } finally {
    clearInterval(sampling);
  }
}

/** Milliseconds from the start of the process until a sender's link was accepted and given credit, which is now. */
async function firstAttach({ port, startMs }: Broker): Promise<number> {
  const listeningAt = performance.now();
  const connection = await new Promise<Connection>((resolve, reject) => {
    const opened = openConnection(port, reject);
    opened.once('sendable', () => resolve(opened));
    opened.open_sender({ target: BACKLOG });
  });
  const elapsedMs = startMs + performance.now() - listeningAt;
  await closeConnection(connection);
  return elapsedMs;
}
