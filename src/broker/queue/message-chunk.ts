// A part of a store's log: the messages of 128 neighbouring numbers. Those that a restart has restored are seven numbers each,
// in half of the memory, until the first of them is asked for.

import type { DueItem } from '../due-queue.js';
import type { MessageRecord } from '../event.js';
import { type Instant, NEVER } from '../instant.js';
import { isPlain, PLAIN, StoredMessage } from './stored-message.js';

/** Sequence numbers that one chunk covers. */
export const CHUNK_NUMBERS = 128;
/** The number of numbers of a restored message. */
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
  #restored: number[] | undefined;

  /** Its messages, ascending. */
  get messages(): StoredMessage[] {
    if (this.#restored !== undefined) this.#makeObjects(this.#restored);
    return this.#messages;
  }

  /** Returns false when the message must be added as an object: it is not plain, out of order, or its neighbours are objects. */
  restore(record: MessageRecord): boolean {
    if (this.#messages.length > 0 || !isPlain(record)) return false;
    this.#restored ??= [];
    const { sequenceNumber, enqueuedTime, expiresAt, contentId, sizeBytes } = record;
    if (sequenceNumber <= (this.#restored.at(-FIELDS) ?? -1)) return false;
    const { isShared, enqueuedSequenceNumber = NO_NUMBER } = record;
    this.#restored.push(sequenceNumber, enqueuedTime, expiresAt, contentId, sizeBytes);
    this.#restored.push(Number(isShared), enqueuedSequenceNumber);
    // An array that has grown has room for half as much again.
    if (this.#restored.length === FIELDS * CHUNK_NUMBERS) this.#restored = this.#restored.slice();
    return true;
  }

  #makeObjects(restored: readonly number[]): void {
    this.#restored = undefined;
    for (let start = 0; start < restored.length; start += FIELDS) {
      const [
        sequenceNumber = 0,
        enqueuedTime = 0,
        expiresAt = 0,
        contentId = 0,
        sizeBytes = 0,
        shared,
        number,
      ] = restored.slice(start, start + FIELDS);
      const message = new StoredMessage({
        ...PLAIN,
        ...{ sequenceNumber, enqueuedTime, expiresAt, contentId, sizeBytes },
        isShared: shared === 1,
        enqueuedSequenceNumber: number === NO_NUMBER ? undefined : number,
      });
      message.isAvailable = true;
      this.#messages.push(message);
    }
  }
}
