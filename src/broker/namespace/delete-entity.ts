// Deletes a queue, topic or subscription with its messages, locks and links (ENT-04, ENT-05, M36).

import { forgetImports } from '../queue/import-marks.js';
import { sessionsOf } from '../sessions/message-sessions.js';
import type { Queue } from '../store/queue.js';
import { subscriptionOf, topicOf } from '../topics/topic.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inNamespace } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { claimEntity } from './namespace.js';

export const DELETE_ENTITY = inNamespace(
  ({ entityPath }: CommandOf<'delete-entity'>, { namespace, claims }) => {
    const queue = namespace.entity(entityPath);
    claimEntity(entityPath, claims);
    return queue;
  },
  (queue: Queue, _command, parts, turn) => {
    queue.used(turn.now); // IDL-04
    deleteEntity(queue, parts, turn);
    return { kind: 'done' };
  },
);

/** Deletes the queue, or the topic or subscription that it belongs to. ENT-05: deletes the subscriptions of a topic as well. */
export function deleteEntity(queue: Queue, parts: BrokerParts, turn: TurnInProgress): void {
  const subscriptions = [...(topicOf(queue)?.subscriptions.values() ?? [])];
  const queues = [...subscriptions.map((subscription) => subscription.queue), queue];
  parts.locks.forget(queues.flatMap(({ stores }) => stores));
  for (const each of queues) remove(each, parts, turn);
  subscriptionOf(queue)?.topic.subscriptionsEmptied();
}

function remove(queue: Queue, parts: BrokerParts, turn: TurnInProgress): void {
  const { main, deadLetters, type, description } = queue;
  turn.activities?.push({ kind: 'entity-deleted', entity: type, path: main.path });
  empty(queue, parts, turn);
  const subscription = subscriptionOf(queue);
  for (const { record } of subscription?.rules ?? []) {
    subscription?.removeRule(record.description.name);
    turn.events.push({ kind: 'rule-removed', storeId: main.id, name: record.description.name });
  }
  turn.events.push({
    kind: 'entity-removed',
    type,
    storeId: main.id,
    deadLetterStoreId: deadLetters.id,
    isPartitioned: description.enablePartitioning,
  });
  parts.namespace.remove(queue);
}

/** ENT-05, X18: everything is gone at once; the rows are removed in pieces. */
function empty(queue: Queue, parts: BrokerParts, turn: TurnInProgress): void {
  const { discarded, links, namespace, sessionLocks } = parts;
  for (const store of queue.stores) {
    const hadOtherRows = store.rowsId !== store.id;
    forgetImports(store, turn);
    if (!store.isEmpty) discarded.empty(store, namespace.takeRowsId(), turn);
    if (hadOtherRows) turn.events.push({ kind: 'store-closed', storeId: store.id });
    turn.touch(store); // it has no more due work
  }
  for (const { lock } of [...(sessionsOf(queue.main)?.held ?? [])])
    if (lock !== undefined) sessionLocks.end(lock);
  links.detachDeleted(queue, turn);
}
