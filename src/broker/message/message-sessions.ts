// The message sessions of one store: by their ids, and those that wait to be accepted, the one first in line first.

import { assert } from '../assert.js';
import { BinaryHeap } from '../binary-heap.js';
import type { Receiver } from '../delivery/receiver.js';
import type { SessionLock } from '../delivery/session-lock.js';
import type { SessionStateRecord } from '../event.js';
import { MessageSession } from './message-session.js';
import type { StoredMessage } from './stored-message.js';

const NOT_READY = -1;

export class MessageSessions {
  /** Receivers that will take any session, in the order they came (X1). */
  readonly waiting = new Set<Receiver>();
  readonly #byId = new Map<string, MessageSession>();
  /** Free and with an available message: the one whose first message has waited longest comes first (SES-08). */
  readonly #ready = new BinaryHeap<MessageSession>({
    isBefore: isAhead,
    placed: (session, index) => {
      session.place = index;
    },
  });
  readonly #held = new Set<MessageSession>();
  /** Held ones in which something may be delivered that was not there before. */
  readonly #touched = new Set<MessageSession>();
  /** Ascending; made when it is asked for. */
  #ids: readonly string[] | undefined;

  /** Undefined when there is none (SES-03). */
  find(id: string): MessageSession | undefined {
    return this.#byId.get(id);
  }

  /** The session of a message that is in the store. */
  of({ sessionId = '' }: StoredMessage): MessageSession {
    const session = this.#byId.get(sessionId);
    assert(session !== undefined, 'a message belongs to no session of its store');
    return session;
  }

  /** Free and ready, and first in line (SES-07). */
  get firstReady(): MessageSession | undefined {
    return this.#ready.first;
  }

  /** Whether a receiver waits for a session, or for messages of the one it holds. */
  get isAwaited(): boolean {
    if (this.waiting.size > 0) return true;
    for (const { lock } of this.#held) if ((lock?.receiver.credit ?? 0) > 0) return true;
    return false;
  }

  /** All ids, ordinally. */
  get ids(): readonly string[] {
    this.#ids ??= [...this.#byId.keys()].sort((a, b) => (a < b ? -1 : 1));
    return this.#ids;
  }

  get held(): Iterable<MessageSession> {
    return this.#held;
  }

  /** All that have state. */
  *states(): Generator<SessionStateRecord> {
    for (const { state } of this.#byId.values()) if (state !== undefined) yield state;
  }

  /** The one with this id, made if need be; to be held, or given a message or state, at once. */
  open(id: string): MessageSession {
    const existing = this.#byId.get(id);
    if (existing !== undefined) return existing;
    const session = new MessageSession(id);
    this.#byId.set(id, session);
    this.#ids = undefined;
    return session;
  }

  hold(session: MessageSession, lock: SessionLock): void {
    assert(session.lock === undefined, 'a session was locked twice');
    session.lock = lock;
    this.#held.add(session);
    this.#touched.add(session);
    this.#refresh(session);
  }

  free(session: MessageSession): void {
    assert(session.lock !== undefined, 'a session was freed that nobody held');
    session.lock = undefined;
    this.#held.delete(session);
    this.#touched.delete(session);
    this.#refresh(session);
  }

  /** Something may be delivered in it: its holder has credit. */
  touch(session: MessageSession): void {
    this.#touched.add(session);
  }

  /** The held sessions touched since this was last asked, in the order they were. */
  takeTouched(): readonly MessageSession[] {
    if (this.#touched.size === 0) return [];
    const touched = [...this.#touched];
    this.#touched.clear();
    return touched;
  }

  setState(id: string, state: SessionStateRecord | undefined): void {
    const session = this.open(id);
    session.state = state;
    this.#refresh(session);
  }

  add(message: StoredMessage): void {
    const session = this.open(message.sessionId ?? '');
    session.add(message);
    this.#changed(session);
  }

  withdrawn(message: StoredMessage): void {
    const session = this.of(message);
    session.withdrawn(message);
    this.#refresh(session);
  }

  madeAvailable(message: StoredMessage): void {
    const session = this.of(message);
    session.madeAvailable(message);
    this.#changed(session);
  }

  remove(message: StoredMessage): void {
    const session = this.of(message);
    session.remove(message);
    this.#refresh(session);
  }

  #changed(session: MessageSession): void {
    if (session.lock !== undefined) this.#touched.add(session);
    this.#refresh(session);
  }

  /** Puts it where it belongs now: in line or not, or nowhere at all (X1, X2, X16). */
  #refresh(session: MessageSession): void {
    const isReady = session.lock === undefined && session.first !== undefined;
    if (isReady && session.place === NOT_READY) this.#ready.add(session);
    else if (isReady) this.#ready.reorderAt(session.place);
    else if (session.place !== NOT_READY) {
      this.#ready.removeAt(session.place);
      session.place = NOT_READY;
    }
    if (session.lock !== undefined || session.hasMessages || session.state !== undefined) return;
    this.#byId.delete(session.id);
    this.#ids = undefined;
  }
}

/** By time and not by number: in a partitioned store the numbers say which partition it is, above all (SES-08). */
function isAhead({ first: a }: MessageSession, { first: b }: MessageSession): boolean {
  if (a === undefined || b === undefined) return a !== undefined;
  return (
    a.enqueuedTime < b.enqueuedTime ||
    (a.enqueuedTime === b.enqueuedTime && a.sequenceNumber < b.sequenceNumber)
  );
}
