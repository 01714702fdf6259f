// Shows the work in progress: locks, open transactions, and messages that something may still take on. Nothing is changed.

import type { InspectedWork } from '../contract/inspection.js';
import type { MessageLock } from '../queue/message-lock.js';
import type { MessageStore } from '../store/queue.js';
import { inNamespace } from '../turn/handler.js';
import { inspectLock } from './inspect-holds.js';

/** Walks over all stores and all locks. */
export const INSPECT_WORK = inNamespace(
  () => undefined,
  (_check, _command, { namespace, locks, transactions }) => {
    const stores = [...namespace.stores()];
    return {
      kind: 'inspected-work',
      work: {
        locked: lockedIn(locks.held(() => true)),
        moving: stores.flatMap(movingFrom),
        available: stores.flatMap(availableIn),
        openTransactionCount: transactions.openCount,
      },
    };
  },
);

/** The locks of each store: their number, and the one that began first. */
function lockedIn(locks: readonly MessageLock[]): InspectedWork['locked'] {
  const byStore = new Map<MessageStore, { count: number; first: MessageLock }>();
  for (const lock of locks) {
    const held = byStore.get(lock.store);
    if (held === undefined) byStore.set(lock.store, { count: 1, first: lock });
    else held.count += 1;
  }
  return [...byStore].map(([{ path }, { count, first }]) => ({ path, count, first: inspectLock(first) }));
}

function movingFrom({ kind, log, queue, path, forwardsTo }: MessageStore): InspectedWork['moving'] {
  if (kind === 'fan-out') return log.count === 0 ? [] : [{ path, count: log.count, destination: undefined }];
  if (kind !== 'transfer') {
    const count = log.availableCount;
    return forwardsTo === undefined || count === 0 ? [] : [{ path, count, destination: forwardsTo }];
  }
  const [first] = log.from(0);
  if (first === undefined) return [];
  return [{ path: queue.main.path, count: log.count, destination: first.details?.destination }];
}

function availableIn(store: MessageStore): InspectedWork['available'] {
  const { kind, log, path, forwardsTo, receiverCount } = store;
  const count = log.availableCount;
  if (count === 0 || kind === 'transfer' || kind === 'fan-out' || forwardsTo !== undefined) return [];
  if (store.isDeadLetterQueue && receiverCount === 0) return [];
  return [{ path, count, receiverCount }];
}
