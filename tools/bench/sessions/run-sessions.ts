// A queue with a great many message sessions: what they cost the broker alone, then the product, and what a `kill -9` leaves of them.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fillQueue } from '../million/fill.js';
import { JitneyProcess } from '../million/jitney-process.js';
import type { BrokerFigures } from '../programs/bare-broker.js';
import { median } from '../statistics.js';
import { type AcceptFigures, measureAcceptNext } from './accept-next.js';
import { measureBroker } from './broker-alone.js';
import { readState, setStates } from './state-series.js';

export type SessionsOptions = {
  readonly sessionCount: number;
  /** Empty; whatever is left in it afterwards is for the caller to remove. */
  readonly dataDirectory: string;
  /** How often it is killed and started again with everything there. */
  readonly restartCount: number;
  /** How long it may tidy up before it is looked at. */
  readonly restMs: number;
  readonly tell: (line: string) => void;
};

/** What Jitney has for itself; undefined where the system does not tell. */
export type PrivateBytes = {
  readonly atRest: number | undefined;
  readonly restarted: number | undefined;
};

export type PlainFigures = { readonly privateBytes: PrivateBytes; readonly startMs: number };

type RestartFigures = { readonly startMs: number; readonly privateBytes: number | undefined };

export type SessionsFigures = {
  readonly sessionCount: number;
  readonly broker: BrokerFigures;
  readonly fillMs: number;
  readonly stateMs: number;
  readonly acceptNext: AcceptFigures;
  readonly privateBytes: PrivateBytes;
  /** From the start of the process after a `kill -9` until a link was accepted. */
  readonly startMs: number;
  /** From then on, until a state was read. */
  readonly readStateMs: number;
  /** The same messages in a queue without sessions. */
  readonly plain: PlainFigures;
};

const QUEUE = 'baskets';
/** As large as the standard tier allows; and locked for as long as it allows, so that no session is lost on a slow machine. */
const LIMITS = 'maxSizeInMegabytes=5120&lockDuration=PT5M';
const BROKER_ACCEPTS = 10_000;
const WIRE_ACCEPTS = 1000;
const WARM_UP_ACCEPTS = 200;

/** There must be enough of them to accept. */
export const LEAST_SESSIONS = WIRE_ACCEPTS;

export async function runSessions(options: SessionsOptions): Promise<SessionsFigures> {
  const { sessionCount, tell } = options;
  const acceptCount = Math.min(BROKER_ACCEPTS, sessionCount);
  const broker = await measureBroker({ sessionCount, acceptCount });
  tell(`measured the broker alone, with ${acceptCount.toLocaleString('en')} accepts`);
  const plain = await measureWithoutSessions(options);
  return { sessionCount, broker, plain, ...(await measureProduct(options)) };
}

async function measureWithoutSessions(options: SessionsOptions): Promise<PlainFigures> {
  const start = () => JitneyProcess.start(join(options.dataDirectory, 'plain'), [`${QUEUE}?${LIMITS}`]);
  let jitney = await start();
  try {
    await fill(jitney, options, 'for comparison without sessions: sent');
    await sleep(options.restMs);
    const atRest = jitney.privateBytes();
    const restarts: RestartFigures[] = [];
    for (let restart = 0; restart < options.restartCount; restart++) {
      await jitney.kill();
      jitney = await start();
      restarts.push(await measureRestart(jitney));
    }
    return summarize(restarts, atRest);
  } finally {
    await jitney.stop();
  }
}

async function measureProduct(
  options: SessionsOptions,
): Promise<Omit<SessionsFigures, 'sessionCount' | 'broker' | 'plain'>> {
  const { sessionCount, tell } = options;
  const queues = [`${QUEUE}?requiresSession=true&${LIMITS}`];
  const start = () => JitneyProcess.start(join(options.dataDirectory, 'sessions'), queues);
  let jitney = await start();
  try {
    const fillMs = await fill(jitney, options, 'sent');
    const stateMs = await setStates(jitney.address, { queue: QUEUE, sessionCount, tell });
    await sleep(options.restMs);
    const atRest = jitney.privateBytes();
    const counts = { count: WIRE_ACCEPTS, warmUpCount: WARM_UP_ACCEPTS };
    const acceptNext = await measureAcceptNext(jitney, QUEUE, counts);
    tell(`accepted ${WIRE_ACCEPTS.toLocaleString('en')} sessions and gave them back`);
    const restarts: RestartFigures[] = [];
    const readStateTimes: number[] = [];
    for (let restart = 0; restart < options.restartCount; restart++) {
      await jitney.kill();
      jitney = await start();
      restarts.push(await measureRestart(jitney));
      readStateTimes.push(await timeReadState(jitney, sessionCount));
      tell('killed, started again, and found a state as it was');
    }
    const readStateMs = median(readStateTimes);
    return { fillMs, stateMs, acceptNext, readStateMs, ...summarize(restarts, atRest) };
  } finally {
    await jitney.stop();
  }
}

function fill(jitney: JitneyProcess, { sessionCount, tell }: SessionsOptions, what: string): Promise<number> {
  const messages = { queue: QUEUE, messageCount: sessionCount, hasSessions: true };
  return fillQueue(jitney.address, { ...messages, what, tell });
}

async function measureRestart(jitney: JitneyProcess): Promise<RestartFigures> {
  const startMs = await jitney.firstAttach(QUEUE);
  return { startMs, privateBytes: jitney.privateBytes() };
}

/** Of a session that nobody has asked for since the start. */
async function timeReadState(jitney: JitneyProcess, sessionCount: number): Promise<number> {
  const startedAt = performance.now();
  await readState(jitney.address, QUEUE, Math.floor(sessionCount / 2));
  return performance.now() - startedAt;
}

function summarize(
  restarts: readonly RestartFigures[],
  atRest: number | undefined,
): Pick<SessionsFigures, 'startMs' | 'privateBytes'> {
  const bytes = restarts.map(({ privateBytes }) => privateBytes).filter((each) => each !== undefined);
  return {
    startMs: median(restarts.map(({ startMs }) => startMs)),
    privateBytes: { atRest, restarted: bytes.length === 0 ? undefined : median(bytes) },
  };
}
