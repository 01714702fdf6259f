// The message sessions of one store by id, the order in which they are accepted, and the log that keeps them up to date.

import { BinaryHeap } from '../collections/binary-heap.js';
import { assert } from '../contract/assert.js';
import type { MessageRecord, SessionStateRecord } from '../contract/event.js';
import type { Instant } from '../contract/instant.js';
import type { MessageState } from '../contract/message-properties.js';
import type { ShownMessages } from '../store/message-log.js';
import type { StoreLog } from '../store/partitioned-log.js';
import type { MessageStore } from '../store/queue.js';
import type { Receiver, SessionHold } from '../store/receiver.js';
import type { StoreSessions } from '../store/store-ports.js';
import { StoredMessage } from '../store/stored-message.js';
import { MessageSession, SessionLock } from './message-session.js';

const NOT_READY = -1;

/** The sessions of a store; undefined where it has none (SES-02, DLQ-03). */
export function sessionsOf({ sessions }: MessageStore): MessageSessions | undefined {
  return sessions instanceof MessageSessions ? sessions : undefined;
}

/** The lock on the session that a receiver holds, if it holds one. */
export function sessionLockOf({ sessionLock }: Receiver): SessionLock | undefined {
  return sessionLock === undefined ? undefined : asSessionLock(sessionLock);
}

export function asSessionLock(hold: SessionHold): SessionLock {
  assert(hold instanceof SessionLock, 'a session is held by an object that is not its lock');
  return hold;
}

export class MessageSessions implements StoreSessions {
  /** Receivers that accept any session, in order of arrival (X1). */
  readonly waiting = new Set<Receiver>();
  readonly #byId = new Map<string, MessageSession>();
  /** Free sessions with an available message, the one whose first message has waited longest first (SES-08). */
  readonly #ready = new BinaryHeap<MessageSession>({
    isBefore: isAhead,
    onMove: (session, index) => {
      session.heapIndex = index;
    },
  });
  readonly #held = new Set<MessageSession>();
  /** Held sessions in which something new may be delivered. */
  readonly #touched = new Set<MessageSession>();
  #stateBytes = 0;
  /** Ascending; built on demand. */
  #ids: readonly string[] | undefined;

  /** SES-03 */
  find(id: string): MessageSession | undefined {
    return this.#byId.get(id);
  }

  /** The session of a message in this store. */
  of({ sessionId = '' }: StoredMessage): MessageSession {
    const session = this.#byId.get(sessionId);
    assert(session !== undefined, 'a message belongs to no session of its store');
    return session;
  }

  /** The free session that is accepted next (SES-07). */
  get firstReady(): MessageSession | undefined {
    return this.#ready.first;
  }

  /** Whether a receiver waits for a session, or for messages of the session that it holds. */
  get isAwaited(): boolean {
    if (this.waiting.size > 0) return true;
    for (const { lock } of this.#held) if ((lock?.receiver.credit ?? 0) > 0) return true;
    return false;
  }

  get hasDeliveries(): boolean {
    return this.#touched.size > 0 || (this.waiting.size > 0 && this.firstReady !== undefined);
  }

  /** All ids in ordinal order. */
  get ids(): readonly string[] {
    this.#ids ??= [...this.#byId.keys()].sort((a, b) => (a < b ? -1 : 1));
    return this.#ids;
  }

  get held(): ReadonlySet<MessageSession> {
    return this.#held;
  }

  get count(): number {
    return this.#byId.size;
  }

  /** The bytes of all states. */
  get stateBytes(): number {
    return this.#stateBytes;
  }

  /** The states of all sessions that have one. */
  *states(): Generator<SessionStateRecord> {
    for (const { state } of this.#byId.values()) if (state !== undefined) yield state;
  }

  /** Finds or creates the session with this id. The caller must lock it or add a message or state in the same turn. */
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
    assert(session.lock !== undefined, 'a freed session was not held');
    session.lock = undefined;
    this.#held.delete(session);
    this.#touched.delete(session);
    this.#refresh(session);
  }

  /** Notes that something may be delivered in the session that this receiver holds. */
  touch(receiver: Receiver): void {
    const lock = sessionLockOf(receiver);
    if (lock !== undefined) this.#touched.add(lock.session);
  }

  /** Takes the held sessions touched since the last call, in that order. */
  takeTouched(): readonly MessageSession[] {
    if (this.#touched.size === 0) return [];
    const touched = [...this.#touched];
    this.#touched.clear();
    return touched;
  }

  setState(id: string, state: SessionStateRecord | undefined): void {
    const session = this.open(id);
    this.#stateBytes += (state?.sizeBytes ?? 0) - (session.state?.sizeBytes ?? 0);
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

  /** Takes over the receivers of these sessions, whose store was emptied: those that wait, and the holders with their sessions. */
  takeOver(emptied: StoreSessions): void {
    assert(emptied instanceof MessageSessions, 'sessions of another kind were taken over');
    for (const receiver of emptied.waiting) this.waiting.add(receiver);
    for (const { id, lock } of emptied.held) {
      if (lock === undefined) continue;
      lock.lockTokens.clear();
      lock.session = this.open(id);
      this.hold(lock.session, lock);
    }
  }

  #changed(session: MessageSession): void {
    if (session.lock !== undefined) this.#touched.add(session);
    this.#refresh(session);
  }

  /** Adds a session to the heap of ready ones or removes it, and deletes the session when it is empty (X1, X2, X16). */
  #refresh(session: MessageSession): void {
    const isReady = session.lock === undefined && session.first !== undefined;
    if (isReady && session.heapIndex === NOT_READY) this.#ready.add(session);
    else if (isReady) this.#ready.reorderAt(session.heapIndex);
    else if (session.heapIndex !== NOT_READY) {
      this.#ready.removeAt(session.heapIndex);
      session.heapIndex = NOT_READY;
    }
    if (session.lock !== undefined || session.hasMessages || session.state !== undefined) return;
    this.#byId.delete(session.id);
    this.#ids = undefined;
  }
}

/** Compares times before numbers: in a partitioned store a number begins with the partition (SES-08). */
function isAhead({ first: a }: MessageSession, { first: b }: MessageSession): boolean {
  if (a === undefined || b === undefined) return a !== undefined;
  return (
    a.enqueuedTime < b.enqueuedTime ||
    (a.enqueuedTime === b.enqueuedTime && a.sequenceNumber < b.sequenceNumber)
  );
}

/** The log of a store that requires sessions: updates them as messages are added, removed and made available. */
export class SessionedLog implements StoreLog {
  readonly #log: StoreLog;
  readonly #sessions: MessageSessions;

  constructor(log: StoreLog, sessions: MessageSessions) {
    this.#log = log;
    this.#sessions = sessions;
  }

  get count(): number {
    return this.#log.count;
  }

  get sizeBytes(): number {
    return this.#log.sizeBytes;
  }

  get unsharedBytes(): number {
    return this.#log.unsharedBytes;
  }

  get availableCount(): number {
    return this.#log.availableCount;
  }

  get hasAvailable(): boolean {
    return this.#log.hasAvailable;
  }

  get nextExpiry(): Instant {
    return this.#log.nextExpiry;
  }

  add(message: StoredMessage): void {
    this.#log.add(message);
    this.#sessions.add(message);
  }

  restore(record: MessageRecord): void {
    this.add(new StoredMessage(record));
  }

  addPlain(record: MessageRecord, sequenceNumber: number): void {
    this.add(new StoredMessage(record, sequenceNumber));
  }

  find(sequenceNumber: number): StoredMessage | undefined {
    return this.#log.find(sequenceNumber);
  }

  /** No message is delivered without its session (SES-04). */
  takeFirst(): StoredMessage | undefined {
    assert(false, 'a message was taken from a store of sessions without its session');
    return undefined;
  }

  firstAvailableFrom(sequenceNumber: number): StoredMessage | undefined {
    return this.#log.firstAvailableFrom(sequenceNumber);
  }

  get end(): number {
    return this.#log.end;
  }

  firstBrowsableFrom(sequenceNumber: number): StoredMessage | undefined {
    return this.#log.firstBrowsableFrom(sequenceNumber);
  }

  /** Ignores sessions: messages are forwarded in the order of their numbers (SES-19). */
  takeFirstToForward(now: Instant): StoredMessage | undefined {
    const message = this.#log.takeFirstToForward(now);
    if (message !== undefined) this.#sessions.withdrawn(message);
    return message;
  }

  withdraw(message: StoredMessage): void {
    this.#log.withdraw(message);
    this.#sessions.withdrawn(message);
  }

  giveBack(message: StoredMessage): void {
    this.#log.giveBack(message);
    this.#sessions.madeAvailable(message);
  }

  remove(message: StoredMessage): void {
    this.#log.remove(message);
    this.#sessions.remove(message);
  }

  setState(message: StoredMessage, state: MessageState): void {
    this.#log.setState(message, state);
  }

  availableOrDeferred(): Generator<StoredMessage> {
    return this.#log.availableOrDeferred();
  }

  takeExpired(now: Instant, maxChunks: number): readonly StoredMessage[] {
    const taken = this.#log.takeExpired(now, maxChunks);
    for (const message of taken) this.#sessions.withdrawn(message);
    return taken;
  }

  from(sequenceNumber: number): Generator<StoredMessage> {
    return this.#log.from(sequenceNumber);
  }

  shown(shown: ShownMessages): Generator<StoredMessage> {
    return this.#log.shown(shown);
  }
}
