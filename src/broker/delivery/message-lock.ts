// The exclusive hold of one delivery on one message, known by its token (RCV-03, RCV-06), and the list of all of them.

import { assert } from '../assert.js';
import type { MessageStore } from '../entity/message-store.js';
import type { Instant } from '../instant.js';
import type { StoredMessage } from '../message/stored-message.js';
import { type Deadline, Deadlines } from './deadlines.js';

export class MessageLock implements Deadline {
  readonly token: string;
  readonly store: MessageStore;
  readonly message: StoredMessage;
  /** Locked until then. */
  dueAt: Instant;
  place = -1;

  constructor(token: string, store: MessageStore, message: StoredMessage, dueAt: Instant) {
    this.token = token;
    this.store = store;
    this.message = message;
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

  /** Locks a message that was taken from its store, under a new token. The clock starts now (RCV-05). */
  lock(store: MessageStore, message: StoredMessage, now: Instant): MessageLock {
    const token = this.#nextGuid();
    assert(!this.#byToken.has(token), 'a lock token was handed out twice');
    const lock = new MessageLock(token, store, message, lockedUntil(store, now));
    this.#byToken.set(token, lock);
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
