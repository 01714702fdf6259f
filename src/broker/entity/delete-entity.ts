// A queue, topic or subscription ends, and with it its messages, locks and links (ENT-04, ENT-05, M36).

import type { Links } from '../delivery/links.js';
import type { MessageLocks } from '../delivery/message-lock.js';
import type { SessionLocks } from '../delivery/session-lock.js';
import { dropStates } from '../delivery/session-state.js';
import { removeMessage } from '../message/removal.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { Namespace } from './namespace.js';
import type { Queue } from './queue.js';
import type { Subscription } from './subscription.js';
import type { Topic } from './topic.js';

export type DeleteEntityResources = {
  readonly namespace: Namespace;
  readonly links: Links;
  readonly locks: MessageLocks;
  readonly sessionLocks: SessionLocks;
};

/** Whatever this queue belongs to. */
export function deleteEntity(queue: Queue, resources: DeleteEntityResources, turn: TurnInProgress): void {
  if (queue.topic !== undefined) deleteTopic(queue.topic, resources, turn);
  else if (queue.subscription !== undefined) deleteSubscription(queue.subscription, resources, turn);
  else deleteQueue(queue, resources, turn);
}

export function deleteQueue(queue: Queue, resources: DeleteEntityResources, turn: TurnInProgress): void {
  empty(queue, resources, turn);
  turn.events.push({ kind: 'queue-removed', ...storesOf(queue) });
  resources.namespace.removeQueue(queue);
}

/** ENT-05: its subscriptions go with it. */
export function deleteTopic(topic: Topic, resources: DeleteEntityResources, turn: TurnInProgress): void {
  for (const subscription of [...topic.subscriptions.values()]) {
    deleteSubscription(subscription, resources, turn);
  }
  empty(topic.intake, resources, turn);
  turn.events.push({ kind: 'topic-removed', ...storesOf(topic.intake) });
  resources.namespace.removeTopic(topic);
}

export function deleteSubscription(
  subscription: Subscription,
  resources: DeleteEntityResources,
  turn: TurnInProgress,
): void {
  const { queue, rules } = subscription;
  empty(queue, resources, turn);
  for (const { record } of rules) {
    subscription.removeRule(record.description.name);
    turn.events.push({ kind: 'rule-removed', storeId: queue.main.id, name: record.description.name });
  }
  turn.events.push({ kind: 'subscription-removed', ...storesOf(queue) });
  resources.namespace.removeSubscription(subscription);
}

function empty(
  queue: Queue,
  { links, locks, sessionLocks }: DeleteEntityResources,
  turn: TurnInProgress,
): void {
  for (const lock of locks.held(({ store }) => store.queue === queue)) locks.end(lock);
  for (const { lock } of [...(queue.main.sessions?.held ?? [])])
    if (lock !== undefined) sessionLocks.end(lock);
  links.detachDeleted(queue, turn);
  // ENT-05, X18
  for (const store of [queue.main, queue.deadLetters]) {
    for (const message of store.log.from(0)) {
      if (message.isAvailable) store.log.withdraw(message);
      removeMessage(store, message, turn);
    }
  }
  dropStates(queue.main, turn);
  for (const { sequenceNumber } of queue.messageIds.all()) {
    turn.events.push({ kind: 'message-id-forgotten', storeId: queue.main.id, sequenceNumber });
  }
  // Nothing of it is due any more.
  turn.touch(queue.main);
  turn.touch(queue.deadLetters);
}

function storesOf({ main, deadLetters }: Queue): { storeId: number; deadLetterStoreId: number } {
  return { storeId: main.id, deadLetterStoreId: deadLetters.id };
}
