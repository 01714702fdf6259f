// The messages before the cursor of a browser or selector that have come or come back since it passed, the lowest number first. An
// entry goes stale when its message is gone; stale ones are dropped in time, so that removed messages take no memory.

import { BinaryHeap, type HeapOptions } from '../collections/binary-heap.js';
import type { StoredMessage } from './stored-message.js';

/** Entries allowed in addition to two for each message that was there at the last cleanup. */
const MAX_STALE = 64;

const LOWEST_FIRST: HeapOptions<StoredMessage> = {
  isBefore: (a, b) => a.sequenceNumber < b.sequenceNumber,
};

export class MessagesBehind {
  readonly #isThere: (message: StoredMessage) => boolean;
  #heap = new BinaryHeap(LOWEST_FIRST);
  /** The messages that were there at the last cleanup. */
  #thereCount = 0;

  /** `isThere`: whether an entry is not stale. */
  constructor(isThere: (message: StoredMessage) => boolean) {
    this.#isThere = isThere;
  }

  /** With stale entries. */
  get count(): number {
    return this.#heap.count;
  }

  add(message: StoredMessage): void {
    this.#heap.add(message);
    if (this.#heap.count > 2 * this.#thereCount + MAX_STALE) this.#dropStale();
  }

  get first(): StoredMessage | undefined {
    for (let { first } = this.#heap; first !== undefined; { first } = this.#heap) {
      if (this.#isThere(first)) return first;
      this.#heap.takeFirst();
    }
    return undefined;
  }

  takeFirst(): StoredMessage | undefined {
    const { first } = this;
    if (first !== undefined) this.#heap.takeFirst();
    return first;
  }

  clear(): void {
    this.#heap = new BinaryHeap(LOWEST_FIRST);
    this.#thereCount = 0;
  }

  /** Keeps one entry of each message that is there. */
  #dropStale(): void {
    const there = new Set<StoredMessage>();
    for (const message of this.#heap.items()) if (this.#isThere(message)) there.add(message);
    this.clear();
    for (const message of there) this.#heap.add(message);
    this.#thereCount = there.size;
  }
}
