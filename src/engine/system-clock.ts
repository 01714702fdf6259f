// The machine's clock of a running emulator: its time of day, its steady time, and one timer for the alarm.

import { type Instant, NEVER } from '../broker/contract/instant.js';
import type { Clock } from './ports.js';

/**
 * A timer misses the hours a laptop sleeps and a clock that is set, so the time is read this often.
 * It also keeps far alarms below the 2^31 ms at which `setTimeout` fires at once.
 */
const LONGEST_WAIT_MS = 60_000;
/** The time of day also differs from the steady time while it is adjusted slowly. If it is more, it was set. */
const MOST_DRIFT_MS = 1000;

/** The machine's time and timers; tests have their own. */
export type Timers<Timer> = {
  now(): Instant;
  elapsed(): number;
  set(callback: () => void, delayMs: number): Timer;
  clear(timer: Timer): void;
};

const MACHINE: Timers<unknown> = {
  now: () => Date.now(),
  elapsed: () => Math.floor(performance.now()),
  // A deadline alone does not keep the process alive.
  set: (callback, delayMs) => setTimeout(callback, delayMs).unref(),
  clear: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

export class SystemClock implements Clock {
  readonly #timers: Timers<unknown>;
  #timer: unknown;
  #wakesAt = NEVER;
  #alarmAt = NEVER;
  /** The time of day less the steady time, when the timer was set. */
  #difference = 0;
  #ring: (() => void) | undefined;

  constructor(timers: Timers<unknown> = MACHINE) {
    this.#timers = timers;
  }

  now(): Instant {
    return this.#timers.now();
  }

  elapsed(): number {
    return this.#timers.elapsed();
  }

  /** Called after most turns, so it keeps a timer that fires too early; that one then sets the next. */
  setAlarm(at: number, ring: () => void): void {
    this.#alarmAt = at;
    this.#ring = ring;
    if (at < this.#wakesAt) this.#wait();
  }

  clearAlarm(): void {
    this.#alarmAt = NEVER;
    this.#ring = undefined;
    this.#stopTimer();
  }

  #wait(): void {
    this.#stopTimer();
    const elapsed = this.elapsed();
    const delayMs = Math.min(Math.max(this.#alarmAt - elapsed, 1), LONGEST_WAIT_MS);
    this.#wakesAt = elapsed + delayMs;
    this.#difference = this.now() - elapsed;
    this.#timer = this.#timers.set(this.#wake, delayMs);
  }

  #stopTimer(): void {
    if (this.#wakesAt === NEVER) return;
    this.#timers.clear(this.#timer);
    this.#wakesAt = NEVER;
  }

  readonly #wake = (): void => {
    this.#wakesAt = NEVER;
    const elapsed = this.elapsed();
    // After the time of day was set the alarm rings early, so that its owner sees it and sets the alarm again.
    const isSet = Math.abs(this.now() - elapsed - this.#difference) > MOST_DRIFT_MS;
    if (elapsed < this.#alarmAt && !isSet) {
      this.#wait();
      return;
    }
    const ring = this.#ring;
    this.#alarmAt = NEVER;
    this.#ring = undefined;
    ring?.();
  };
}
