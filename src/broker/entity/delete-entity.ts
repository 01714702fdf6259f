// A queue, topic or subscription ends, and with it its messages, locks and links (ENT-04, ENT-05, M36).

import type { BrokerParts } from '../broker-parts.js';
import { dropStates } from '../delivery/session-state.js';
import { type CommandOf, inNamespace } from '../handler.js';
import { removeMessage } from '../message/removal.js';
import type { Result } from '../result.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { claimEntity } from './namespace.js';
import type { Queue } from './queue.js';
import type { Subscription } from './subscription.js';
import type { Topic } from './topic.js';

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

/** Whatever this queue belongs to. */
export function deleteEntity(queue: Queue, parts: BrokerParts, turn: TurnInProgress): void {
  if (queue.topic !== undefined) deleteTopic(queue.topic, parts, turn);
  else if (queue.subscription !== undefined) deleteSubscription(queue.subscription, parts, turn);
  else deleteQueue(queue, parts, turn);
}

function deleteQueue(queue: Queue, parts: BrokerParts, turn: TurnInProgress): void {
  empty(queue, parts, turn);
  turn.events.push({ kind: 'queue-removed', ...storesOf(queue) });
  parts.namespace.removeQueue(queue);
}

/** ENT-05: its subscriptions go with it. */
function deleteTopic(topic: Topic, parts: BrokerParts, turn: TurnInProgress): void {
  for (const subscription of [...topic.subscriptions.values()]) {
    deleteSubscription(subscription, parts, turn);
  }
  empty(topic.intake, parts, turn);
  turn.events.push({ kind: 'topic-removed', ...storesOf(topic.intake) });
  parts.namespace.removeTopic(topic);
}

function deleteSubscription(subscription: Subscription, parts: BrokerParts, turn: TurnInProgress): void {
  const { queue, rules } = subscription;
  empty(queue, parts, turn);
  for (const { record } of rules) {
    subscription.removeRule(record.description.name);
    turn.events.push({ kind: 'rule-removed', storeId: queue.main.id, name: record.description.name });
  }
  turn.events.push({ kind: 'subscription-removed', ...storesOf(queue) });
  parts.namespace.removeSubscription(subscription);
}

function empty(queue: Queue, { links, locks, sessionLocks }: BrokerParts, turn: TurnInProgress): void {
  for (const lock of locks.held(({ store }) => store.queue === queue)) locks.end(lock);
  for (const { lock } of [...(queue.main.sessions?.held ?? [])])
    if (lock !== undefined) sessionLocks.end(lock);
  links.detachDeleted(queue, turn);
  // ENT-05, X18
  for (const store of queue.stores) {
    for (const message of store.log.from(0)) {
      if (message.isAvailable) store.log.withdraw(message);
      removeMessage(store, message, turn);
    }
  }
  dropStates(queue.main, turn);
  for (const { sequenceNumber } of queue.messageIds.all()) {
    turn.events.push({ kind: 'message-id-forgotten', storeId: queue.main.id, sequenceNumber });
  }
  for (const store of queue.stores) turn.touch(store); // nothing of it is due any more
}

function storesOf({ main, deadLetters }: Queue): { storeId: number; deadLetterStoreId: number } {
  return { storeId: main.id, deadLetterStoreId: deadLetters.id };
}
