// Brings available messages and waiting credit together: the lowest number to whoever has waited longest (RCV-04, RCV-07),
// or, where sessions are required, to whoever holds its session.

import type { MessageStore } from '../entity/message-store.js';
import type { MessageSession } from '../message/message-session.js';
import { removeMessage } from '../message/removal.js';
import type { StoredMessage } from '../message/stored-message.js';
import { expire, isExpired, MAX_PASSED_OVER } from '../message/time-to-live.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { MessageLocks } from './message-lock.js';
import type { Receiver } from './receiver.js';

/** Delivers until messages or credit run out. */
export function dispatch(store: MessageStore, locks: MessageLocks, turn: TurnInProgress): void {
  const { sessions } = store;
  if (sessions === undefined) dispatchToAnyone(store, locks, turn);
  else for (const session of sessions.takeTouched()) dispatchToHolder(session, locks, turn);
}

function dispatchToAnyone(store: MessageStore, locks: MessageLocks, turn: TurnInProgress): void {
  let expiredCount = 0;
  while (!store.credits.isEmpty && expiredCount < MAX_PASSED_OVER) {
    const message = store.log.takeFirst();
    if (message === undefined) return;
    if (isExpired(store, message, turn.now)) {
      expire(store, [message], turn); // RCV-13
      expiredCount += 1;
    } else deliver(message, store.credits.use(), locks, turn);
  }
}

/** SES-05: in order, as many at a time as there is credit for (X7, X8). */
function dispatchToHolder(session: MessageSession, locks: MessageLocks, turn: TurnInProgress): void {
  const receiver = session.lock?.receiver;
  if (receiver === undefined) return;
  const { store } = receiver;
  let expiredCount = 0;
  for (let { first } = session; first !== undefined && receiver.credit > 0; { first } = session) {
    if (expiredCount === MAX_PASSED_OVER) {
      store.sessions?.touch(session);
      return;
    }
    store.log.withdraw(first);
    if (isExpired(store, first, turn.now)) {
      expire(store, [first], turn); // RCV-13
      expiredCount += 1;
    } else {
      receiver.useCredit();
      deliver(first, receiver, locks, turn);
    }
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
  store.queue.used(turn.now);
  turn.effects.push({
    kind: 'deliver',
    linkId,
    delivery: {
      contentId: message.contentId,
      properties: message.properties(store.partitionIdOf(message)),
      lockToken: lock?.token,
      lockedUntil: lock?.lockedUntil,
    },
  });
}
