// What is asked about entities by their names: made, changed, deleted, looked at and listed. Looking is no use of them (IDL-03).

import type { BrokerParts } from './broker-parts.js';
import type { Command } from './command.js';
import { deleteQueue, deleteSubscription, deleteTopic } from './entity/delete-entity.js';
import { checkPage, pageOf } from './entity/entity-page.js';
import { putQueue } from './entity/put-queue.js';
import { putSubscription, putTopic } from './entity/put-topic.js';
import { queueInfo } from './entity/queue-info.js';
import { subscriptionInfo, topicInfo } from './entity/topic-info.js';
import type { Result } from './result.js';
import type { TurnInProgress } from './turn-in-progress.js';

type Kind = 'queue' | 'topic' | 'subscription';

export type EntityCommand = Extract<
  Command,
  { kind: `put-${Kind}` | `delete-${Kind}` | `get-${Kind}-info` | `list-${Kind}s` }
>;

const DONE: Result = { kind: 'done' };

/** Throws ServiceBusError for a client's mistake, before anything is changed. */
export function performOnEntities(command: EntityCommand, parts: BrokerParts, turn: TurnInProgress): Result {
  const { namespace } = parts;
  switch (command.kind) {
    case 'put-queue':
      return putQueue(command, parts, turn);
    case 'delete-queue':
      deleteQueue(namespace.queue(command.name), parts, turn);
      return DONE;
    case 'get-queue-info':
      return { kind: 'queue-info', queue: queueInfo(namespace.queue(command.name)) };
    case 'list-queues':
      checkPage(command, 'queues', undefined);
      return { kind: 'queues', queues: pageOf(namespace.queuesByName, command).map(queueInfo) };
    case 'put-topic':
      return putTopic(command, parts, turn);
    case 'delete-topic':
      deleteTopic(namespace.topic(command.name), parts, turn);
      return DONE;
    case 'get-topic-info':
      return { kind: 'topic-info', topic: topicInfo(namespace.topic(command.name)) };
    case 'list-topics':
      checkPage(command, 'topics', undefined);
      return { kind: 'topics', topics: pageOf(namespace.topicsByName, command).map(topicInfo) };
    case 'put-subscription':
      return putSubscription(command, parts, turn);
    case 'delete-subscription': {
      const { topicName, name } = command;
      const subscription = namespace.subscription(topicName, name);
      subscription.queue.used(turn.now); // IDL-04
      deleteSubscription(subscription, parts, turn);
      return DONE;
    }
    case 'get-subscription-info': {
      const { topicName, name } = command;
      const subscription = subscriptionInfo(namespace.subscription(topicName, name));
      return { kind: 'subscription-info', subscription };
    }
    case 'list-subscriptions': {
      const { subscriptions } = namespace.topic(command.topicName);
      checkPage(command, 'subscriptions', command.topicName);
      const listed = pageOf(subscriptions.sorted, command).map(subscriptionInfo);
      return { kind: 'subscriptions', subscriptions: listed };
    }
  }
}
