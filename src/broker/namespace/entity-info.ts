// Descriptions, counters and times of entities, one or a list (CNT-01 to CNT-03). Reading them does not count as use (IDL-03).

import { checkPage, pageOf, type SortedNames } from '../entities/sorted-names.js';
import { type CommandOf, inNamespace } from '../handler.js';
import type { Queue } from '../queue/queue.js';
import type { MessageCounts, QueueInfo, SubscriptionInfo, TopicInfo } from '../result.js';
import type { Subscription, Topic } from '../topics/topic.js';

export const GET_QUEUE_INFO = inNamespace(
  ({ name }: CommandOf<'get-queue-info'>, { namespace }) => namespace.queue(name),
  (queue: Queue) => ({ kind: 'queue-info', queue: queueInfo(queue) }),
);

export const GET_TOPIC_INFO = inNamespace(
  ({ name }: CommandOf<'get-topic-info'>, { namespace }) => namespace.topic(name),
  (topic: Topic) => ({ kind: 'topic-info', topic: topicInfo(topic) }),
);

export const GET_SUBSCRIPTION_INFO = inNamespace(
  ({ topicName, name }: CommandOf<'get-subscription-info'>, { namespace }) =>
    namespace.subscription(topicName, name),
  (found: Subscription) => ({ kind: 'subscription-info', subscription: subscriptionInfo(found) }),
);

export const LIST_QUEUES = inNamespace(
  (page: CommandOf<'list-queues'>) => checkPage(page, 'queues', undefined),
  (_change: unknown, page, { namespace }) => ({
    kind: 'queues',
    queues: pageOf(namespace.queuesByName, page).map(queueInfo),
  }),
);

export const LIST_TOPICS = inNamespace(
  (page: CommandOf<'list-topics'>) => checkPage(page, 'topics', undefined),
  (_change: unknown, page, { namespace }) => ({
    kind: 'topics',
    topics: pageOf(namespace.topicsByName, page).map(topicInfo),
  }),
);

export const LIST_SUBSCRIPTIONS = inNamespace(
  (command: CommandOf<'list-subscriptions'>, { namespace }) => {
    const { subscriptions } = namespace.topic(command.topicName);
    checkPage(command, 'subscriptions', command.topicName);
    return subscriptions;
  },
  (subscriptions: SortedNames<Subscription>, page) => ({
    kind: 'subscriptions',
    subscriptions: pageOf(subscriptions.sorted, page).map(subscriptionInfo),
  }),
);

type TransferCounts = Pick<MessageCounts, 'transfer' | 'transferDeadLetter'>;

const NO_TRANSFERS: TransferCounts = { transfer: 0, transferDeadLetter: 0 };

/** TXN-12. */
function transferCounts({ transfers, transferDeadLetters }: Queue): TransferCounts {
  if (transfers === undefined) return NO_TRANSFERS;
  return { transfer: transfers.log.count, transferDeadLetter: transferDeadLetters.log.count };
}

export function queueInfo(queue: Queue): QueueInfo {
  const { main, deadLetters } = queue;
  return {
    description: queue.description,
    counts: {
      active: main.log.count - main.scheduled.count, // CNT-01: includes locked and deferred messages
      scheduled: main.scheduled.count,
      deadLetter: deadLetters.log.count,
      ...transferCounts(queue),
    },
    sizeBytes: queue.sizeBytes, // CNT-02
    createdTime: queue.createdTime,
    updatedTime: queue.updatedTime,
    accessedTime: queue.isUsed ? queue.accessedTime : undefined,
  };
}

export function topicInfo({ description, intake, subscriptions, filterCounts }: Topic): TopicInfo {
  return {
    description,
    counts: {
      active: 0, // CNT-01: active messages are in the subscriptions, and a topic dead-letters nothing
      scheduled: intake.main.scheduled.count,
      deadLetter: 0,
      ...transferCounts(intake),
    },
    subscriptionCount: subscriptions.size,
    filterCounts: { ...filterCounts },
    sizeBytes: intake.sizeBytes,
    createdTime: intake.createdTime,
    updatedTime: intake.updatedTime,
    accessedTime: intake.isUsed ? intake.accessedTime : undefined,
  };
}

export function subscriptionInfo({ topic, description, queue }: Subscription): SubscriptionInfo {
  const { main, deadLetters, createdTime, updatedTime, accessedTime } = queue;
  const counts = {
    active: main.log.count,
    scheduled: 0,
    deadLetter: deadLetters.log.count,
    ...transferCounts(queue),
  };
  const topicName = topic.description.name;
  return { topicName, description, counts, createdTime, updatedTime, accessedTime };
}
