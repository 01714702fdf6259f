// Shows entities with exact counts, links and times. The counts are kept up to date as messages move; the links are counted by
// one walk over all of them, and the oldest active message is looked for behind the messages that are locked or deferred.

import type {
  AttachedCounts,
  InspectedCounts,
  InspectedEntity,
  InspectedQueue,
  InspectedSubscription,
  InspectedTopic,
} from '../contract/inspection.js';
import type { Instant } from '../contract/instant.js';
import type { Links } from '../queue/links.js';
import { sessionsOf } from '../sessions/message-sessions.js';
import { PARTITION_COUNT, PARTITION_SIZE } from '../store/partition.js';
import type { MessageStore, Queue } from '../store/queue.js';
import { type Subscription, subscriptionOf, type Topic, topicOf } from '../topics/topic.js';
import { type CommandOf, inNamespace } from '../turn/handler.js';
import { conditionCounts } from './inspected-store.js';

type Counts = { -readonly [Role in keyof AttachedCounts]: AttachedCounts[Role] };
type LinkCounts = ReadonlyMap<Queue, AttachedCounts>;

const NO_LINKS: AttachedCounts = { senders: 0, receivers: 0, browsers: 0 };

export const INSPECT_NAMESPACE = inNamespace(
  ({ path }: CommandOf<'inspect-namespace'>, { namespace }) =>
    path === undefined ? namespace.topLevel : [namespace.entity(path)],
  (found: readonly Queue[], _command, { links }) => {
    const linkCounts = countLinks(links);
    return { kind: 'inspected-entities', entities: found.map((queue) => inspect(queue, linkCounts)) };
  },
);

function countLinks(links: Links): LinkCounts {
  const byQueue = new Map<Queue, Counts>();
  for (const { role, store } of links.attached()) {
    const counts = byQueue.get(store.queue) ?? { ...NO_LINKS };
    byQueue.set(store.queue, counts);
    counts[`${role}s`] += 1;
  }
  return byQueue;
}

function inspect(queue: Queue, links: LinkCounts): InspectedEntity {
  const topic = topicOf(queue);
  if (topic !== undefined) return inspectTopic(topic, links);
  const subscription = subscriptionOf(queue);
  return subscription === undefined ? inspectQueue(queue, links) : inspectSubscription(subscription, links);
}

function inspectQueue(queue: Queue, links: LinkCounts): InspectedQueue {
  return { kind: 'queue', description: queue.description, ...storeFields(queue, links) };
}

function inspectTopic({ description, intake, subscriptions }: Topic, links: LinkCounts): InspectedTopic {
  return {
    kind: 'topic',
    description,
    ...fields(intake, links),
    subscriptions: subscriptions.sorted.map((each) => inspectSubscription(each, links)),
  };
}

function inspectSubscription(
  { topic, description, queue, rules }: Subscription,
  links: LinkCounts,
): InspectedSubscription {
  return {
    kind: 'subscription',
    topicName: topic.description.name,
    description,
    ruleNames: rules.map(({ record }) => record.description.name),
    ...storeFields(queue, links),
  };
}

function storeFields(queue: Queue, links: LinkCounts) {
  const sessions = sessionsOf(queue.main);
  return {
    ...fields(queue, links),
    oldestActiveTime: oldestActiveTime(queue.main),
    sessions: sessions && { count: sessions.count, held: sessions.held.size },
  };
}

function fields(queue: Queue, links: LinkCounts) {
  const { main, sizeBytes, createdTime, updatedTime, isUsed, accessedTime } = queue;
  return {
    path: main.path,
    counts: countsOf(queue),
    attached: links.get(queue) ?? NO_LINKS,
    sizeBytes,
    createdTime,
    updatedTime,
    accessedTime: isUsed ? accessedTime : undefined,
  };
}

function countsOf(queue: Queue): InspectedCounts {
  const { owner, main, deadLetters, transfers } = queue;
  return {
    ...conditionCounts(main),
    deadLetter: owner?.kind === 'topic' ? 0 : deadLetters.log.count,
    transfer: transfers?.log.count ?? 0,
    // The store is made by the first look at it.
    transferDeadLetter: transfers === undefined ? 0 : queue.transferDeadLetters.log.count,
  };
}

/** A partitioned store has a first message in each partition. */
function oldestActiveTime({ log, queue }: MessageStore): Instant | undefined {
  if (!log.hasAvailable) return undefined;
  const partitionCount = queue.description.enablePartitioning ? PARTITION_COUNT : 1;
  let oldest: Instant | undefined;
  for (let partitionId = 0; partitionId < partitionCount; partitionId++) {
    const time = log.firstAvailableFrom(partitionId * PARTITION_SIZE)?.enqueuedTime;
    if (time !== undefined && (oldest === undefined || time < oldest)) oldest = time;
  }
  return oldest;
}
