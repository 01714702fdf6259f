// The scheduled messages of one store, soonest first.

import { BinaryHeap, type HeapOptions } from '../collections/binary-heap.js';
import { assert } from '../contract/assert.js';
import { type Instant, NEVER } from '../contract/instant.js';
import type { StoredMessage } from './stored-message.js';

type Waiting = {
  readonly message: StoredMessage;
  readonly enqueueAt: Instant;
  /** Its index in the heap; `PINNED` while an open transaction cancels it. */
  heapIndex: number;
};

const PINNED = -1;

const SOONEST_FIRST: HeapOptions<Waiting> = {
  isBefore: (a, b) =>
    a.enqueueAt < b.enqueueAt ||
    (a.enqueueAt === b.enqueueAt && a.message.sequenceNumber < b.message.sequenceNumber),
  onMove: (waiting, index) => {
    waiting.heapIndex = index;
  },
};

export class ScheduledMessages {
  readonly #byNumber = new Map<number, Waiting>();
  readonly #heap = new BinaryHeap(SOONEST_FIRST);

  get count(): number {
    return this.#byNumber.size;
  }

  /** When the next one is due; `NEVER` when there is none. */
  get next(): Instant {
    return this.#heap.first?.enqueueAt ?? NEVER;
  }

  has(message: StoredMessage): boolean {
    return this.#byNumber.get(message.sequenceNumber)?.message === message;
  }

  add(message: StoredMessage): void {
    const schedule = message.details?.schedule;
    assert(schedule !== undefined, 'a message without a schedule was added to the scheduled messages');
    const waiting = { message, enqueueAt: schedule.enqueueAt, heapIndex: -1 };
    this.#byNumber.set(message.sequenceNumber, waiting);
    this.#heap.add(waiting);
  }

  /** Removes and returns the next message if it is due at `now`. */
  takeDue(now: Instant): StoredMessage | undefined {
    if (this.next > now) return undefined;
    const message = this.#heap.takeFirst()?.message;
    if (message !== undefined) this.#byNumber.delete(message.sequenceNumber);
    return message;
  }

  remove(message: StoredMessage): void {
    const waiting = this.#byNumber.get(message.sequenceNumber);
    assert(waiting?.message === message, 'a message was cancelled that is not scheduled');
    this.#byNumber.delete(message.sequenceNumber);
    if (waiting.heapIndex !== PINNED) this.#heap.removeAt(waiting.heapIndex);
  }

  /** Stops a message from becoming due until it is unpinned, while an open transaction cancels it. */
  pin(message: StoredMessage): void {
    const waiting = this.#byNumber.get(message.sequenceNumber);
    assert(
      waiting?.message === message && !this.isPinned(message),
      'a message was pinned that is not scheduled or already pinned',
    );
    this.#heap.removeAt(waiting.heapIndex);
    waiting.heapIndex = PINNED;
  }

  /** Ignores a message that was removed or is not pinned. */
  unpin(message: StoredMessage): void {
    const waiting = this.#byNumber.get(message.sequenceNumber);
    if (waiting?.message === message && waiting.heapIndex === PINNED) this.#heap.add(waiting);
  }

  isPinned(message: StoredMessage): boolean {
    return this.#byNumber.get(message.sequenceNumber)?.heapIndex === PINNED;
  }
}
