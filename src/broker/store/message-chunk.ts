// A part of a store's log: the messages of 128 neighbouring numbers. Plain ones that a restart has restored, or
// that came while nobody asked for them, are seven numbers each, in half of the memory, until the first of them is asked for.

import type { DueItem } from '../collections/due-queue.js';
import type { MessageRecord } from '../contract/event.js';
import { type Instant, NEVER } from '../contract/instant.js';
import { PLAIN, StoredMessage } from './stored-message.js';

/** Sequence numbers that one chunk covers. */
export const CHUNK_NUMBERS = 128;
/** The number of numbers of a message that is no object. */
const FIELDS = 7;
/** The enqueued sequence number of a message that is no copy. */
const NO_NUMBER = -1;

export class MessageChunk implements DueItem {
  /** A lower bound of the expiry of its available messages. */
  dueAt: Instant = NEVER;
  heapIndex = -1;
  /** Set only by `MessageLog`, as is the next. */
  availableCount = 0;
  /** Deferred messages, locked or not. */
  deferredCount = 0;
  #messages: StoredMessage[] = [];
  /** The fields of all its messages, which are plain and available; undefined once they are objects. */
  #plain: number[] | undefined;

  /** Its messages, ascending. */
  get messages(): StoredMessage[] {
    if (this.#plain === undefined) return this.#messages;
    this.#messages = objectsOf(this.#plain);
    this.#plain = undefined;
    return this.#messages;
  }

  /** Its messages, ascending, for a caller that only looks at them: plain ones stay numbers. */
  get shown(): readonly StoredMessage[] {
    return this.#plain === undefined ? this.#messages : objectsOf(this.#plain);
  }

  get count(): number {
    return this.#plain === undefined ? this.#messages.length : this.#plain.length / FIELDS;
  }

  /** Adds a plain message. Returns false when it must be added as an object: it is out of order, or its neighbours are objects. */
  addPlain(record: MessageRecord, sequenceNumber: number): boolean {
    if (this.#messages.length > 0) return false;
    this.#plain ??= [];
    const { enqueuedTime, expiresAt, contentId, sizeBytes } = record;
    if (sequenceNumber <= (this.#plain.at(-FIELDS) ?? -1)) return false;
    const { isShared, enqueuedSequenceNumber = NO_NUMBER } = record;
    this.#plain.push(sequenceNumber, enqueuedTime, expiresAt, contentId, sizeBytes);
    this.#plain.push(Number(isShared), enqueuedSequenceNumber);
    // An array that has grown has room for half as much again.
    if (this.#plain.length === FIELDS * CHUNK_NUMBERS) this.#plain = this.#plain.slice();
    return true;
  }
}

function objectsOf(plain: readonly number[]): StoredMessage[] {
  const messages: StoredMessage[] = [];
  for (let at = 0; at < plain.length; ) {
    // Field by field: a spread would cost a hundred times as much.
    const record = {
      sequenceNumber: plain[at++] ?? 0,
      enqueuedTime: plain[at++] ?? 0,
      expiresAt: plain[at++] ?? 0,
      contentId: plain[at++] ?? 0,
      sizeBytes: plain[at++] ?? 0,
      isShared: plain[at++] === 1,
      enqueuedSequenceNumber: numberOf(plain[at++]),
      deliveryCount: PLAIN.deliveryCount,
      state: PLAIN.state,
      wasScheduled: PLAIN.wasScheduled,
      sessionId: PLAIN.sessionId,
      details: PLAIN.details,
    };
    const message = new StoredMessage(record);
    message.isAvailable = true;
    messages.push(message);
  }
  return messages;
}

function numberOf(enqueuedSequenceNumber: number | undefined): number | undefined {
  return enqueuedSequenceNumber === NO_NUMBER ? undefined : enqueuedSequenceNumber;
}
