// The locks of each store by their ends. Many locks that end at once do so in pieces, between which other commands have their turn:
// a store whose locks have not all ended delivers nothing meanwhile, so that a lower number is not overtaken.

import { type DueItem, DueQueue } from '../collections/due-queue.js';
import { type Instant, NEVER } from '../contract/instant.js';

/** The locks of one store. */
export class StoreLocks implements DueItem {
  /** The first end, or while the locks are paused, the time of the next piece. Set only by `LockEnds`. */
  dueAt: Instant = NEVER;
  heapIndex = -1;
  /** Whether a turn has left some that are due. Set only by `LockEnds`. */
  isPaused = false;
  readonly queue = new DueQueue<DueItem>();

  /** Whether a lock has ended that is still to be processed. */
  hasDue(now: Instant): boolean {
    return this.queue.next <= now;
  }
}

export class LockEnds {
  readonly #stores = new DueQueue<StoreLocks>();

  /** The next end, or the time of the next piece. */
  get next(): Instant {
    return this.#stores.next;
  }

  add(lock: DueItem, locks: StoreLocks): void {
    locks.queue.add(lock);
    this.#refresh(locks);
  }

  remove(lock: DueItem, locks: StoreLocks): void {
    locks.queue.remove(lock);
    this.#refresh(locks);
  }

  reschedule(lock: DueItem, locks: StoreLocks, dueAt: Instant): void {
    locks.queue.reschedule(lock, dueAt);
    this.#refresh(locks);
  }

  /** Forgets the locks of a store that is about to be emptied. */
  forget(locks: StoreLocks): void {
    this.#stores.setDue(locks, NEVER);
  }

  /** The store whose locks have waited longest for their end; undefined when no end is due. */
  due(now: Instant): StoreLocks | undefined {
    return this.#stores.due(now);
  }

  /** Puts a store behind all others whose ends are due. */
  later(locks: StoreLocks, now: Instant): void {
    locks.isPaused = locks.hasDue(now);
    this.#stores.setDue(locks, locks.isPaused ? now + 1 : locks.queue.next);
  }

  #refresh(locks: StoreLocks): void {
    if (!locks.isPaused || locks.queue.next === NEVER) this.#stores.setDue(locks, locks.queue.next);
  }
}
