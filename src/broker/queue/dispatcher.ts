// Delivers available messages to receivers with credit: the lowest number goes to the receiver that has waited longest (RCV-04,
// RCV-07) or, in an entity that requires sessions, to the holder of the message's session.

import type { CreditEntry } from '../store/credit-queue.js';
import type { MessageStore } from '../store/queue.js';
import type { Receiver } from '../store/receiver.js';
import { LATER } from '../store/selector-cursor.js';
import type { StoreSession } from '../store/store-ports.js';
import type { StoreSelection } from '../store/store-selection.js';
import type { StoredMessage } from '../store/stored-message.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { Examiner, type ExaminerParts } from './examine.js';
import type { MessageLocks } from './message-lock.js';
import { consume } from './outcomes.js';
import { expire } from './time-to-live.js';

export type GivenCredit = { readonly deliveryLimit: number; readonly drain: boolean };

export type DispatchParts = ExaminerParts & { readonly locks: MessageLocks };

/** Sets how many more deliveries a receiver takes; with `drain` the unused rest is discarded after this dispatch (CRD). */
export function giveCredit(
  store: MessageStore,
  receiver: Receiver,
  { deliveryLimit, drain }: GivenCredit,
  parts: DispatchParts,
  turn: TurnInProgress,
): void {
  store.queue.used(turn.now);
  // Any limit is accepted (LIM-18). It counts from the attach, so that unused credit stays until messages come (CRD-05).
  setCredit(store, receiver, Math.max(0, deliveryLimit - receiver.usedCredit));
  const { selection } = store;
  if (selection?.isNeeded === true) {
    // JMS-36: the answer comes when nothing more is found, which may take several turns
    if (drain) selection.draining.add(receiver);
    else selection.draining.delete(receiver);
    dispatch(store, parts, turn);
    if (store.hasDeliveries) turn.touch(store);
    return;
  }
  dispatch(store, parts, turn); // CRD-01
  if (store.hasDeliveries) turn.touch(store); // the next turn continues
  if (!drain) return;
  answerDrain(store, receiver, turn);
}

/** CRD-02: the answer comes even when no credit is left. */
function answerDrain(store: MessageStore, receiver: Receiver, turn: TurnInProgress): void {
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
export function dispatch(store: MessageStore, parts: DispatchParts, turn: TurnInProgress): void {
  const { sessions, selection } = store;
  // A tick goes on: ten thousand links that begin or end at once must not look through hundreds of messages each, nor one of them each
  // millisecond because that is due before its command.
  const isSelected = selection?.isNeeded === true;
  const isLeft = isSelected && (selection.isUnfinished || turn.now < selection.restsUntil);
  if (selection !== undefined) selection.isUnfinished = isSelected;
  if (isLeft && !turn.isTick) return;
  if (store.locks.hasDue(turn.now)) return; // RCV-07: messages that are still to come back are before others
  if (isSelected) dispatchSelected(store, selection, parts, turn);
  else if (sessions === undefined) dispatchToAnyone(store, parts, turn);
  else for (const session of sessions.takeTouched()) dispatchToHolder(store, session, parts, turn);
}

function dispatchToAnyone(store: MessageStore, parts: DispatchParts, turn: TurnInProgress): void {
  while (!store.credits.isEmpty) {
    if (turn.isShareUsed) return;
    const message = store.log.takeFirst();
    if (message === undefined) return;
    if (store.isExpired(message, turn.now))
      expire(store, [message], turn); // RCV-13
    else deliver(store, message, store.credits.use(), parts.locks, turn);
  }
}

/** The cost of a look at one receiver in line, in copies of a message. */
const LOOK_COST = 0.02;
/** Commands that follow within this time upon a dispatch that opened more messages leave the rest to the next tick. */
const LONG_LOOK = 100;
const REST_MS = 10;

/** JMS-82: each message goes to the first in line whose selector takes it, and one that nobody takes holds up no other. */
function dispatchSelected(
  store: MessageStore,
  selection: StoreSelection,
  parts: DispatchParts,
  turn: TurnInProgress,
): void {
  const examiner = new Examiner(store, parts, turn);
  for (;;) {
    const next = turn.isShareUsed ? LATER : nextSelected(store, selection, examiner, turn);
    selection.isUnfinished = next === LATER;
    if (next === undefined || next === LATER) break;
    const { message, entry } = next;
    store.log.withdraw(message);
    if (store.isExpired(message, turn.now))
      expire(store, [message], turn); // RCV-13
    else deliver(store, message, store.credits.use(entry), parts.locks, turn);
  }
  if (examiner.count > LONG_LOOK) selection.restsUntil = turn.now + REST_MS;
  for (const receiver of selection.draining) {
    if (selection.isUnfinished && receiver.credit > 0) continue;
    selection.draining.delete(receiver);
    answerDrain(store, receiver, turn);
  }
}

type Selected = { readonly message: StoredMessage; readonly entry: CreditEntry };

/** The message with the lowest number that anybody takes, and who is first in line for it. */
function nextSelected(
  store: MessageStore,
  selection: StoreSelection,
  examiner: Examiner,
  turn: TurnInProgress,
): Selected | typeof LATER | undefined {
  let next: Selected | undefined;
  /** Messages from this number on may yet be for somebody who is before all that follow. */
  let limit = Number.POSITIVE_INFINITY;
  for (const entry of store.credits.entries()) {
    turn.changed(LOOK_COST);
    const cursor = selection.cursorOf(entry.receiver);
    const { filter } = cursor;
    const message = cursor.first(store.log, (one) => examiner.takes(filter, one));
    if (message === LATER) limit = Math.min(limit, cursor.position);
    else if (message !== undefined && message.sequenceNumber < limit) {
      if (next === undefined || message.sequenceNumber < next.message.sequenceNumber)
        next = { message, entry };
    }
    if (filter === undefined) break; // nobody behind it has a lower one
  }
  return next ?? (limit === Number.POSITIVE_INFINITY ? undefined : LATER);
}

/** SES-05: delivers messages of a session in order, up to its holder's credit (X7, X8). */
function dispatchToHolder(
  store: MessageStore,
  session: StoreSession,
  parts: DispatchParts,
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
      deliver(store, first, receiver, parts.locks, turn);
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
