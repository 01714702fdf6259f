// A lock that is neither settled nor renewed in time ends, and its message goes on as if it had been abandoned.

import type { TurnInProgress } from '../turn-in-progress.js';
import type { MessageLocks } from './message-lock.js';
import { returnCounted } from './redelivery.js';

/** Ends every lock whose `lockedUntil` has come (M13 of semantics D.3). */
export function expireLocks(locks: MessageLocks, turn: TurnInProgress): void {
  for (let lock = locks.due(turn.now); lock !== undefined; lock = locks.due(turn.now)) {
    locks.end(lock);
    returnCounted(lock.store, lock.message, [], turn);
  }
}
