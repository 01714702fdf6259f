// The exclusive hold of one delivery on one message, known by its token (RCV-03, RCV-06), and the list of all of them.

import { assert } from '../assert.js';
import { type Deadline, Deadlines } from '../deadlines.js';
import type { MessageStore } from '../entity/message-store.js';
import { type Instant, NEVER } from '../instant.js';
import type { StoredMessage } from '../message/stored-message.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { SessionLock } from './session-lock.js';

type LockFields = Pick<MessageLock, 'token' | 'store' | 'message' | 'linkId' | 'sessionLock' | 'dueAt'>;

/** Who relies on a lock: a transaction that settles its message. */
export type Pinning = { readonly doom: (obstacle: ServiceBusError) => void };

/** Who is to hold a message. */
export type LockHolder = Pick<MessageLock, 'store' | 'linkId' | 'sessionLock'>;

export class MessageLock implements Deadline {
  readonly token: string;
  readonly store: MessageStore;
  readonly message: StoredMessage;
  /** The receiver it was delivered to; undefined when it was received by its number. */
  readonly linkId: number | undefined;
  /** Of a message that is held with its session, and ends with that (SES-04). */
  readonly sessionLock: SessionLock | undefined;
  /** Its own end; `NEVER` when it ends with its session. */
  dueAt: Instant;
  place = -1;
  /** It is settled in a transaction that is not discharged: until then it does not run out (TXN-06). */
  pinnedBy: Pinning | undefined;

  constructor({ token, store, message, linkId, sessionLock, dueAt }: LockFields) {
    this.token = token;
    this.store = store;
    this.message = message;
    this.linkId = linkId;
    this.sessionLock = sessionLock;
    this.dueAt = dueAt;
  }

  get lockedUntil(): Instant {
    return this.sessionLock?.dueAt ?? this.dueAt;
  }

  isHeldAt(now: Instant): boolean {
    const runsOut = this.pinnedBy === undefined && this.sessionLock?.runsOut !== false;
    return this.lockedUntil > now || !runsOut;
  }
}

export class MessageLocks {
  readonly #byToken = new Map<string, MessageLock>();
  readonly #deadlines = new Deadlines<MessageLock>();
  readonly #nextGuid: () => string;

  constructor(nextGuid: () => string) {
    this.#nextGuid = nextGuid;
  }

  /** Locks a message that is not available. */
  lock(message: StoredMessage, { store, linkId, sessionLock }: LockHolder, now: Instant): MessageLock {
    const token = this.#nextGuid(); // RCV-06
    assert(!this.#byToken.has(token), 'a lock token was handed out twice');
    assert(!message.isLocked, 'a message was locked twice');
    message.isLocked = true;
    // RCV-05: its time runs from here, whenever it is written to its receiver; RCV-03: or it is that of its session.
    const dueAt = sessionLock === undefined ? lockedUntil(store, now) : NEVER;
    const lock = new MessageLock({ token, store, message, linkId, sessionLock, dueAt });
    this.#byToken.set(token, lock); // RCV-14: however many a link holds
    if (sessionLock === undefined) this.#deadlines.add(lock);
    else sessionLock.messageLocks.add(lock);
    return lock;
  }

  find(token: string): MessageLock | undefined {
    return this.#byToken.get(token);
  }

  /** Not one that ends with its session. RCV-08: from now on, not from the old end; ENT-09: by the lock duration of today. */
  renew(lock: MessageLock, now: Instant): void {
    const dueAt = lockedUntil(lock.store, now);
    if (lock.pinnedBy === undefined) this.#deadlines.postpone(lock, dueAt);
    else lock.dueAt = dueAt;
  }

  /** The token is dead for good; the message is whoever called's to move on. */
  end(lock: MessageLock): void {
    this.#byToken.delete(lock.token);
    if (lock.sessionLock !== undefined) lock.sessionLock.messageLocks.delete(lock);
    else if (lock.pinnedBy === undefined) this.#deadlines.remove(lock);
    lock.pinnedBy?.doom(lockIsLost(lock));
    lock.message.isLocked = false;
  }

  /** It does not run out until it is unpinned, but ends with its session; that dooms who has pinned it. */
  pin(lock: MessageLock, pinnedBy: Pinning): void {
    if (lock.sessionLock === undefined) this.#deadlines.remove(lock);
    lock.pinnedBy = pinnedBy;
  }

  /** It may be over by its time; it ends when that is looked at. One that is not pinned is left alone. */
  unpin(lock: MessageLock): void {
    if (lock.pinnedBy === undefined) return;
    lock.pinnedBy = undefined;
    const isThere = this.#byToken.get(lock.token) === lock;
    if (isThere && lock.sessionLock === undefined) this.#deadlines.add(lock);
  }

  /** Looks at every lock there is. */
  held(wanted: (lock: MessageLock) => boolean): readonly MessageLock[] {
    return [...this.#byToken.values()].filter(wanted);
  }

  /** A lock whose time has come. */
  due(now: Instant): MessageLock | undefined {
    return this.#deadlines.due(now);
  }

  get nextDeadline(): Instant {
    return this.#deadlines.next;
  }
}

function lockIsLost({ store }: MessageLock): ServiceBusError {
  const text = `The lock of a message of '${store.path}' that the transaction settles has ended before it was discharged.`;
  return new ServiceBusError('message-lock-lost', text, { entityPath: store.path });
}

/** DLQ-11: a dead-letter queue goes by its parent's lock duration. */
function lockedUntil(store: MessageStore, now: Instant): Instant {
  return now + store.queue.description.lockDurationMs;
}
