// Numbers handed out one after another, from 1, and never twice: content ids and store ids.

import { assert } from './assert.js';

export class NumberSeries {
  #next = 1;

  /** The number that will be handed out next. */
  get upcoming(): number {
    return this.#next;
  }

  take(): number {
    assert(this.#next < Number.MAX_SAFE_INTEGER, 'a number series has come to its end');
    const taken = this.#next;
    this.#next += 1;
    return taken;
  }

  /** After a restart: goes on from `upcoming` at the earliest. */
  continueFrom(upcoming: number): void {
    this.#next = Math.max(this.#next, upcoming);
  }
}
