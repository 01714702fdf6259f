// The messages of one store in the order of their sequence numbers, and which of them is the next available one.
// What it costs does not depend on how many messages went before, nor on how many are locked.

import { assert } from '../assert.js';
import { BinaryHeap } from '../binary-heap.js';
import type { StoredMessage } from './stored-message.js';

const CHUNK_SLOTS = 128;

/** The messages with the numbers `chunkNumber * CHUNK_SLOTS` and following; a free slot is undefined. */
type Chunk = { readonly slots: (StoredMessage | undefined)[]; count: number };

export class MessageLog {
  readonly #chunks = new Map<number, Chunk>();
  /** The keys of `#chunks`, ascending: the numbers of a dead-letter queue have wide gaps and come in any order. */
  readonly #chunkNumbers: number[] = [];
  /** Available messages have this number or a later one, or are among the returned. */
  #cursor = 0;
  /** Available messages before the cursor. */
  readonly #returned = new BinaryHeap<StoredMessage>({
    isBefore: (a, b) => a.sequenceNumber < b.sequenceNumber,
  });
  #availableCount = 0;

  /** A new message, available. */
  add(message: StoredMessage): void {
    const chunk = this.#chunkFor(message.sequenceNumber);
    const slot = message.sequenceNumber % CHUNK_SLOTS;
    assert(chunk.slots[slot] === undefined, 'a sequence number was used twice in one store');
    chunk.slots[slot] = message;
    chunk.count += 1;
    this.#makeAvailable(message);
  }

  /** The available message with the lowest number (RCV-07); it is available no more until it is given back. */
  takeFirst(): StoredMessage | undefined {
    if (this.#availableCount === 0) return undefined;
    this.#availableCount -= 1;
    return this.#returned.takeFirst() ?? this.#advance();
  }

  /** A message that was taken is available again, at its old place in the order (RCV-09). */
  giveBack(message: StoredMessage): void {
    assert(message.sequenceNumber < this.#cursor, 'a message was given back that was never taken');
    this.#makeAvailable(message);
  }

  /** A message that was taken leaves the store. */
  remove(message: StoredMessage): void {
    const chunkNumber = chunkNumberOf(message.sequenceNumber);
    const chunk = this.#chunks.get(chunkNumber);
    const slot = message.sequenceNumber % CHUNK_SLOTS;
    assert(chunk?.slots[slot] === message, 'a message was removed that is not in the store');
    chunk.slots[slot] = undefined;
    chunk.count -= 1;
    if (chunk.count > 0) return;
    this.#chunks.delete(chunkNumber);
    this.#chunkNumbers.splice(firstNotBelow(this.#chunkNumbers, chunkNumber), 1);
  }

  /** All messages, taken ones included, in order. */
  *[Symbol.iterator](): Generator<StoredMessage> {
    for (const chunkNumber of this.#chunkNumbers) {
      for (const message of this.#chunks.get(chunkNumber)?.slots ?? []) {
        if (message !== undefined) yield message;
      }
    }
  }

  #makeAvailable(message: StoredMessage): void {
    this.#availableCount += 1;
    if (message.sequenceNumber < this.#cursor) this.#returned.add(message);
  }

  #advance(): StoredMessage {
    const message = this.#firstFrom(this.#cursor);
    assert(message !== undefined, 'an available message is missing from its store');
    this.#cursor = message.sequenceNumber + 1;
    return message;
  }

  #firstFrom(sequenceNumber: number): StoredMessage | undefined {
    const start = chunkNumberOf(sequenceNumber);
    let slot = sequenceNumber % CHUNK_SLOTS;
    for (let i = firstNotBelow(this.#chunkNumbers, start); i < this.#chunkNumbers.length; i++) {
      const chunkNumber = this.#chunkNumbers[i] ?? 0;
      if (chunkNumber !== start) slot = 0;
      const found = firstInSlots(this.#chunks.get(chunkNumber)?.slots ?? [], slot);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #chunkFor(sequenceNumber: number): Chunk {
    const chunkNumber = chunkNumberOf(sequenceNumber);
    const existing = this.#chunks.get(chunkNumber);
    if (existing !== undefined) return existing;
    const chunk = { slots: new Array<StoredMessage | undefined>(CHUNK_SLOTS).fill(undefined), count: 0 };
    this.#chunks.set(chunkNumber, chunk);
    this.#chunkNumbers.splice(firstNotBelow(this.#chunkNumbers, chunkNumber), 0, chunkNumber);
    return chunk;
  }
}

function chunkNumberOf(sequenceNumber: number): number {
  return Math.floor(sequenceNumber / CHUNK_SLOTS);
}

function firstInSlots(
  slots: readonly (StoredMessage | undefined)[],
  from: number,
): StoredMessage | undefined {
  for (let slot = from; slot < slots.length; slot++) {
    const message = slots[slot];
    if (message !== undefined) return message;
  }
  return undefined;
}

/** The index of the first number that is not below `wanted`; the length when there is none. */
function firstNotBelow(ascending: readonly number[], wanted: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? wanted) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
