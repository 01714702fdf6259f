// How fast a topic with many rules takes messages, beside a queue of the same process that is sent the same in turn.

import { setTimeout as sleep } from 'node:timers/promises';
import { BODY_BYTES } from '../scenarios.js';
import { median } from '../statistics.js';
import type { EntityName } from './topic-entities.js';
import { TopicJitney } from './topic-jitney.js';

export type RateFigures = {
  readonly messagesPerSecond: number;
  readonly cpuMicrosecondsPerMessage: number;
  /** Of the queue's rate: the middle of the ratios of each round. */
  readonly ofQueue: number;
};

export type TopicRates = Readonly<Record<RatedEntity, RateFigures>>;

type RatedEntity = Extract<EntityName, 'queue' | 'routed' | 'copied'>;
type Measurement = Omit<RateFigures, 'ofQueue'>;
type Round = Readonly<Record<RatedEntity, Measurement>>;

const ROUNDS = 7;
const MESSAGES = 10_000;
/** What the broker still has to do when the client is done belongs to the measurement. */
const AFTERMATH_MS = 30;

/** Nothing is received: what a round has sent lies there in the next. */
export async function measureTopicRates(): Promise<TopicRates> {
  await using jitney = await TopicJitney.start();
  const rounds: Round[] = [];
  // Round 0 warms everybody up and does not count.
  for (let number = 0; number <= ROUNDS; number++) {
    const queue = await measure(jitney, 'queue');
    const routed = await measure(jitney, 'routed');
    const copied = await measure(jitney, 'copied');
    if (number > 0) rounds.push({ queue, routed, copied });
  }
  return {
    queue: summarize(rounds, 'queue'),
    routed: summarize(rounds, 'routed'),
    copied: summarize(rounds, 'copied'),
  };
}

async function measure(jitney: TopicJitney, entity: RatedEntity): Promise<Measurement> {
  const before = await jitney.usage();
  const elapsedMs = await jitney.send({ entity, messageCount: MESSAGES, bodyBytes: BODY_BYTES });
  await sleep(AFTERMATH_MS);
  const after = await jitney.usage();
  return {
    messagesPerSecond: (MESSAGES * 1000) / elapsedMs,
    cpuMicrosecondsPerMessage: (after.cpuMicroseconds - before.cpuMicroseconds) / MESSAGES,
  };
}

function summarize(rounds: readonly Round[], entity: RatedEntity): RateFigures {
  const middle = (figure: (round: Round) => number) => median(rounds.map(figure));
  return {
    messagesPerSecond: middle((round) => round[entity].messagesPerSecond),
    cpuMicrosecondsPerMessage: middle((round) => round[entity].cpuMicrosecondsPerMessage),
    ofQueue: middle((round) => round[entity].messagesPerSecond / round.queue.messagesPerSecond),
  };
}
