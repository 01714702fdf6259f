// A receiver's hold on a session ends, by time or with its link, and with it all locks on the messages delivered under it.

import type { MessageStore } from '../entity/message-store.js';
import type { StoredMessage } from '../message/stored-message.js';
import { expireDue } from '../message/time-to-live.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { Links } from './links.js';
import type { MessageLocks } from './message-lock.js';
import type { Receiver } from './receiver.js';
import { returnCounted, returnUncounted } from './redelivery.js';
import { sessionLockLost } from './session-claim.js';
import type { SessionLock, SessionLocks } from './session-lock.js';

export type LockLists = { readonly locks: MessageLocks; readonly sessionLocks: SessionLocks };

type Return = (store: MessageStore, message: StoredMessage, changes: [], turn: TurnInProgress) => void;

/** X11: those who let the lock run out hear that it is lost (SES-12), and its deliveries count (SES-13). */
export function expireSessionLocks(lists: LockLists, links: Links, turn: TurnInProgress): void {
  const lost: Receiver[] = [];
  for (let lock = lists.sessionLocks.due(turn.now); lock !== undefined; ) {
    end(lock, returnCounted, lists, turn);
    lost.push(lock.receiver);
    lock = lists.sessionLocks.due(turn.now);
  }
  // When all has come back, and with the receivers still there to listen (TTL-07).
  for (const store of new Set(lost.map((receiver) => receiver.store))) expireDue(store, turn);
  for (const { linkId, store } of lost) {
    links.detach(linkId, turn);
    turn.effects.push({ kind: 'detach', linkId, error: sessionLockLost(store) });
  }
}

/** X12: given up with the link that held it; nothing is counted (SES-14, LNK-05). */
export function releaseSession(lock: SessionLock, lists: LockLists, turn: TurnInProgress): void {
  end(lock, returnUncounted, lists, turn);
  expireDue(lock.receiver.store, turn); // TTL-07: its receiver still listens
}

/** M14 and M29, or counted as after an abandon. */
function end(
  lock: SessionLock,
  giveBack: Return,
  { locks, sessionLocks }: LockLists,
  turn: TurnInProgress,
): void {
  const { store } = lock.receiver;
  const messages = [...lock.messageLocks].map((messageLock) => {
    locks.end(messageLock);
    return messageLock.message;
  });
  messages.sort((a, b) => a.sequenceNumber - b.sequenceNumber);
  for (const message of messages) giveBack(store, message, [], turn);
  sessionLocks.end(lock);
  turn.touch(store);
}
