// A receiver says how many more deliveries it takes, or gives up what is left (CRD).

import type { TurnInProgress } from '../turn-in-progress.js';
import { dispatch } from './dispatcher.js';
import type { MessageLocks } from './message-lock.js';
import type { Receiver } from './receiver.js';

export type GivenCredit = { readonly deliveryLimit: number; readonly drain: boolean };

export function giveCredit(
  receiver: Receiver,
  { deliveryLimit, drain }: GivenCredit,
  locks: MessageLocks,
  turn: TurnInProgress,
): void {
  receiver.store.queue.used(turn.now);
  // Whatever the limit is (LIM-18). It counts from the attach, so that credit once given waits for messages (CRD-05).
  setCredit(receiver, Math.max(0, deliveryLimit - receiver.usedCredit));
  dispatch(receiver.store, locks, turn); // CRD-01
  if (!drain) return;
  // CRD-02: answered also when nothing is left to give up
  receiver.usedCredit += receiver.credit;
  setCredit(receiver, 0);
  turn.effects.push({ kind: 'drained', linkId: receiver.linkId, deliveredCount: receiver.usedCredit });
}

/** Where there are sessions nobody has to line up: each receiver has messages of its own (X7). */
export function setCredit(receiver: Receiver, credit: number): void {
  const { sessions, credits } = receiver.store;
  if (sessions === undefined) credits.setCredit(receiver, credit);
  else {
    receiver.credit = credit;
    if (receiver.sessionLock !== undefined) sessions.touch(receiver.sessionLock.session);
  }
}
