// Brings available messages and waiting credit together: the lowest number to whoever has waited longest (RCV-04, RCV-07).

import type { MessageStore } from '../entity/message-store.js';
import { removeMessage } from '../message/removal.js';
import type { StoredMessage } from '../message/stored-message.js';
import { expire, isExpired } from '../message/time-to-live.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { MessageLocks } from './message-lock.js';
import type { Receiver } from './receiver.js';

/** Expired messages that one turn passes over; the credit then waits for the next, a millisecond later. */
const MAX_EXPIRED = 8192;

/** Delivers until messages or credit run out. */
export function dispatch(store: MessageStore, locks: MessageLocks, turn: TurnInProgress): void {
  let expiredCount = 0;
  while (!store.credits.isEmpty && expiredCount < MAX_EXPIRED) {
    const message = store.log.takeFirst();
    if (message === undefined) return;
    if (isExpired(store, message, turn.now)) {
      expire(store, message, turn); // RCV-13
      expiredCount += 1;
    } else deliver(message, store.credits.use(), locks, turn);
  }
}

/** Locked and nothing durable (RCV-03), or consumed once it is handed out, whatever becomes of it then (RCV-02). */
function deliver(
  message: StoredMessage,
  receiver: Receiver,
  locks: MessageLocks,
  turn: TurnInProgress,
): void {
  const { linkId, store, receiveMode } = receiver;
  // CRD-03: the lock begins here, however long the message then waits in its client.
  const lock = receiveMode === 'peek-lock' ? locks.lock(message, receiver, turn.now) : undefined;
  if (lock === undefined) removeMessage(store, message, turn);
  store.queue.accessedTime = turn.now;
  turn.effects.push({
    kind: 'deliver',
    linkId,
    delivery: {
      contentId: message.contentId,
      properties: message.properties(store.partitionIdOf(message)),
      lockToken: lock?.token,
      lockedUntil: lock?.dueAt,
    },
  });
}
