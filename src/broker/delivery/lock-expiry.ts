// A lock that is neither settled nor renewed in time ends, and its message goes on as if it had been abandoned.

import type { TurnInProgress } from '../turn-in-progress.js';
import type { MessageLocks } from './message-lock.js';
import { returnCounted, returnUncounted } from './redelivery.js';

/** Ends every lock whose `lockedUntil` has come (M13 of semantics D.3). */
export function expireLocks(locks: MessageLocks, turn: TurnInProgress): void {
  for (let lock = locks.due(turn.now); lock !== undefined; lock = locks.due(turn.now)) {
    locks.end(lock);
    returnCounted(lock.store, lock.message, [], turn);
  }
}

/** LNK-04: what a receiver still held when its link went, and settles in no transaction. */
export function releaseLocksOf(linkId: number, locks: MessageLocks, turn: TurnInProgress): void {
  for (const lock of locks.held((one) => one.linkId === linkId && one.pinnedBy === undefined)) {
    locks.end(lock);
    returnUncounted(lock.store, lock.message, [], turn);
  }
}
