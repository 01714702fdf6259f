// A look at something that changes often: one at a time, with a pause between two, and the last one begins after the last change.

import { REAL_TIMING, type Timing } from './timing.js';

export class PacedLook {
  readonly #look: () => Promise<void>;
  readonly #pauseMs: () => number;
  readonly #timing: Timing;
  #endedAt = Number.NEGATIVE_INFINITY;
  #stopTimer: (() => void) | undefined;
  /** The look whose answer is awaited. */
  #underWay: Promise<void> | undefined;
  /** The one that begins when that has ended. */
  #following: Promise<void> | undefined;
  #isWantedAgain = false;

  /** `look` handles its errors. */
  constructor(look: () => Promise<void>, pauseMs: () => number, timing = REAL_TIMING) {
    this.#look = look;
    this.#pauseMs = pauseMs;
    this.#timing = timing;
  }

  /** Looks after the pause. The answer to a look that is under way may be older than what has just changed. */
  soon(): void {
    if (this.#underWay !== undefined) this.#isWantedAgain = true;
    else if (this.#following === undefined && this.#stopTimer === undefined) this.#startTimer();
  }

  /** Looks as soon as no other look is under way. Resolves with its end. */
  atOnce(): Promise<void> {
    if (this.#following !== undefined) return this.#following;
    if (this.#underWay === undefined) return this.#begin();
    this.#following = this.#underWay.then(() => this.#begin());
    return this.#following;
  }

  /** Forgets a look that waits. */
  end(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#isWantedAgain = false;
  }

  #startTimer(): void {
    const restMs = Math.max(0, this.#endedAt + this.#pauseMs() - this.#timing.now());
    this.#stopTimer = this.#timing.startTimer(restMs, () => this.#begin());
  }

  #begin(): Promise<void> {
    this.end();
    this.#following = undefined;
    this.#underWay = this.#run();
    return this.#underWay;
  }

  async #run(): Promise<void> {
    await this.#look();
    this.#underWay = undefined;
    this.#endedAt = this.#timing.now();
    if (this.#isWantedAgain && this.#following === undefined) this.#startTimer();
  }
}
