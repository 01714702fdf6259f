// What a large message to a hundred subscriptions takes on disk and in memory: its body once, if all goes well.

import { setTimeout as sleep } from 'node:timers/promises';
import { TopicJitney } from './topic-jitney.js';

/** Growth for each message, in bodies. */
export type Growth = { readonly disk: number; readonly memory: number };

export type SharedContentFigures = {
  readonly ofMany: Growth;
  /** The same messages to a topic with one subscription. */
  readonly ofSingle: Growth;
};

export const LARGE_BODY_BYTES = 100_000;
const MESSAGES = 200;
const WARM_UP_MESSAGES = 100;
/** The journal tidies up. */
const REST_MS = 1000;

export async function measureSharedContent(): Promise<SharedContentFigures> {
  return { ofSingle: await measureGrowth('single'), ofMany: await measureGrowth('many') };
}

async function measureGrowth(entity: 'many' | 'single'): Promise<Growth> {
  await using jitney = await TopicJitney.start({ collectsGarbage: true });
  await jitney.send({ entity: 'queue', messageCount: WARM_UP_MESSAGES, bodyBytes: LARGE_BODY_BYTES });
  await sleep(REST_MS);
  const before = await look(jitney);
  await jitney.send({ entity, messageCount: MESSAGES, bodyBytes: LARGE_BODY_BYTES });
  await sleep(REST_MS);
  const after = await look(jitney);
  const inBodies = (bytes: number) => bytes / MESSAGES / LARGE_BODY_BYTES;
  return { disk: inBodies(after.disk - before.disk), memory: inBodies(after.memory - before.memory) };
}

async function look(jitney: TopicJitney): Promise<Growth> {
  const { heldBytes } = await jitney.usage();
  return { disk: await jitney.diskBytes(), memory: heldBytes };
}
