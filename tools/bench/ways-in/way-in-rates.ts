// How fast a queue takes messages over a WebSocket, with TLS and without, beside TCP; the same process and client, in turn.

import { setTimeout as sleep } from 'node:timers/promises';
import { Broker } from '../brokers.js';
import { programPath } from '../built-programs.js';
import { Child } from '../child.js';
import type { Answer, Task, WayIn } from '../programs/way-in-client.js';
import { BODY_BYTES, QUEUE } from '../scenarios.js';
import { median } from '../statistics.js';

export type WayInFigures = {
  readonly messagesPerSecond: number;
  readonly cpuMicrosecondsPerMessage: number;
  /** Of the rate over TCP: the middle of the ratios of each round. */
  readonly ofTcp: number;
};

export type WayInRates = Readonly<Record<WayIn, WayInFigures>>;

type Measurement = Omit<WayInFigures, 'ofTcp'>;
type Round = Readonly<Record<WayIn, Measurement>>;

const ROUNDS = 6;
const MESSAGES = 2000;
/** What the broker still has to do when the client is done belongs to the measurement. */
const AFTERMATH_MS = 30;

/** Nothing is received: what a round has sent lies there in the next. */
export async function measureWaysIn(): Promise<WayInRates> {
  const broker = await Broker.start('jitney');
  const client = new Child(programPath('way-in-client'), { isAsked: true });
  try {
    const rounds: Round[] = [];
    // Round 0 warms everybody up and does not count.
    for (let number = 0; number <= ROUNDS; number++) {
      const tcp = await measure(broker, client, 'tcp');
      const ws = await measure(broker, client, 'ws');
      const wss = await measure(broker, client, 'wss');
      if (number > 0) rounds.push({ tcp, ws, wss });
    }
    return { tcp: summarize(rounds, 'tcp'), ws: summarize(rounds, 'ws'), wss: summarize(rounds, 'wss') };
  } finally {
    await client.stop();
    await broker.stop();
  }
}

async function measure(broker: Broker, client: Child, way: WayIn): Promise<Measurement> {
  const { connectionString } = broker;
  const task: Task = { connectionString, queue: QUEUE, way, messageCount: MESSAGES, bodyBytes: BODY_BYTES };
  const before = await broker.usage();
  const answer = await client.ask<Answer>(task);
  if ('error' in answer) throw new Error(`sending over ${way} failed: ${answer.error}`);
  await sleep(AFTERMATH_MS);
  const after = await broker.usage();
  return {
    messagesPerSecond: (MESSAGES * 1000) / answer.elapsedMs,
    cpuMicrosecondsPerMessage: (after.cpuMicroseconds - before.cpuMicroseconds) / MESSAGES,
  };
}

function summarize(rounds: readonly Round[], way: WayIn): WayInFigures {
  const middle = (figure: (round: Round) => number) => median(rounds.map(figure));
  return {
    messagesPerSecond: middle((round) => round[way].messagesPerSecond),
    cpuMicrosecondsPerMessage: middle((round) => round[way].cpuMicrosecondsPerMessage),
    ofTcp: middle((round) => round[way].messagesPerSecond / round.tcp.messagesPerSecond),
  };
}
