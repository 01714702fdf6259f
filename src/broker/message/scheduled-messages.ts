// The scheduled messages of one store, the one that is due soonest first.

import { assert } from '../assert.js';
import { BinaryHeap } from '../binary-heap.js';
import { type Instant, NEVER } from '../instant.js';
import type { StoredMessage } from './stored-message.js';

type Waiting = {
  readonly message: StoredMessage;
  readonly enqueueAt: Instant;
  /** Where it stands in the heap; `PINNED` when it waits for something else than its time. */
  place: number;
};

const PINNED = -1;

export class ScheduledMessages {
  readonly #byNumber = new Map<number, Waiting>();
  readonly #heap = new BinaryHeap<Waiting>({
    isBefore: (a, b) =>
      a.enqueueAt < b.enqueueAt ||
      (a.enqueueAt === b.enqueueAt && a.message.sequenceNumber < b.message.sequenceNumber),
    placed: (waiting, index) => {
      waiting.place = index;
    },
  });

  get count(): number {
    return this.#byNumber.size;
  }

  /** When the next one is due; `NEVER` when there is none. */
  get next(): Instant {
    return this.#heap.first?.enqueueAt ?? NEVER;
  }

  add(message: StoredMessage): void {
    assert(message.schedule !== undefined, 'a message without a schedule was to be scheduled');
    const waiting = { message, enqueueAt: message.schedule.enqueueAt, place: -1 };
    this.#byNumber.set(message.sequenceNumber, waiting);
    this.#heap.add(waiting);
  }

  /** The next one if it is due at `now`; it is scheduled no more. */
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
    if (waiting.place !== PINNED) this.#heap.removeAt(waiting.place);
  }

  /** It does not come due until it is unpinned: a transaction is to cancel it. */
  pin(message: StoredMessage): void {
    const waiting = this.#byNumber.get(message.sequenceNumber);
    assert(
      waiting?.message === message && !this.isPinned(message),
      'a message was pinned that does not wait',
    );
    this.#heap.removeAt(waiting.place);
    waiting.place = PINNED;
  }

  /** One that is gone, or not pinned, is left alone. */
  unpin(message: StoredMessage): void {
    const waiting = this.#byNumber.get(message.sequenceNumber);
    if (waiting?.message === message && waiting.place === PINNED) this.#heap.add(waiting);
  }

  isPinned(message: StoredMessage): boolean {
    return this.#byNumber.get(message.sequenceNumber)?.place === PINNED;
  }
}
