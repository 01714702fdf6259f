// Message locks: the exclusive hold of one delivery on one message, identified by a token (RCV-03, RCV-06).

import type { DueItem } from '../collections/due-queue.js';
import type { Activity } from '../contract/activity.js';
import { assert } from '../contract/assert.js';
import type { UnsettledEnd } from '../contract/command.js';
import { type Instant, NEVER } from '../contract/instant.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { LockEnds, type StoreLocks } from '../store/lock-ends.js';
import type { MessageStore } from '../store/queue.js';
import type { Receiver, SessionHold } from '../store/receiver.js';
import type { StoredMessage } from '../store/stored-message.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { returnCounted, returnUncounted } from './outcomes.js';

/** The most locks of one store that end in a turn (M13). The next turn, a millisecond later, continues. */
const MAX_ENDS = 1000;

type LockFields = Pick<
  MessageLock,
  'token' | 'store' | 'message' | 'linkId' | 'client' | 'sessionLock' | 'startedAt' | 'dueAt'
>;

/** A transaction that settles the message of a lock. */
type Pinning = { readonly doom: (obstacle: ServiceBusError) => void };

/** The receiver, or the session, that gets the lock. */
export type LockHolder = Pick<MessageLock, 'linkId' | 'client' | 'sessionLock'>;

export class MessageLock implements DueItem {
  readonly token: string;
  readonly store: MessageStore;
  readonly message: StoredMessage;
  /** The link of the receiver; undefined for a deferred message, received by its number. */
  readonly linkId: number | undefined;
  /** The client of that link, for people. */
  readonly client: string | undefined;
  /** The session lock under which the message is locked; both end together (SES-04). */
  readonly sessionLock: SessionHold | undefined;
  readonly startedAt: Instant;
  /** Its own expiry; `NEVER` when it ends with its session lock. */
  dueAt: Instant;
  heapIndex = -1;
  /** The open transaction that settles the message: the lock does not expire before the discharge (TXN-06). */
  pinnedBy: Pinning | undefined;

  constructor({ token, store, message, linkId, client, sessionLock, startedAt, dueAt }: LockFields) {
    this.token = token;
    this.store = store;
    this.message = message;
    this.linkId = linkId;
    this.client = client;
    this.sessionLock = sessionLock;
    this.startedAt = startedAt;
    this.dueAt = dueAt;
  }

  get lockedUntil(): Instant {
    return this.sessionLock?.dueAt ?? this.dueAt;
  }

  isHeldAt(now: Instant): boolean {
    if (this.sessionLock !== undefined) return this.sessionLock.isHeldAt(now);
    return this.dueAt > now || this.pinnedBy !== undefined;
  }
}

export class MessageLocks {
  #byToken = new Map<string, MessageLock>();
  readonly #ends = new LockEnds();
  readonly #nextGuid: () => string;

  constructor(nextGuid: () => string) {
    this.#nextGuid = nextGuid;
  }

  /** Locks a message that is not available. */
  lock(
    store: MessageStore,
    message: StoredMessage,
    { linkId, client, sessionLock }: LockHolder,
    turn: TurnInProgress,
  ): MessageLock {
    const { now } = turn;
    const token = this.#nextGuid(); // RCV-06
    assert(!this.#byToken.has(token), 'a lock token was handed out twice');
    assert(!message.isLocked, 'a message was locked twice');
    message.isLocked = true;
    store.lockedCount += 1;
    // RCV-05: the time starts here, however late the delivery is written. RCV-03: in a session, the session lock has the time.
    const dueAt = sessionLock === undefined ? lockedUntil(store, now) : NEVER;
    const startedAt = now;
    const lock = new MessageLock({ token, store, message, linkId, client, sessionLock, startedAt, dueAt });
    this.#byToken.set(token, lock); // RCV-14: no limit on the locks of a link
    if (sessionLock === undefined) this.#ends.add(lock, store.locks);
    else sessionLock.lockTokens.add(token);
    turn.activities?.push({
      kind: 'locked',
      path: store.path,
      sequenceNumber: message.sequenceNumber,
      linkId,
      lockToken: token,
      lockedUntil: lock.lockedUntil,
      deliveryCount: message.deliveryCount,
    });
    return lock;
  }

  /** A lock that is held. A lock whose end is due has ended, even before that is processed. */
  find(token: string, now: Instant): MessageLock | undefined {
    const lock = this.present(token);
    return lock?.isHeldAt(now) === true ? lock : undefined;
  }

  /** A lock whose end has not been processed. */
  present(token: string): MessageLock | undefined {
    return this.#byToken.get(token);
  }

  /**
   * Forgets the locks of stores that are about to be emptied. One pass over all locks, unless few go, and none of a session or a
   * transaction: call it once for all these stores.
   */
  forget(stores: readonly MessageStore[]): void {
    const emptied = new Set(stores.filter(({ lockedCount }) => lockedCount > 0));
    if (emptied.size === 0) return;
    for (const { locks } of emptied) this.#ends.forget(locks);
    // A new map if most of them go: to delete a million takes 0.7 s.
    const forgottenCount = [...emptied].reduce((sum, { lockedCount }) => sum + lockedCount, 0);
    const all = this.#byToken;
    if (forgottenCount <= all.size / 2 && [...emptied].every(areAllDue)) {
      for (const { locks } of emptied) {
        for (const lock of locks.queue.items()) if (lock instanceof MessageLock) all.delete(lock.token);
      }
      return;
    }
    if (forgottenCount > all.size / 2) this.#byToken = new Map();
    for (const [token, lock] of all) {
      if (!emptied.has(lock.store)) this.#byToken.set(token, lock);
      else if (all === this.#byToken) all.delete(token);
    }
  }

  /** Renews a lock outside a session, from now and not from its old end (RCV-08), by the present lock duration (ENT-09). */
  renew(lock: MessageLock, now: Instant): void {
    const dueAt = lockedUntil(lock.store, now);
    if (lock.pinnedBy === undefined) this.#ends.reschedule(lock, lock.store.locks, dueAt);
    else lock.dueAt = dueAt;
  }

  /** Ends a lock and its token; the caller then moves or removes the message. */
  end(lock: MessageLock): void {
    this.#byToken.delete(lock.token);
    if (lock.sessionLock !== undefined) lock.sessionLock.lockTokens.delete(lock.token);
    else if (lock.pinnedBy === undefined) this.#ends.remove(lock, lock.store.locks);
    lock.pinnedBy?.doom(lockIsLost(lock));
    lock.message.isLocked = false;
    lock.store.lockedCount -= 1;
  }

  /** Stops a lock from expiring until it is unpinned. It still ends with its session, which dooms the transaction. */
  pin(lock: MessageLock, pinnedBy: Pinning): void {
    if (lock.sessionLock === undefined) this.#ends.remove(lock, lock.store.locks);
    lock.pinnedBy = pinnedBy;
  }

  /** Lets a pinned lock expire again; if its time has passed, it ends when deadlines are next checked. */
  unpin(lock: MessageLock): void {
    if (lock.pinnedBy === undefined) return;
    lock.pinnedBy = undefined;
    if (this.#byToken.get(lock.token) !== lock) return;
    if (lock.sessionLock === undefined) this.#ends.add(lock, lock.store.locks);
  }

  /** The transaction that is being committed: it may settle what it has pinned. */
  committing: Pinning | undefined;

  /** Finds locks by a linear search over all of them. */
  held(matches: (lock: MessageLock) => boolean): readonly MessageLock[] {
    const found: MessageLock[] = [];
    for (const lock of this.#byToken.values()) if (matches(lock)) found.push(lock);
    return found;
  }

  /** Ends the locks whose time has passed, store by store, until the turn is full. */
  expireDue(turn: TurnInProgress): void {
    for (let locks = this.#ends.due(turn.now); locks !== undefined; locks = this.#ends.due(turn.now)) {
      if (turn.isFull) return;
      this.#expireSome(locks, MAX_ENDS, turn);
    }
  }

  /** Ends the next locks of a store whose time has passed, whatever the turn has done. */
  expireIn({ locks }: MessageStore, maxCount: number, turn: TurnInProgress): void {
    if (locks.hasDue(turn.now)) this.#expireSome(locks, maxCount, turn);
  }

  #expireSome(locks: StoreLocks, maxCount: number, turn: TurnInProgress): void {
    locks.isPaused = true; // it keeps its place until the piece is done
    for (let count = 0; count < maxCount && locks.hasDue(turn.now); count++) {
      const lock = locks.queue.due(turn.now);
      assert(lock instanceof MessageLock, 'a list of locks has something else');
      this.expire(lock, turn);
    }
    this.#ends.later(locks, turn.now);
  }

  /** Ends a lock whose time has passed. The delivery counts. */
  expire(lock: MessageLock, turn: TurnInProgress): void {
    this.end(lock);
    turn.activities?.push(countedEnd('lock-expired', lock, turn));
    returnCounted(lock.store, lock.message, [], turn, lock.client);
    turn.touch(lock.store); // with its last lock that has ended, the store delivers again
  }

  get nextDeadline(): Instant {
    return this.#ends.next;
  }
}

/** Whether none of its locks ends with a session or waits for a transaction: they are all in the list by their ends. */
function areAllDue({ locks, lockedCount }: MessageStore): boolean {
  return locks.queue.count === lockedCount;
}

/** LNK-04, JMS-32, JMS-33: ends the locks of a receiver whose link has ended, except those that a transaction settles. */
export function endLocksOf(
  { linkId }: Receiver,
  store: MessageStore,
  end: UnsettledEnd,
  locks: MessageLocks,
  turn: TurnInProgress,
): void {
  const held: MessageLock[] = [];
  // Only the store's own list is searched, which has no pinned locks: thousands of links may end at once.
  for (const lock of store.locks.queue.items()) {
    if (lock instanceof MessageLock && lock.linkId === linkId) held.push(lock);
  }
  for (const lock of held.sort((a, b) => a.message.sequenceNumber - b.message.sequenceNumber)) {
    locks.end(lock);
    if (end === 'release') {
      turn.activities?.push({ kind: 'released', ...endOf(lock, turn) });
      returnUncounted(lock.store, lock.message, [], turn);
    } else {
      turn.activities?.push(countedEnd('abandoned', lock, turn));
      returnCounted(lock.store, lock.message, [], turn, lock.client);
    }
  }
}

/** The end of a delivery as a record of the turn. */
export function endOf({ store, message, linkId, startedAt }: MessageLock, { now }: TurnInProgress) {
  const { sequenceNumber } = message;
  return { path: store.path, sequenceNumber, linkId, heldMs: now - startedAt };
}

/** The end of a delivery that is about to be counted (DLV-02), unless its message is in a dead-letter queue (DLV-07). */
export function countedEnd(
  kind: 'abandoned' | 'lock-expired',
  lock: MessageLock,
  turn: TurnInProgress,
): Activity {
  const { store, message } = lock;
  const deliveryCount = message.deliveryCount + (store.isDeadLetterQueue ? 0 : 1);
  const { maxDeliveryCount } = store.queue.description;
  return { kind, ...endOf(lock, turn), deliveryCount, maxDeliveryCount };
}

function lockIsLost({ store }: MessageLock): ServiceBusError {
  const text = `The lock of a message of '${store.path}' that the transaction settles has ended before it was discharged.`;
  return new ServiceBusError('message-lock-lost', text, { entityPath: store.path });
}

/** DLQ-11: a dead-letter queue uses its parent's lock duration. */
function lockedUntil(store: MessageStore, now: Instant): Instant {
  return now + store.queue.description.lockDurationMs;
}
