// One message session of a store: its messages in the order of their numbers, the first available one, its state and its lock.

import { assert } from '../assert.js';
import type { SessionLock } from '../delivery/session-lock.js';
import type { SessionStateRecord } from '../event.js';
import { MESSAGE_STATE } from './message-properties.js';
import type { StoredMessage } from './stored-message.js';

/** Places in front of the first message that are kept, for all that a removal from the front costs nothing. */
const MAX_GAP = 64;

export class MessageSession {
  /** Compared exactly; the empty text is an id like any other (SES-02). */
  readonly id: string;
  /** What the application has stored; undefined: nothing (SES-15). */
  state: SessionStateRecord | undefined;
  /** Held by a receiver as long as it is there; kept by the list of session locks alone. */
  lock: SessionLock | undefined;
  /** Where it stands among those that wait to be accepted; kept by the sessions of its store alone. */
  place = -1;
  /** All of them, whatever their state, ascending from `#start` on; those before are gone. */
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

  get hasMessages(): boolean {
    return this.#start < this.#messages.length;
  }

  /** Whether a message is active, be it locked or not. */
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

  /** A message that is not available. */
  remove(message: StoredMessage): void {
    const index = this.#indexFrom(message.sequenceNumber);
    assert(this.#messages[index] === message, 'a message was removed that is not in its session');
    if (index - this.#start > this.#messages.length - index) {
      this.#messages.splice(index, 1);
      return;
    }
    // What is shorter is moved: most go from the front.
    this.#messages.copyWithin(this.#start + 1, this.#start, index);
    this.#messages[this.#start] = undefined;
    this.#start += 1;
    if (!this.hasMessages || (this.#start > MAX_GAP && this.#start * 2 > this.#messages.length)) {
      this.#messages = this.#messages.slice(this.#start);
      this.#start = 0;
    }
  }

  /** Its messages from this number on, in order. None may come or go meanwhile. */
  *from(sequenceNumber: number): Generator<StoredMessage> {
    for (let index = this.#indexFrom(sequenceNumber); index < this.#messages.length; index++) {
      const message = this.#messages[index];
      if (message !== undefined) yield message;
    }
  }

  /** The place of the first message that has this number or a later one. */
  #indexFrom(sequenceNumber: number): number {
    let low = this.#start;
    let high = this.#messages.length;
    const last = this.#messages[high - 1];
    if (last === undefined || last.sequenceNumber < sequenceNumber) return high; // the usual case of a new message
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#messages[middle]?.sequenceNumber ?? 0) < sequenceNumber) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
