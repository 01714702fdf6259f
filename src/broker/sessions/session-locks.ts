// All session locks. A lock ends by expiry or with its receiver's link, and the locks on the session's messages end with it.

import { DueQueue } from '../collections/due-queue.js';
import { assert } from '../contract/assert.js';
import type { Instant } from '../contract/instant.js';
import type { ServiceBusError } from '../contract/service-bus-error.js';
import type { Links } from '../queue/links.js';
import { countedEnd, endOf, type MessageLocks } from '../queue/message-lock.js';
import { returnCounted, returnUncounted } from '../queue/outcomes.js';
import { expireDue } from '../queue/time-to-live.js';
import type { MessageStore } from '../store/queue.js';
import type { Receiver } from '../store/receiver.js';
import { sessionLockLost } from '../store/session-claim.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { SessionLock } from './message-session.js';
import { sessionLockOf, sessionsOf } from './message-sessions.js';

/** The messages of a session that are given back together: 100,000 at once would take 270 ms. */
const MAX_RETURNED = 250;
/** The session locks that end in a turn: each detaches a link. */
const MAX_LOST = 200;

export class SessionLocks {
  readonly #dueQueue = new DueQueue<SessionLock>();

  /** Locks a session that is free or does not exist yet (SES-06) for a receiver that holds none. */
  lock(store: MessageStore, receiver: Receiver, sessionId: string, now: Instant): SessionLock {
    const sessions = sessionsOf(store);
    assert(
      sessions !== undefined && receiver.sessionLock === undefined,
      'a receiver cannot hold two sessions',
    );
    const session = sessions.open(sessionId);
    const lock = new SessionLock({ session, store, receiver, dueAt: lockedUntil(store, now) });
    receiver.sessionLock = lock;
    sessions.hold(session, lock);
    if (lock.runsOut) this.#dueQueue.add(lock);
    return lock;
  }

  /** SES-11: renews from now on, for the entity's current lock duration (ENT-09). */
  renew(lock: SessionLock, now: Instant): void {
    const dueAt = lockedUntil(lock.store, now);
    if (lock.runsOut) this.#dueQueue.reschedule(lock, dueAt);
    else lock.dueAt = dueAt;
  }

  /** Frees the session. All locks on its messages must have ended. */
  end(lock: SessionLock): void {
    assert(lock.lockTokens.size === 0, 'a freed session still has locked messages');
    if (lock.runsOut) this.#dueQueue.remove(lock);
    lock.receiver.sessionLock = undefined;
    sessionsOf(lock.store)?.free(lock.session);
  }

  /** The next lock that has expired. */
  due(now: Instant): SessionLock | undefined {
    return this.#dueQueue.due(now);
  }

  /** Marks the rest of an end that has begun as due. */
  endSoon(lock: SessionLock, now: Instant): void {
    this.#dueQueue.reschedule(lock, now);
  }

  get nextDeadline(): Instant {
    return this.#dueQueue.next;
  }
}

function lockedUntil({ queue }: MessageStore, now: Instant): Instant {
  return now + queue.description.lockDurationMs;
}

type LockLists = { readonly locks: MessageLocks; readonly sessionLocks: SessionLocks };

/** X11: ends the session locks that have expired, until the turn is full. */
export function expireSessionLocks(lists: LockLists, links: Links, turn: TurnInProgress): void {
  const lost: SessionLock[] = [];
  let lock = lists.sessionLocks.due(turn.now);
  while (lock !== undefined && lost.length < MAX_LOST && !turn.isFull && hasLost(lock, lists, turn)) {
    lost.push(lock);
    lock = lists.sessionLocks.due(turn.now);
  }
  if (lost.length > 0) detachLost(lost, links, turn);
}

/** Ends the lock of a session as if it had expired now. */
export function loseSession(lock: SessionLock, lists: LockLists, links: Links, turn: TurnInProgress): void {
  if (hasLost(lock, lists, turn)) detachLost([lock], links, turn);
  else lists.sessionLocks.endSoon(lock, turn.now);
}

/**
 * Frees a session as at the expiry of its lock: its deliveries count (SES-13), unless it was released. Returns false if they are
 * too many for the turn: the lock has ended all the same, and the next turn continues. Afterwards `detachLost` must follow.
 */
function hasLost(lock: SessionLock, lists: LockLists, turn: TurnInProgress): boolean {
  if (!lock.isEnding) noteEnd('session-lost', lock, turn);
  lock.isEnding = true;
  // A released session of usual size is free at once, whatever the turn has done: its client may accept it again.
  if (!lock.countsDeliveries) giveBackSome(lock, lists, turn);
  while (lock.lockTokens.size > 0) {
    if (turn.isFull) return false;
    giveBackSome(lock, lists, turn);
  }
  free(lock, lists, turn);
  return true;
}

/** Detaches the receivers of lost sessions, with an error (SES-12). */
function detachLost(lost: readonly SessionLock[], links: Links, turn: TurnInProgress): void {
  // After all messages are returned, and while the receivers still count as attached (TTL-07).
  const errors = new Map<MessageStore, ServiceBusError>();
  for (const { store } of lost) {
    if (errors.has(store)) continue;
    errors.set(store, sessionLockLost(store));
    expireDue(store, turn);
  }
  for (const lock of lost) {
    const { linkId } = lock.receiver;
    const error = errors.get(lock.store);
    if (lock.isDetached || error === undefined) continue;
    links.detach(linkId, turn);
    turn.effects.push({ kind: 'detach', linkId, error });
  }
}

/**
 * X12: frees the session of a receiver whose link has ended. Its deliveries do not count (SES-14, LNK-05), unless the lock had
 * ended before (SES-13). If there are many, the session is free when the next turns have returned them.
 */
export function releaseSession(receiver: Receiver, lists: LockLists, turn: TurnInProgress): void {
  const lock = sessionLockOf(receiver);
  if (lock === undefined) return;
  if (!lock.isEnding) noteEnd('session-released', lock, turn);
  if (lock.isHeldAt(turn.now)) lock.countsDeliveries = false;
  lock.isDetached = true;
  lock.isEnding = true;
  if (!hasLost(lock, lists, turn)) {
    lists.sessionLocks.endSoon(lock, turn.now);
    return;
  }
  expireDue(lock.store, turn); // TTL-07: the receiver still counts as attached
}

function noteEnd(kind: 'session-lost' | 'session-released', lock: SessionLock, turn: TurnInProgress): void {
  const { store, session, receiver } = lock;
  turn.activities?.push({ kind, path: store.path, sessionId: session.id, linkId: receiver.linkId });
}

function free(lock: SessionLock, { sessionLocks }: LockLists, turn: TurnInProgress): void {
  sessionLocks.end(lock);
  turn.touch(lock.store);
}

/** Returns messages locked under it, the first ones first, uncounted (M14, M29) or counted as by an abandon. */
function giveBackSome(lock: SessionLock, { locks }: LockLists, turn: TurnInProgress): void {
  const { store, lockTokens, countsDeliveries } = lock;
  const messages = [...take(lockTokens, MAX_RETURNED)].map((token) => {
    const messageLock = locks.present(token);
    assert(messageLock !== undefined, 'a session holds the token of a lock that has ended');
    locks.end(messageLock);
    turn.activities?.push(
      countsDeliveries
        ? countedEnd('lock-expired', messageLock, turn)
        : { kind: 'released', ...endOf(messageLock, turn) },
    );
    return messageLock.message;
  });
  turn.changed(messages.length);
  messages.sort((a, b) => a.sequenceNumber - b.sequenceNumber);
  const giveBack = countsDeliveries ? returnCounted : returnUncounted;
  for (const message of messages) giveBack(store, message, [], turn, lock.receiver.client);
}

function* take<T>(all: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const one of all) {
    if (left === 0) return;
    left -= 1;
    yield one;
  }
}
