// The operations that are held back on one link. They keep their order.

import type { StartTimer } from '../../engine/timer.js';

type Delayed = { readonly dueAt: number; readonly run: () => void; readonly drop: () => void };

export class DelayLine {
  readonly #startTimer: StartTimer;
  readonly #now: () => number;
  readonly #waiting: Delayed[] = [];
  /** Undefined while nothing waits. */
  #stopTimer: (() => void) | undefined;

  /** `now`: milliseconds of the clock that the timer runs on. */
  constructor(startTimer: StartTimer, now: () => number) {
    this.#startTimer = startTimer;
    this.#now = now;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Calls `run` after the delay and after everything that waits already; or `drop`, if the line is cleared first. */
  add(delayMs: number, run: () => void, drop: () => void = () => {}): void {
    const last = this.#waiting.at(-1)?.dueAt ?? Number.NEGATIVE_INFINITY;
    this.#waiting.push({ dueAt: Math.max(last, this.#now() + delayMs), run, drop });
    if (this.#stopTimer === undefined) this.#wait();
  }

  clear(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    for (const { drop } of this.#waiting.splice(0)) drop();
  }

  #wait(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#stopTimer = this.#startTimer(Math.max(0, next.dueAt - this.#now()), () => {
      // Taken off the line first, because `run` may clear the line or add to it.
      this.#waiting.shift();
      this.#stopTimer = undefined;
      next.run();
      if (this.#stopTimer === undefined) this.#wait();
    });
  }
}
