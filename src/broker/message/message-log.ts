// The messages of one store in the order of their numbers: which is the next available one, and which have expired.
// What it costs does not depend on how many messages went before, nor on how many are locked or wait for something else.

import { assert } from '../assert.js';
import { BinaryHeap } from '../binary-heap.js';
import { type Deadline, Deadlines } from '../deadlines.js';
import { type Instant, NEVER } from '../instant.js';
import { MESSAGE_STATE } from './message-properties.js';
import type { StoredMessage } from './stored-message.js';

/** How many numbers a chunk is for. */
const CHUNK_NUMBERS = 128;
/** Entries among the returned that may be of no use, besides as many as are of use. */
const MAX_USELESS = 64;

/** The messages with the numbers `chunkNumber * CHUNK_NUMBERS` and following, ascending. */
class Chunk implements Deadline {
  readonly messages: StoredMessage[] = [];
  /** No available message of it expires earlier. */
  dueAt: Instant = NEVER;
  place = -1;
}

export class MessageLog {
  readonly #chunks = new Map<number, Chunk>();
  /** The keys of `#chunks`, ascending: the numbers of a dead-letter queue have wide gaps and come in any order. */
  readonly #chunkNumbers: number[] = [];
  /** The chunks in which something may expire. */
  readonly #expiring = new Deadlines<Chunk>();
  /** Available messages have this number or a later one, or are among the returned. */
  #cursor = 0;
  /** The available messages before the cursor, and some that are available no more. */
  #returned = newHeap();
  #availableCount = 0;
  #count = 0;

  /** Of all messages, whatever their state. */
  get count(): number {
    return this.#count;
  }

  get hasAvailable(): boolean {
    return this.#availableCount > 0;
  }

  /** No available message expires before; `NEVER` when none does. */
  get nextExpiry(): Instant {
    return this.#expiring.next;
  }

  /** An active message is available from now on. */
  add(message: StoredMessage): void {
    const { sequenceNumber } = message;
    const chunk = this.#chunkFor(sequenceNumber);
    const index = indexFrom(chunk, sequenceNumber);
    assert(
      chunk.messages[index]?.sequenceNumber !== sequenceNumber,
      'a sequence number was used twice in one store',
    );
    if (index === chunk.messages.length) chunk.messages.push(message);
    else chunk.messages.splice(index, 0, message);
    this.#count += 1;
    if (message.state === MESSAGE_STATE.active) this.#makeAvailable(message, chunk);
  }

  find(sequenceNumber: number): StoredMessage | undefined {
    const chunk = this.#chunks.get(chunkNumberOf(sequenceNumber));
    const message = chunk?.messages[indexFrom(chunk, sequenceNumber)];
    return message?.sequenceNumber === sequenceNumber ? message : undefined;
  }

  /** The available message with the lowest number (RCV-07, SEQ-09); it is available no more until it is given back. */
  takeFirst(): StoredMessage | undefined {
    if (this.#availableCount === 0) return undefined;
    const message = this.#firstReturned() ?? this.#advance();
    this.withdraw(message);
    return message;
  }

  /** The available message with the lowest number from this one on; it stays available. */
  firstAvailableFrom(sequenceNumber: number): StoredMessage | undefined {
    const start = firstNotBelow(this.#chunkNumbers, chunkNumberOf(sequenceNumber));
    for (let i = start; i < this.#chunkNumbers.length; i++) {
      const chunk = this.#chunks.get(this.#chunkNumbers[i] ?? 0);
      const found = chunk && firstAvailable(chunk, i === start ? indexFrom(chunk, sequenceNumber) : 0);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The same to forward it; undefined when it may not be yet, and then no other may go before it (FWD-04). */
  takeFirstToMove(now: Instant): StoredMessage | undefined {
    if (this.#availableCount === 0) return undefined;
    const message = this.#firstReturned() ?? this.#advance();
    if (message.movesAt > now) {
      this.#returned.add(message);
      return undefined;
    }
    this.withdraw(message);
    return message;
  }

  /** This message is available no more until it is given back. */
  withdraw(message: StoredMessage): void {
    assert(message.isAvailable, 'a message was taken that is not available');
    message.isAvailable = false;
    this.#availableCount -= 1;
    if (this.#returned.count > 2 * this.#availableCount + MAX_USELESS) this.#tidyReturned();
  }

  /** A message that was taken is available again, at its old place in the order (RCV-09). */
  giveBack(message: StoredMessage): void {
    const chunk = this.#chunks.get(chunkNumberOf(message.sequenceNumber));
    assert(chunk !== undefined && !message.isAvailable, 'a message was given back that was never taken');
    this.#makeAvailable(message, chunk);
  }

  /** A message that is not available leaves the store. */
  remove(message: StoredMessage): void {
    const chunkNumber = chunkNumberOf(message.sequenceNumber);
    const chunk = this.#chunks.get(chunkNumber);
    assert(chunk !== undefined, 'a message was removed that is not in the store');
    const index = indexFrom(chunk, message.sequenceNumber);
    assert(chunk.messages[index] === message, 'a message was removed that is not in the store');
    assert(!message.isAvailable, 'a message was removed that is still available');
    chunk.messages.splice(index, 1);
    this.#count -= 1;
    if (chunk.messages.length > 0) return;
    this.#setExpiry(chunk, NEVER);
    this.#chunks.delete(chunkNumber);
    this.#chunkNumbers.splice(firstNotBelow(this.#chunkNumbers, chunkNumber), 1);
  }

  /** Withdraws available messages that have expired: all of them, or as many as are found in `maxChunks` chunks. */
  takeExpired(now: Instant, maxChunks: number): readonly StoredMessage[] {
    const taken: StoredMessage[] = [];
    for (let chunkCount = 0; chunkCount < maxChunks; chunkCount++) {
      const chunk = this.#expiring.due(now);
      if (chunk === undefined) break;
      let next = NEVER;
      for (const message of chunk.messages) {
        if (!message.isAvailable) continue; // TTL-06: locked ones stay
        if (message.expiresAt <= now) taken.push(message);
        else next = Math.min(next, message.expiresAt);
      }
      this.#setExpiry(chunk, next);
    }
    for (const message of taken) this.withdraw(message);
    return taken.sort((a, b) => a.sequenceNumber - b.sequenceNumber);
  }

  /** All messages from this number on, in order, whatever their state. */
  *from(sequenceNumber: number): Generator<StoredMessage> {
    const start = chunkNumberOf(sequenceNumber);
    // The caller may take messages out meanwhile, and chunks go with their last one.
    for (const chunkNumber of this.#chunkNumbers.slice(firstNotBelow(this.#chunkNumbers, start))) {
      for (const message of this.#chunks.get(chunkNumber)?.messages.slice() ?? []) {
        if (message.sequenceNumber >= sequenceNumber) yield message;
      }
    }
  }

  #makeAvailable(message: StoredMessage, chunk: Chunk): void {
    message.isAvailable = true;
    this.#availableCount += 1;
    if (message.sequenceNumber < this.#cursor) this.#returned.add(message);
    if (message.expiresAt < chunk.dueAt) this.#setExpiry(chunk, message.expiresAt);
  }

  #setExpiry(chunk: Chunk, dueAt: Instant): void {
    if (dueAt === chunk.dueAt) return;
    if (chunk.dueAt === NEVER) {
      chunk.dueAt = dueAt;
      this.#expiring.add(chunk);
    } else if (dueAt === NEVER) {
      this.#expiring.remove(chunk);
      chunk.dueAt = dueAt;
    } else this.#expiring.postpone(chunk, dueAt);
  }

  /** What is of no use goes, so that its memory does not grow with what has been. */
  #tidyReturned(): void {
    const useful = new Set<StoredMessage>();
    for (const message of this.#returned.items()) if (message.isAvailable) useful.add(message);
    this.#returned = newHeap();
    for (const message of useful) this.#returned.add(message);
  }

  #firstReturned(): StoredMessage | undefined {
    for (let message = this.#returned.takeFirst(); message !== undefined; ) {
      if (message.isAvailable) return message;
      message = this.#returned.takeFirst();
    }
    return undefined;
  }

  #advance(): StoredMessage {
    const message = this.firstAvailableFrom(this.#cursor);
    assert(message !== undefined, 'an available message is missing from its store');
    this.#cursor = message.sequenceNumber + 1;
    return message;
  }

  #chunkFor(sequenceNumber: number): Chunk {
    const chunkNumber = chunkNumberOf(sequenceNumber);
    const existing = this.#chunks.get(chunkNumber);
    if (existing !== undefined) return existing;
    const chunk = new Chunk();
    this.#chunks.set(chunkNumber, chunk);
    this.#chunkNumbers.splice(firstNotBelow(this.#chunkNumbers, chunkNumber), 0, chunkNumber);
    return chunk;
  }
}

function newHeap(): BinaryHeap<StoredMessage> {
  return new BinaryHeap({ isBefore: (a, b) => a.sequenceNumber < b.sequenceNumber }); // RCV-07
}

function chunkNumberOf(sequenceNumber: number): number {
  return Math.floor(sequenceNumber / CHUNK_NUMBERS);
}

function firstAvailable({ messages }: Chunk, from: number): StoredMessage | undefined {
  for (let index = from; index < messages.length; index++) {
    if (messages[index]?.isAvailable) return messages[index];
  }
  return undefined;
}

/** The place of the first message that has this number or a later one. */
function indexFrom({ messages }: Chunk, sequenceNumber: number): number {
  const last = messages.at(-1);
  if (last === undefined || last.sequenceNumber < sequenceNumber) return messages.length; // the usual case
  let low = 0;
  let high = messages.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((messages[middle]?.sequenceNumber ?? sequenceNumber) < sequenceNumber) low = middle + 1;
    else high = middle;
  }
  return low;
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
