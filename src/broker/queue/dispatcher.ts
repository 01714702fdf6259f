// Delivers available messages to receivers with credit: the lowest number goes to the receiver that has waited longest (RCV-04,
// RCV-07) or, in an entity that requires sessions, to the holder of the message's session.

import type { MessageStore } from '../store/queue.js';
import type { Receiver } from '../store/receiver.js';
import type { StoreSession } from '../store/store-ports.js';
import type { StoredMessage } from '../store/stored-message.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import type { MessageLocks } from './message-lock.js';
import { consume } from './outcomes.js';
import { expire } from './time-to-live.js';

export type GivenCredit = { readonly deliveryLimit: number; readonly drain: boolean };

/** Sets how many more deliveries a receiver takes; with `drain` the unused rest is discarded after this dispatch (CRD). */
export function giveCredit(
  store: MessageStore,
  receiver: Receiver,
  { deliveryLimit, drain }: GivenCredit,
  locks: MessageLocks,
  turn: TurnInProgress,
): void {
  store.queue.used(turn.now);
  // Any limit is accepted (LIM-18). It counts from the attach, so that unused credit stays until messages come (CRD-05).
  setCredit(store, receiver, Math.max(0, deliveryLimit - receiver.usedCredit));
  dispatch(store, locks, turn); // CRD-01
  if (store.hasDeliveries) turn.touch(store); // the next turn continues
  if (!drain) return;
  // CRD-02: the answer comes even when no credit is left
  receiver.usedCredit += receiver.credit;
  setCredit(store, receiver, 0);
  turn.effects.push({ kind: 'drained', linkId: receiver.linkId, deliveredCount: receiver.usedCredit });
}

/** With sessions receivers do not compete for messages: each holds a session of its own (X7). */
export function setCredit({ sessions, credits }: MessageStore, receiver: Receiver, credit: number): void {
  if (sessions === undefined) credits.setCredit(receiver, credit);
  else {
    receiver.credit = credit;
    sessions.touch(receiver);
  }
}

/** Delivers until messages or credit run out, or the turn is full. */
export function dispatch(store: MessageStore, locks: MessageLocks, turn: TurnInProgress): void {
  const { sessions } = store;
  if (store.locks.hasDue(turn.now)) return; // RCV-07: messages that are still to come back are before others
  if (sessions === undefined) dispatchToAnyone(store, locks, turn);
  else for (const session of sessions.takeTouched()) dispatchToHolder(store, session, locks, turn);
}

function dispatchToAnyone(store: MessageStore, locks: MessageLocks, turn: TurnInProgress): void {
  while (!store.credits.isEmpty) {
    if (turn.isShareUsed) return;
    const message = store.log.takeFirst();
    if (message === undefined) return;
    if (store.isExpired(message, turn.now))
      expire(store, [message], turn); // RCV-13
    else deliver(store, message, store.credits.use(), locks, turn);
  }
}

/** SES-05: delivers messages of a session in order, up to its holder's credit (X7, X8). */
function dispatchToHolder(
  store: MessageStore,
  session: StoreSession,
  locks: MessageLocks,
  turn: TurnInProgress,
): void {
  const receiver = session.holder;
  if (receiver === undefined || receiver.sessionLock?.isHeldAt(turn.now) !== true) return;
  for (let { first } = session; first !== undefined && receiver.credit > 0; { first } = session) {
    if (turn.isShareUsed) {
      store.sessions?.touch(receiver);
      return;
    }
    store.log.withdraw(first);
    if (store.isExpired(first, turn.now))
      expire(store, [first], turn); // RCV-13
    else {
      receiver.useCredit();
      deliver(store, first, receiver, locks, turn);
    }
  }
}

/** Locks the message, which changes nothing durable (RCV-03), or removes it, however the delivery ends (RCV-02). */
function deliver(
  store: MessageStore,
  message: StoredMessage,
  receiver: Receiver,
  locks: MessageLocks,
  turn: TurnInProgress,
): void {
  const { linkId, receiveMode } = receiver;
  // CRD-03: the lock starts here, even if the message then waits in the client's buffer.
  const lock = receiveMode === 'peek-lock' ? locks.lock(store, message, receiver, turn) : undefined;
  const removed = lock === undefined ? message.record() : undefined;
  if (lock === undefined) consume(store, message, linkId, turn);
  store.queue.used(turn.now);
  turn.effects.push({
    kind: 'deliver',
    linkId,
    delivery: {
      contentId: message.contentId,
      storeId: store.id,
      removed,
      properties: message.properties(store.partitionIdOf(message)),
      lockToken: lock?.token,
      lockedUntil: lock?.lockedUntil,
    },
  });
}
