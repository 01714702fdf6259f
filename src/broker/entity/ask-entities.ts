// What is asked about entities by their names: looked at and listed. Looking is no use of them (IDL-03).

import { type CommandOf, inNamespace } from '../handler.js';
import { checkPage, pageOf } from './entity-page.js';
import type { Queue } from './queue.js';
import { queueInfo } from './queue-info.js';
import type { SortedNames } from './sorted-names.js';
import type { Subscription } from './subscription.js';
import type { Topic } from './topic.js';
import { subscriptionInfo, topicInfo } from './topic-info.js';

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
