// Brings available messages and waiting credit together: the lowest number to whoever has waited longest (RCV-04, RCV-07).

import type { MessageStore } from '../entity/message-store.js';
import { removeMessage } from '../message/removal.js';
import type { StoredMessage } from '../message/stored-message.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { MessageLocks } from './message-lock.js';
import type { Receiver } from './receiver.js';

/** Delivers until messages or credit run out. */
export function dispatch(store: MessageStore, locks: MessageLocks, turn: TurnInProgress): void {
  while (!store.credits.isEmpty) {
    const message = store.log.takeFirst();
    if (message === undefined) return;
    const receiver = store.credits.use();
    if (receiver.receiveMode === 'peek-lock') deliverLocked(receiver, message, locks, turn);
    else deliverAndDelete(receiver, message, turn);
  }
}

/** RCV-03: locks are volatile, so nothing durable happens. */
function deliverLocked(
  receiver: Receiver,
  message: StoredMessage,
  locks: MessageLocks,
  turn: TurnInProgress,
): void {
  const lock = locks.lock(receiver.store, message, turn.now);
  turn.effects.push({
    kind: 'deliver',
    linkId: receiver.linkId,
    delivery: {
      contentId: message.contentId,
      properties: message.properties(),
      lockToken: lock.token,
      lockedUntil: lock.dueAt,
    },
  });
}

/** RCV-02: consumed once it is handed out, whatever becomes of it on the way. */
function deliverAndDelete(receiver: Receiver, message: StoredMessage, turn: TurnInProgress): void {
  removeMessage(receiver.store, message, turn);
  turn.effects.push({
    kind: 'deliver',
    linkId: receiver.linkId,
    delivery: {
      contentId: message.contentId,
      properties: message.properties(),
      lockToken: undefined,
      lockedUntil: undefined,
    },
  });
}
