// Deletes a queue, topic or subscription with its messages, locks and links (ENT-04, ENT-05, M36).

import type { BrokerParts } from '../broker-parts.js';
import type { RemovedStores } from '../event.js';
import { type CommandOf, inNamespace } from '../handler.js';
import type { Queue } from '../queue/queue.js';
import type { Result } from '../result.js';
import { sessionsOf } from '../sessions/message-sessions.js';
import { type Subscription, subscriptionOf, type Topic, topicOf } from '../topics/topic.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { claimEntity } from './namespace.js';

const DONE: Result = { kind: 'done' };

export const DELETE_QUEUE = inNamespace(
  ({ name }: CommandOf<'delete-queue'>, { namespace, claims }) => {
    const queue = namespace.queue(name);
    claimEntity(name, claims);
    return queue;
  },
  (queue: Queue, _command, parts, turn) => {
    deleteQueue(queue, parts, turn);
    return DONE;
  },
);

export const DELETE_TOPIC = inNamespace(
  ({ name }: CommandOf<'delete-topic'>, { namespace, claims }) => {
    const topic = namespace.topic(name);
    claimEntity(name, claims);
    return topic;
  },
  (topic: Topic, _command, parts, turn) => {
    deleteTopic(topic, parts, turn);
    return DONE;
  },
);

export const DELETE_SUBSCRIPTION = inNamespace(
  ({ topicName, name }: CommandOf<'delete-subscription'>, { namespace, claims }) => {
    const subscription = namespace.subscription(topicName, name);
    claimEntity(subscription.queue.main.path, claims);
    return subscription;
  },
  (subscription: Subscription, _command, parts, turn) => {
    subscription.queue.used(turn.now); // IDL-04
    deleteSubscription(subscription, parts, turn);
    return DONE;
  },
);

/** Deletes the queue, or the topic or subscription that it belongs to. */
export function deleteEntity(queue: Queue, parts: BrokerParts, turn: TurnInProgress): void {
  const topic = topicOf(queue);
  const subscription = subscriptionOf(queue);
  if (topic !== undefined) deleteTopic(topic, parts, turn);
  else if (subscription !== undefined) deleteSubscription(subscription, parts, turn);
  else deleteQueue(queue, parts, turn);
}

function deleteQueue(queue: Queue, parts: BrokerParts, turn: TurnInProgress): void {
  turn.activities?.push({ kind: 'entity-deleted', entity: 'queue', path: queue.main.path });
  empty(queue, parts, turn);
  turn.events.push({ kind: 'queue-removed', ...storesOf(queue) });
  parts.namespace.removeQueue(queue);
}

/** ENT-05: deletes its subscriptions as well. */
function deleteTopic(topic: Topic, parts: BrokerParts, turn: TurnInProgress): void {
  for (const subscription of [...topic.subscriptions.values()]) {
    removeSubscription(subscription, parts, turn);
  }
  empty(topic.intake, parts, turn);
  turn.activities?.push({ kind: 'entity-deleted', entity: 'topic', path: topic.intake.main.path });
  turn.events.push({ kind: 'topic-removed', ...storesOf(topic.intake) });
  parts.namespace.removeTopic(topic);
}

function deleteSubscription(subscription: Subscription, parts: BrokerParts, turn: TurnInProgress): void {
  removeSubscription(subscription, parts, turn);
  subscription.topic.subscriptionsEmptied();
}

function removeSubscription(subscription: Subscription, parts: BrokerParts, turn: TurnInProgress): void {
  const { queue, rules } = subscription;
  turn.activities?.push({ kind: 'entity-deleted', entity: 'subscription', path: queue.main.path });
  empty(queue, parts, turn);
  for (const { record } of rules) {
    subscription.removeRule(record.description.name);
    turn.events.push({ kind: 'rule-removed', storeId: queue.main.id, name: record.description.name });
  }
  turn.events.push({ kind: 'subscription-removed', ...storesOf(queue) });
  parts.namespace.removeSubscription(subscription);
}

/** ENT-05, X18: everything is gone at once; the rows are removed in pieces. */
function empty(queue: Queue, parts: BrokerParts, turn: TurnInProgress): void {
  const { discarded, links, namespace, sessionLocks } = parts;
  for (const store of queue.stores) {
    const hadOtherRows = store.rowsId !== store.id;
    if (!store.isEmpty) discarded.empty(store, namespace.takeRowsId(), turn);
    if (hadOtherRows) turn.events.push({ kind: 'store-closed', storeId: store.id });
    turn.touch(store); // it has no more due work
  }
  for (const { lock } of [...(sessionsOf(queue.main)?.held ?? [])])
    if (lock !== undefined) sessionLocks.end(lock);
  links.detachDeleted(queue, turn);
}

function storesOf({ main, deadLetters, description }: Queue): RemovedStores {
  const { enablePartitioning: isPartitioned } = description;
  return { storeId: main.id, deadLetterStoreId: deadLetters.id, isPartitioned };
}
