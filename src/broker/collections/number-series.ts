// A series of unique ascending numbers from 1, for content ids and store ids.

import { assert } from '../contract/assert.js';

export class NumberSeries {
  #next = 1;

  /** The number that `take` returns next. */
  get upcoming(): number {
    return this.#next;
  }

  take(): number {
    assert(this.#next < Number.MAX_SAFE_INTEGER, 'a number series is exhausted');
    const taken = this.#next;
    this.#next += 1;
    return taken;
  }

  /** Continues from `upcoming` or later, after a restart. */
  continueFrom(upcoming: number): void {
    this.#next = Math.max(this.#next, upcoming);
  }
}
