// The exclusive hold of one delivery on one message, known by its token (RCV-03, RCV-06), and the list of all of them.

import { assert } from '../assert.js';
import { type Deadline, Deadlines } from '../deadlines.js';
import type { MessageStore } from '../entity/message-store.js';
import type { Instant } from '../instant.js';
import type { StoredMessage } from '../message/stored-message.js';

type LockFields = Pick<MessageLock, 'token' | 'store' | 'message' | 'linkId' | 'dueAt'>;

/** Who is to hold a message. */
export type LockHolder = Pick<MessageLock, 'store' | 'linkId'>;

export class MessageLock implements Deadline {
  readonly token: string;
  readonly store: MessageStore;
  readonly message: StoredMessage;
  /** The receiver it was delivered to; undefined when it was received by its number. */
  readonly linkId: number | undefined;
  /** Locked until then. */
  dueAt: Instant;
  place = -1;

  constructor({ token, store, message, linkId, dueAt }: LockFields) {
    this.token = token;
    this.store = store;
    this.message = message;
    this.linkId = linkId;
    this.dueAt = dueAt;
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
  lock(message: StoredMessage, { store, linkId }: LockHolder, now: Instant): MessageLock {
    const token = this.#nextGuid(); // RCV-06
    assert(!this.#byToken.has(token), 'a lock token was handed out twice');
    assert(!message.isLocked, 'a message was locked twice');
    message.isLocked = true;
    // RCV-05: its time runs from here, whenever it is written to its receiver.
    const lock = new MessageLock({ token, store, message, linkId, dueAt: lockedUntil(store, now) });
    this.#byToken.set(token, lock); // RCV-14: however many a link holds
    this.#deadlines.add(lock);
    return lock;
  }

  find(token: string): MessageLock | undefined {
    return this.#byToken.get(token);
  }

  /** RCV-08: from now on, not from the old end; ENT-09: by the lock duration of today. */
  renew(lock: MessageLock, now: Instant): void {
    this.#deadlines.postpone(lock, lockedUntil(lock.store, now));
  }

  /** The token is dead for good; the message is whoever called's to move on. */
  end(lock: MessageLock): void {
    this.#byToken.delete(lock.token);
    this.#deadlines.remove(lock);
    lock.message.isLocked = false;
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

/** DLQ-11: a dead-letter queue goes by its parent's lock duration. */
function lockedUntil(store: MessageStore, now: Instant): Instant {
  return now + store.queue.description.lockDurationMs;
}
