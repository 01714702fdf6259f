// One message session of a store: its messages in the order of their numbers, its state, and the lock of its holder.

import type { DueItem } from '../collections/due-queue.js';
import { firstIndex } from '../collections/first-index.js';
import { assert } from '../contract/assert.js';
import type { SessionStateRecord } from '../contract/event.js';
import type { Instant } from '../contract/instant.js';
import { MESSAGE_STATE } from '../contract/message-properties.js';
import type { MessageStore } from '../store/queue.js';
import type { Receiver, SessionHold } from '../store/receiver.js';
import type { StoreSession } from '../store/store-ports.js';
import type { StoredMessage } from '../store/stored-message.js';

/** The number of free slots tolerated before the first message. They make a removal from the front cheap. */
const MAX_GAP = 64;

export class MessageSession implements StoreSession {
  /** Compared exactly; the empty string is a valid id (SES-02). */
  readonly id: string;
  /** The state that the application has stored (SES-15). */
  state: SessionStateRecord | undefined;
  /** Present while a receiver holds the session. Only MessageSessions sets it. */
  lock: SessionLock | undefined;
  /** The index in the heap of sessions that wait to be accepted. Only MessageSessions sets it. */
  heapIndex = -1;
  /** Messages of every state, ascending from `#start` on. The slots before it are free. */
  #messages: (StoredMessage | undefined)[] = [];
  #start = 0;
  #first: StoredMessage | undefined;

  constructor(id: string) {
    this.id = id;
  }

  /** The available message with the lowest number (SES-05). */
  get first(): StoredMessage | undefined {
    return this.#first;
  }

  get holder(): Receiver | undefined {
    return this.lock?.receiver;
  }

  get messageCount(): number {
    return this.#messages.length - this.#start;
  }

  get hasMessages(): boolean {
    return this.#start < this.#messages.length;
  }

  /** Whether any message is active, locked or not. */
  get isActive(): boolean {
    if (this.#first !== undefined) return true;
    for (const { state } of this.from(0)) if (state === MESSAGE_STATE.active) return true;
    return false;
  }

  /** A new message has the highest number of all, until the numbers roll over (SEQ-07). */
  add(message: StoredMessage): void {
    const index = this.#indexFrom(message.sequenceNumber);
    if (this.#messages.length === 0) this.#messages = [message];
    else if (index === this.#messages.length) this.#messages.push(message);
    else this.#messages.splice(index, 0, message);
    if (message.isAvailable) this.madeAvailable(message);
  }

  madeAvailable(message: StoredMessage): void {
    const first = this.#first;
    if (first === undefined || message.sequenceNumber < first.sequenceNumber) this.#first = message;
  }

  withdrawn(message: StoredMessage): void {
    if (message !== this.#first) return;
    this.#first = undefined;
    for (const next of this.from(message.sequenceNumber + 1)) {
      if (!next.isAvailable) continue;
      this.#first = next;
      return;
    }
  }

  /** Removes a message that is not available. */
  remove(message: StoredMessage): void {
    const index = this.#indexFrom(message.sequenceNumber);
    assert(this.#messages[index] === message, 'a removed message is not in its session');
    if (index - this.#start > this.#messages.length - index) {
      this.#messages.splice(index, 1);
      return;
    }
    // Moves the shorter part: most messages leave from the front.
    this.#messages.copyWithin(this.#start + 1, this.#start, index);
    this.#messages[this.#start] = undefined;
    this.#start += 1;
    if (!this.hasMessages || (this.#start > MAX_GAP && this.#start * 2 > this.#messages.length)) {
      this.#messages = this.#messages.slice(this.#start);
      this.#start = 0;
    }
  }

  /** Yields the messages from this number on, in order. The session must not change during the iteration. */
  *from(sequenceNumber: number): Generator<StoredMessage> {
    for (let index = this.#indexFrom(sequenceNumber); index < this.#messages.length; index++) {
      const message = this.#messages[index];
      if (message !== undefined) yield message;
    }
  }

  /** The index of the first message that has this number or a later one. */
  #indexFrom(sequenceNumber: number): number {
    const messages = this.#messages;
    const start = this.#start;
    const last = messages.at(-1);
    if (last === undefined || last.sequenceNumber < sequenceNumber) return messages.length; // the usual case of a new message
    const isBelow = (index: number) => (messages[start + index]?.sequenceNumber ?? 0) < sequenceNumber;
    return start + firstIndex(messages.length - start, isBelow);
  }
}

type SessionLockFields = Pick<SessionLock, 'session' | 'store' | 'receiver' | 'dueAt'>;

/** The exclusive lock of one receiver on one session (SES-04). */
export class SessionLock implements DueItem, SessionHold {
  /** Another object with the same id once its store was emptied. Only MessageSessions sets it. */
  session: MessageSession;
  readonly store: MessageStore;
  readonly receiver: Receiver;
  readonly lockTokens = new Set<string>();
  /** The time at which the lock expires, if `runsOut`. */
  dueAt: Instant;
  heapIndex = -1;
  /** Whether its end has begun: its messages come back in pieces. Only SessionLocks sets it. */
  isEnding = false;
  /** Whether its link has ended. Only SessionLocks sets it, as the next. */
  isDetached = false;
  /** Whether the deliveries under it count when they come back. */
  countsDeliveries = true;

  constructor({ session, store, receiver, dueAt }: SessionLockFields) {
    this.session = session;
    this.store = store;
    this.receiver = receiver;
    this.dueAt = dueAt;
  }

  /** SES-12: a receive-and-delete receiver has nothing to settle and holds its session until it detaches. */
  get runsOut(): boolean {
    return this.receiver.receiveMode === 'peek-lock';
  }

  isHeldAt(now: Instant): boolean {
    return !this.isEnding && (this.dueAt > now || !this.runsOut);
  }
}
