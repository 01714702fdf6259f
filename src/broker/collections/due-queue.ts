// A priority queue of items by due time, soonest first.

import { type Instant, NEVER } from '../contract/instant.js';
import { BinaryHeap, type HeapOptions } from './binary-heap.js';

export interface DueItem {
  dueAt: Instant;
  /** Its index in the heap; set only by `DueQueue`. */
  heapIndex: number;
}

const SOONEST_FIRST: HeapOptions<DueItem> = {
  isBefore: (a, b) => a.dueAt < b.dueAt,
  onMove: (item, index) => {
    item.heapIndex = index;
  },
};

export class DueQueue<T extends DueItem> {
  readonly #heap = new BinaryHeap<T>(SOONEST_FIRST);

  /** The soonest due time; `NEVER` when there is none. */
  get next(): Instant {
    return this.#heap.first?.dueAt ?? NEVER;
  }

  get count(): number {
    return this.#heap.count;
  }

  /** All items, in arbitrary order. */
  items(): Iterable<T> {
    return this.#heap.items();
  }

  add(item: T): void {
    this.#heap.add(item);
  }

  remove(item: T): void {
    this.#heap.removeAt(item.heapIndex);
  }

  /** Sets when an item is due: one that was due at `NEVER` is added, and one that is due at `NEVER` from now on is removed. */
  setDue(item: T, dueAt: Instant): void {
    if (dueAt === item.dueAt) return;
    if (dueAt === NEVER) this.remove(item);
    const isNew = item.dueAt === NEVER;
    item.dueAt = dueAt;
    if (isNew) this.add(item);
    else if (dueAt !== NEVER) this.#heap.reorderAt(item.heapIndex);
  }

  reschedule(item: T, dueAt: Instant): void {
    item.dueAt = dueAt;
    this.#heap.reorderAt(item.heapIndex);
  }

  /** The soonest item if it is due at `now`. It is not removed. */
  due(now: Instant): T | undefined {
    const first = this.#heap.first;
    return first !== undefined && first.dueAt <= now ? first : undefined;
  }
}
