// Looks into the namespace that a sample worked on: what its queues, dead-letter queues and subscriptions hold, and which entities are there.

import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceBusClient, ServiceBusReceivedMessage } from '@azure/service-bus';
import { administer } from '../support/administration.js';
import type { Jitney } from '../support/jitney.js';
import { connect } from '../support/service-bus.js';
import { type Expectation, type Place, QUEUE, QUEUE_WITH_SESSIONS } from './expectation.js';
import { findContentsFault } from './faults.js';
import type { RunnableSample } from './official-samples.js';

/** More than any sample leaves. */
const MANY = 100;
const LOOK_EVERY_MS = 50;

type Held = NonNullable<Expectation['holdsMeanwhile']>;

/** After it: every queue, every dead-letter queue and every topic. */
export async function findLeftoverFault(
  { connectionString }: Jitney,
  { makesQueue }: RunnableSample,
  { leaves = {}, leavesTopics = [] }: Expectation,
): Promise<string | undefined> {
  const queues = makesQueue === true ? [QUEUE_WITH_SESSIONS] : [QUEUE, QUEUE_WITH_SESSIONS];
  const held = queues.flatMap((queue) => {
    const { queue: contents = [], deadLetters = [] } = queue === QUEUE ? leaves : {};
    return [
      { place: { queue }, contents },
      { place: { queue, isDeadLetterQueue: true }, contents: deadLetters } as const,
    ];
  });
  return (
    (await findEntityFault(connectionString, { queues, topics: leavesTopics })) ??
    (await lookInto(connectionString, held)).fault
  );
}

/** While it runs: until it holds all of this at once, or has ended. */
export async function watchForFault(
  { connectionString }: Jitney,
  held: Held,
  hasEnded: AbortSignal,
): Promise<string | undefined> {
  let best: Look = { fault: 'it ended before anybody looked', messageCount: 0 };
  while (best.fault !== undefined && !hasEnded.aborted) {
    // An entity may go while it is looked at.
    const look = await lookInto(connectionString, held).catch(
      (error: unknown): Look => ({ fault: String(error), messageCount: 0 }),
    );
    if (look.fault === undefined || look.messageCount >= best.messageCount) best = look;
    await delay(LOOK_EVERY_MS);
  }
  return best.fault && `never held all that it should while it ran; when it held most, ${best.fault}`;
}

type Look = { readonly fault: string | undefined; readonly messageCount: number };

async function lookInto(connectionString: string, held: Held): Promise<Look> {
  // A new client each time: its receivers of one queue go on peeking where the last one stopped.
  await using client = connect(connectionString, { retryOptions: { maxRetries: 0 } });
  const topics = held.some(({ place }) => 'topic' in place) ? await topicNames(connectionString) : [];
  const peeked = await Promise.all(held.map(({ place }) => peekAll(client, place, topics)));
  const faults = held.map(({ place, contents }, index) =>
    findContentsFault(describe(place), peeked[index] ?? [], contents),
  );
  return { fault: faults.find((fault) => fault !== undefined), messageCount: peeked.flat().length };
}

async function peekAll(
  client: ServiceBusClient,
  place: Place,
  topics: readonly string[],
): Promise<ServiceBusReceivedMessage[]> {
  if ('topic' in place) {
    const topic = topics.find((name) => place.topic.test(name));
    if (topic === undefined) return [];
    return await client.createReceiver(topic, place.subscription).peekMessages(MANY);
  }
  const options = place.isDeadLetterQueue === true ? { subQueueType: 'deadLetter' as const } : {};
  return await client.createReceiver(place.queue, options).peekMessages(MANY);
}

async function findEntityFault(
  connectionString: string,
  expected: { readonly queues: readonly string[]; readonly topics: readonly RegExp[] },
): Promise<string | undefined> {
  const admin = administer(connectionString);
  const queues: string[] = [];
  for await (const { name } of admin.listQueues()) queues.push(name);
  if (queues.sort().join() !== expected.queues.join()) {
    return `left the queues ${queues.join(', ')} instead of ${expected.queues.join(', ')}`;
  }
  const topics = await topicNames(connectionString);
  const areExpected = topics.every((name, index) => expected.topics[index]?.test(name) === true);
  if (!areExpected || topics.length !== expected.topics.length) {
    return `left the topics [${topics.join(', ')}] instead of [${expected.topics.join(', ')}]`;
  }
  for (const topic of topics) {
    for await (const { subscriptionName } of admin.listSubscriptions(topic)) {
      return `left the subscription ${subscriptionName} of ${topic}`;
    }
  }
  return undefined;
}

async function topicNames(connectionString: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of administer(connectionString).listTopics()) names.push(name);
  return names;
}

function describe(place: Place): string {
  if ('topic' in place) return `subscription ${place.subscription}`;
  return place.isDeadLetterQueue === true ? `the dead-letter queue of ${place.queue}` : place.queue;
}
