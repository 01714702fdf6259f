// The messages of one store in the order of their numbers. Finds the next available one and the expired ones.
// The cost hardly depends on the number of earlier messages, nor on how many are locked, deferred or scheduled.

import { BinaryHeap, type HeapOptions } from '../collections/binary-heap.js';
import { DueQueue } from '../collections/due-queue.js';
import { firstIndex } from '../collections/first-index.js';
import { assert } from '../contract/assert.js';
import type { MessageRecord } from '../contract/event.js';
import type { MessageCondition } from '../contract/inspection.js';
import { type Instant, NEVER } from '../contract/instant.js';
import { MESSAGE_STATE, type MessageState } from '../contract/message-properties.js';
import { CHUNK_NUMBERS, MessageChunk } from './message-chunk.js';
import { isPlain, StoredMessage } from './stored-message.js';

/** Entries allowed in the heap of returned messages, in addition to two for each available message. */
const MAX_STALE = 64;

const LOWEST_FIRST: HeapOptions<StoredMessage> = {
  isBefore: (a, b) => a.sequenceNumber < b.sequenceNumber, // RCV-07
};

/** Messages of a kind, and the chunks in which they may be. */
type Sought = {
  readonly mayBeIn: (chunk: MessageChunk) => boolean;
  readonly isOne: (message: StoredMessage) => boolean;
};

const AVAILABLE: Sought = {
  mayBeIn: ({ availableCount }) => availableCount > 0,
  isOne: ({ isAvailable }) => isAvailable,
};
const BROWSABLE: Sought = {
  mayBeIn: ({ count, deferredCount }) => count > deferredCount,
  isOne: ({ isBrowsable }) => isBrowsable,
};

/** Which messages are looked at, and in which order. */
export type ShownMessages = {
  readonly from: number;
  readonly isNewestFirst: boolean;
  /** Undefined: all. Others may be among them. */
  readonly wanted: readonly MessageCondition[] | undefined;
};

export class MessageLog {
  readonly #chunks = new Map<number, MessageChunk>();
  /** The keys of `#chunks`, ascending: the numbers of a dead-letter queue arrive in any order, with wide gaps. */
  readonly #chunkNumbers: number[] = [];
  /** The chunks with messages that may expire. */
  readonly #expiring = new DueQueue<MessageChunk>();
  /** Available messages before this number are in the heap of returned messages. */
  #cursor = 0;
  /** The available messages before the cursor, and stale entries that are no longer available. */
  #returned = new BinaryHeap(LOWEST_FIRST);
  #availableCount = 0;
  #count = 0;
  #sizeBytes = 0;
  #unsharedBytes = 0;

  /** The number of messages in any state. */
  get count(): number {
    return this.#count;
  }

  /** The content bytes of all messages. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** The content bytes of the messages that share their content with no other. */
  get unsharedBytes(): number {
    return this.#unsharedBytes;
  }

  get availableCount(): number {
    return this.#availableCount;
  }

  get hasAvailable(): boolean {
    return this.#availableCount > 0;
  }

  /** A lower bound of the expiry of available messages; `NEVER` when none expires. */
  get nextExpiry(): Instant {
    return this.#expiring.next;
  }

  /** Adds a message; an active one becomes available. */
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
    this.#addBytes(message, message.sizeBytes);
    if (message.state === MESSAGE_STATE.active) this.#makeAvailable(message, chunk);
    else if (message.state === MESSAGE_STATE.deferred) chunk.deferredCount += 1;
  }

  /** Adds a message of the journal. */
  restore(record: MessageRecord): void {
    if (isPlain(record)) this.addPlain(record, record.sequenceNumber);
    else this.add(new StoredMessage(record));
  }

  /** Adds a plain message, which is like the record but for its number. It is made an object when one of its chunk is asked for. */
  addPlain(record: MessageRecord, sequenceNumber: number): void {
    const chunk = this.#chunkFor(sequenceNumber);
    if (sequenceNumber < this.#cursor || !chunk.addPlain(record, sequenceNumber)) {
      this.add(new StoredMessage(record, sequenceNumber));
      return;
    }
    this.#count += 1;
    this.#availableCount += 1;
    chunk.availableCount += 1;
    this.#addBytes(record, record.sizeBytes);
    if (record.expiresAt < chunk.dueAt) this.#expiring.setDue(chunk, record.expiresAt);
  }

  find(sequenceNumber: number): StoredMessage | undefined {
    const chunk = this.#chunks.get(chunkNumberOf(sequenceNumber));
    const message = chunk?.messages[indexFrom(chunk, sequenceNumber)];
    return message?.sequenceNumber === sequenceNumber ? message : undefined;
  }

  /** Takes the available message with the lowest number (RCV-07, SEQ-09). It is unavailable until it is given back. */
  takeFirst(): StoredMessage | undefined {
    if (this.#availableCount === 0) return undefined;
    const message = this.#firstReturned() ?? this.#advance();
    this.withdraw(message);
    return message;
  }

  /** Finds the available message with the lowest number from this one on. It stays available. */
  firstAvailableFrom(sequenceNumber: number): StoredMessage | undefined {
    return this.#firstFrom(sequenceNumber, AVAILABLE);
  }

  /** The number behind the last message in any state; 0 if there is none. */
  get end(): number {
    const last = this.#chunks.get(this.#chunkNumbers.at(-1) ?? -1)?.messages.at(-1);
    return last === undefined ? 0 : last.sequenceNumber + 1;
  }

  /** Finds the message with the lowest number from this one on that a browser sees. It stays as it is. */
  firstBrowsableFrom(sequenceNumber: number): StoredMessage | undefined {
    return this.#firstFrom(sequenceNumber, BROWSABLE);
  }

  #firstFrom(sequenceNumber: number, { mayBeIn, isOne }: Sought): StoredMessage | undefined {
    const start = firstNotBelow(this.#chunkNumbers, chunkNumberOf(sequenceNumber));
    for (let i = start; i < this.#chunkNumbers.length; i++) {
      const chunk = this.#chunks.get(this.#chunkNumbers[i] ?? 0);
      if (chunk === undefined || !mayBeIn(chunk)) continue;
      const { messages } = chunk;
      for (let at = i === start ? indexFrom(chunk, sequenceNumber) : 0; at < messages.length; at++) {
        const message = messages[at];
        if (message !== undefined && isOne(message)) return message;
      }
    }
    return undefined;
  }

  /** Takes the first available message to forward it; undefined if it must still wait: no other may overtake it (FWD-04). */
  takeFirstToForward(now: Instant): StoredMessage | undefined {
    if (this.#availableCount === 0) return undefined;
    const message = this.#firstReturned() ?? this.#advance();
    if (message.forwardableAt > now) {
      this.#returned.add(message);
      return undefined;
    }
    this.withdraw(message);
    return message;
  }

  /** Makes an available message unavailable until it is given back. */
  withdraw(message: StoredMessage): void {
    const chunk = this.#chunks.get(chunkNumberOf(message.sequenceNumber));
    assert(chunk !== undefined && message.isAvailable, 'a message was withdrawn that is not available');
    message.isAvailable = false;
    chunk.availableCount -= 1;
    this.#availableCount -= 1;
    if (this.#returned.count > 2 * this.#availableCount + MAX_STALE) this.#dropStaleReturned();
  }

  /** Makes a taken message available again, at its old position in the order (RCV-09). */
  giveBack(message: StoredMessage): void {
    const chunk = this.#chunks.get(chunkNumberOf(message.sequenceNumber));
    assert(chunk !== undefined && !message.isAvailable, 'a message was given back that was never taken');
    this.#makeAvailable(message, chunk);
  }

  /** Defers a message, or makes a deferred one active. It must be unavailable. */
  setState(message: StoredMessage, state: MessageState): void {
    const chunk = this.#chunks.get(chunkNumberOf(message.sequenceNumber));
    assert(
      chunk !== undefined && !message.isAvailable,
      'a message was deferred or activated while available',
    );
    chunk.deferredCount += Number(state === MESSAGE_STATE.deferred) - Number(isDeferred(message));
    message.state = state;
  }

  /** Removes a message, which must be unavailable. */
  remove(message: StoredMessage): void {
    const chunkNumber = chunkNumberOf(message.sequenceNumber);
    const chunk = this.#chunks.get(chunkNumber);
    assert(chunk !== undefined, 'a message was removed that is not in the store');
    const index = indexFrom(chunk, message.sequenceNumber);
    assert(chunk.messages[index] === message, 'a message was removed that is not in the store');
    assert(!message.isAvailable, 'a message was removed that is still available');
    chunk.messages.splice(index, 1);
    if (isDeferred(message)) chunk.deferredCount -= 1;
    this.#count -= 1;
    this.#addBytes(message, -message.sizeBytes);
    if (chunk.messages.length > 0) return;
    this.#expiring.setDue(chunk, NEVER);
    this.#chunks.delete(chunkNumber);
    this.#chunkNumbers.splice(firstNotBelow(this.#chunkNumbers, chunkNumber), 1);
  }

  /** Takes the expired available messages of up to `maxChunks` chunks. */
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
      this.#expiring.setDue(chunk, next);
    }
    for (const message of taken) this.withdraw(message);
    return taken.sort((a, b) => a.sequenceNumber - b.sequenceNumber);
  }

  /** All messages from this number on, in order, in any state. */
  *from(sequenceNumber: number): Generator<StoredMessage> {
    const start = chunkNumberOf(sequenceNumber);
    // Copies, because the caller may remove messages meanwhile, and a chunk is removed with its last message.
    for (const chunkNumber of this.#chunkNumbers.slice(firstNotBelow(this.#chunkNumbers, start))) {
      for (const message of this.#chunks.get(chunkNumber)?.messages.slice() ?? []) {
        if (message.sequenceNumber >= sequenceNumber) yield message;
      }
    }
  }

  /**
   * The messages from this number on, or from it downwards, for a caller that only looks at them while the log does not change. Chunks
   * with no message of the wanted conditions are skipped.
   */
  *shown({ from, isNewestFirst, wanted }: ShownMessages): Generator<StoredMessage> {
    const numbers = this.#chunkNumbers;
    const step = isNewestFirst ? -1 : 1;
    const first = chunkNumberOf(from);
    let at = isNewestFirst ? firstNotBelow(numbers, first + 1) - 1 : firstNotBelow(numbers, first);
    for (; at >= 0 && at < numbers.length; at += step) {
      const chunk = this.#chunks.get(numbers[at] ?? 0);
      if (chunk === undefined || !mayHave(chunk, wanted)) continue;
      const messages = chunk.shown;
      for (const message of isNewestFirst ? messages.toReversed() : messages) {
        if ((message.sequenceNumber - from) * step >= 0) yield message;
      }
    }
  }

  /** The messages that are available or deferred, in order. The log must not change during the iteration. */
  *availableOrDeferred(): Generator<StoredMessage> {
    for (const chunkNumber of this.#chunkNumbers) {
      const chunk = this.#chunks.get(chunkNumber);
      if (chunk === undefined || chunk.availableCount + chunk.deferredCount === 0) continue;
      for (const message of chunk.messages) if (message.isAvailable || isDeferred(message)) yield message;
    }
  }

  #addBytes({ isShared }: Pick<MessageRecord, 'isShared'>, bytes: number): void {
    this.#sizeBytes += bytes;
    if (!isShared) this.#unsharedBytes += bytes;
  }

  #makeAvailable(message: StoredMessage, chunk: MessageChunk): void {
    message.isAvailable = true;
    chunk.availableCount += 1;
    this.#availableCount += 1;
    if (message.sequenceNumber < this.#cursor) this.#returned.add(message);
    if (message.expiresAt < chunk.dueAt) this.#expiring.setDue(chunk, message.expiresAt);
  }

  /** Drops stale entries, so that removed messages take no memory. */
  #dropStaleReturned(): void {
    const available = new Set<StoredMessage>();
    for (const message of this.#returned.items()) if (message.isAvailable) available.add(message);
    this.#returned = new BinaryHeap(LOWEST_FIRST);
    for (const message of available) this.#returned.add(message);
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

  #chunkFor(sequenceNumber: number): MessageChunk {
    const chunkNumber = chunkNumberOf(sequenceNumber);
    const existing = this.#chunks.get(chunkNumber);
    if (existing !== undefined) return existing;
    const chunk = new MessageChunk();
    this.#chunks.set(chunkNumber, chunk);
    this.#chunkNumbers.splice(firstNotBelow(this.#chunkNumbers, chunkNumber), 0, chunkNumber);
    return chunk;
  }
}

function isDeferred({ state }: StoredMessage): boolean {
  return state === MESSAGE_STATE.deferred;
}

function chunkNumberOf(sequenceNumber: number): number {
  return Math.floor(sequenceNumber / CHUNK_NUMBERS);
}

/** Whether a message of these conditions can be in the chunk. */
function mayHave(chunk: MessageChunk, wanted: ShownMessages['wanted']): boolean {
  if (wanted === undefined) return true;
  const { count, availableCount, deferredCount } = chunk;
  const has: Readonly<Record<MessageCondition, boolean>> = {
    active: availableCount > 0,
    locked: count > availableCount,
    scheduled: count > availableCount + deferredCount,
    deferred: deferredCount > 0,
  };
  return wanted.some((condition) => has[condition]);
}

/** The index of the first message with this number or a later one. */
function indexFrom({ messages }: MessageChunk, sequenceNumber: number): number {
  const last = messages.at(-1);
  if (last === undefined || last.sequenceNumber < sequenceNumber) return messages.length; // the usual case
  return firstIndex(
    messages.length,
    (at) => (messages[at]?.sequenceNumber ?? sequenceNumber) < sequenceNumber,
  );
}

/** The index of the first number that is not below `target`; the length when there is none. */
function firstNotBelow(ascending: readonly number[], target: number): number {
  return firstIndex(ascending.length, (at) => (ascending[at] ?? target) < target);
}
