// The searches that run at the same time: at most four, which together use a fifth of the main thread.

import { type StartTimer, startRealTimer } from '../engine/timer.js';

export const MOST_SEARCHES = 4;
/** A slice of work ends after this time, and the pause behind it is so many times as long. */
const SLICE_MS = 5;
const PAUSE_FACTOR = 4;

type Timing = {
  readonly startTimer?: StartTimer | undefined;
  /** Milliseconds at a steady pace. */
  readonly elapsed?: () => number;
};

export class Searches {
  /** Also for the timers of those who read the results. */
  readonly startTimer: StartTimer;
  readonly #elapsed: () => number;
  #count = 0;
  /** Resolves when the pause behind the last slice is over, whichever search has had it. */
  #rested: Promise<void> = Promise.resolve();

  constructor({ startTimer = startRealTimer, elapsed = () => performance.now() }: Timing = {}) {
    this.startTimer = startTimer;
    this.#elapsed = elapsed;
  }

  /** Begins a search, and returns the function that ends it. Undefined if as many run as may. */
  begin(): (() => void) | undefined {
    if (this.#count >= MOST_SEARCHES) return undefined;
    this.#count += 1;
    let isEnded = false;
    return () => {
      if (!isEnded) this.#count -= 1;
      isEnded = true;
    };
  }

  /** Runs a slice of work when it is its turn. The work goes on while `hasTime` says so. */
  async slice<T>(work: (hasTime: () => boolean) => Promise<T>): Promise<T> {
    const rested = this.#rested;
    let rest = () => {};
    this.#rested = new Promise((resolve) => {
      rest = resolve;
    });
    await rested;
    const startedAt = this.#elapsed();
    try {
      return await work(() => this.#elapsed() - startedAt < SLICE_MS);
    } finally {
      this.startTimer(Math.ceil((this.#elapsed() - startedAt) * PAUSE_FACTOR), rest);
    }
  }

  get now(): number {
    return this.#elapsed();
  }
}
