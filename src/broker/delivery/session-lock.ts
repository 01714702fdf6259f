// The exclusive hold of one receiver on one session (SES-04), and the list of all of them.

import { assert } from '../assert.js';
import { type Deadline, Deadlines } from '../deadlines.js';
import type { Instant } from '../instant.js';
import type { MessageSession } from '../message/message-session.js';
import type { MessageLock } from './message-lock.js';
import type { Receiver } from './receiver.js';

export class SessionLock implements Deadline {
  readonly session: MessageSession;
  readonly receiver: Receiver;
  /** Of what was delivered under it and is not settled; kept by the list of message locks alone. */
  readonly messageLocks = new Set<MessageLock>();
  /** Locked until then, if it runs out. */
  dueAt: Instant;
  place = -1;

  constructor(session: MessageSession, receiver: Receiver, dueAt: Instant) {
    this.session = session;
    this.receiver = receiver;
    this.dueAt = dueAt;
  }

  /** SES-12: a receive-and-delete receiver has nothing to settle, and keeps its session until it detaches. */
  get runsOut(): boolean {
    return this.receiver.receiveMode === 'peek-lock';
  }
}

export class SessionLocks {
  readonly #deadlines = new Deadlines<SessionLock>();

  /** The session is free, or not there yet (SES-06), and the receiver holds none. */
  lock(receiver: Receiver, sessionId: string, now: Instant): SessionLock {
    const { sessions } = receiver.store;
    assert(
      sessions !== undefined && receiver.sessionLock === undefined,
      'a receiver was to hold two sessions',
    );
    const session = sessions.open(sessionId);
    const lock = new SessionLock(session, receiver, lockedUntil(receiver, now));
    receiver.sessionLock = lock;
    sessions.hold(session, lock);
    if (lock.runsOut) this.#deadlines.add(lock);
    return lock;
  }

  /** SES-11: from now on, by the lock duration of today (ENT-09). */
  renew(lock: SessionLock, now: Instant): void {
    const dueAt = lockedUntil(lock.receiver, now);
    if (lock.runsOut) this.#deadlines.postpone(lock, dueAt);
    else lock.dueAt = dueAt;
  }

  /** The session is free; no message is locked under it any more. */
  end(lock: SessionLock): void {
    assert(lock.messageLocks.size === 0, 'a session was freed whose messages are still locked');
    if (lock.runsOut) this.#deadlines.remove(lock);
    lock.receiver.sessionLock = undefined;
    lock.receiver.store.sessions?.free(lock.session);
  }

  /** A lock whose time has come. */
  due(now: Instant): SessionLock | undefined {
    return this.#deadlines.due(now);
  }

  get nextDeadline(): Instant {
    return this.#deadlines.next;
  }
}

function lockedUntil({ store }: Receiver, now: Instant): Instant {
  return now + store.queue.description.lockDurationMs;
}
