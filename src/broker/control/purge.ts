// Empties stores. Links stay attached, locks are lost, and sequence numbers go on.

import type { Result } from '../contract/result.js';
import { forgetImports } from '../queue/import-marks.js';
import type { MessageStore } from '../store/queue.js';
import { subscriptionOf, topicOf } from '../topics/topic.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inNamespace } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { inspectedStore } from './inspected-store.js';

/** Counts as use of the entity (IDL-03). */
export const PURGE = inNamespace(
  ({ entityPath }: CommandOf<'purge'>, { namespace }) => purgedStores(inspectedStore(entityPath, namespace)),
  (stores: readonly MessageStore[], _command, parts, turn) => {
    for (const { queue } of stores) queue.used(turn.now);
    return purgeStores(stores, parts, turn);
  },
);

/** A topic itself holds scheduled messages and waiting copies: its subscriptions are purged with it. */
function purgedStores(store: MessageStore): readonly MessageStore[] {
  const topic = store.kind === 'main' ? topicOf(store.queue) : undefined;
  if (topic === undefined) return [store];
  return [store, topic.waiting, ...[...topic.subscriptions.values()].map(({ queue }) => queue.main)];
}

export function purgeStores(
  stores: readonly MessageStore[],
  parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  parts.locks.forget(stores);
  let count = 0;
  for (const store of stores) forgetImports(store, turn);
  for (const store of stores) if (!store.isEmpty) count += purge(store, parts, turn);
  const topics = new Set(stores.map(({ queue }) => subscriptionOf(queue)?.topic));
  for (const topic of topics) topic?.subscriptionsEmptied();
  return { kind: 'purged', count };
}

function purge(store: MessageStore, { namespace, discarded }: BrokerParts, turn: TurnInProgress): number {
  const messageCount = discarded.empty(store, namespace.takeRowsId(), turn);
  turn.events.push({ kind: 'store-emptied', storeId: store.id, rowsId: store.rowsId });
  if (messageCount > 0) turn.activities?.push({ kind: 'purged', path: store.path, messageCount });
  return messageCount;
}
