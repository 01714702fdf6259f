// A list of what waits for time, soonest first.

import { BinaryHeap } from './binary-heap.js';
import { type Instant, NEVER } from './instant.js';

export interface Deadline {
  dueAt: Instant;
  /** Where it stands in the list; kept by the list alone. */
  place: number;
}

export class Deadlines<T extends Deadline> {
  readonly #heap = new BinaryHeap<T>({
    isBefore: (a, b) => a.dueAt < b.dueAt,
    placed: (deadline, index) => {
      deadline.place = index;
    },
  });

  /** When the soonest is due; `NEVER` when there is none. */
  get next(): Instant {
    return this.#heap.first?.dueAt ?? NEVER;
  }

  add(deadline: T): void {
    this.#heap.add(deadline);
  }

  remove(deadline: T): void {
    this.#heap.removeAt(deadline.place);
  }

  postpone(deadline: T, dueAt: Instant): void {
    deadline.dueAt = dueAt;
    this.#heap.reorderAt(deadline.place);
  }

  /** The soonest if it is due at `now`; it stays in the list. */
  due(now: Instant): T | undefined {
    const first = this.#heap.first;
    return first !== undefined && first.dueAt <= now ? first : undefined;
  }
}
