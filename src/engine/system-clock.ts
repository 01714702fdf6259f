// The broker clock of a running emulator: the machine's time, and one timer for the alarm.

import { type Instant, NEVER } from '../broker/instant.js';
import type { Clock } from './ports.js';

/**
 * A timer misses the hours a laptop sleeps and a clock that is put forward, so the time is read this often.
 * It also keeps far alarms below the 2^31 ms at which `setTimeout` fires at once.
 */
const LONGEST_WAIT_MS = 60_000;
/** Timers sometimes fire a few milliseconds early. If it is more, the clock was put back meanwhile. */
const MOST_EARLY_MS = 1000;

/** The machine's time and timers; tests have their own. */
export type Timers<Timer> = {
  now(): Instant;
  set(callback: () => void, delayMs: number): Timer;
  clear(timer: Timer): void;
};

const MACHINE: Timers<unknown> = {
  now: () => Date.now(),
  // A deadline alone does not keep the process alive.
  set: (callback, delayMs) => setTimeout(callback, delayMs).unref(),
  clear: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

export class SystemClock implements Clock {
  readonly #timers: Timers<unknown>;
  #timer: unknown;
  #wakesAt: Instant = NEVER;
  #alarmAt: Instant = NEVER;
  #ring: (() => void) | undefined;

  constructor(timers: Timers<unknown> = MACHINE) {
    this.#timers = timers;
  }

  now(): Instant {
    return this.#timers.now();
  }

  /** Called after most turns, so it keeps a timer that fires too early; that one then sets the next. */
  setAlarm(at: Instant, ring: () => void): void {
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
    const now = this.now();
    const delayMs = Math.min(Math.max(this.#alarmAt - now, 1), LONGEST_WAIT_MS);
    this.#wakesAt = now + delayMs;
    this.#timer = this.#timers.set(this.#wake, delayMs);
  }

  #stopTimer(): void {
    if (this.#wakesAt === NEVER) return;
    this.#timers.clear(this.#timer);
    this.#wakesAt = NEVER;
  }

  readonly #wake = (): void => {
    const earlyMs = this.#wakesAt - this.now();
    this.#wakesAt = NEVER;
    // After a clock was put back the alarm rings early, so that its owner sees the new time and sets the alarm again.
    if (earlyMs <= MOST_EARLY_MS && this.now() < this.#alarmAt) {
      this.#wait();
      return;
    }
    const ring = this.#ring;
    this.#alarmAt = NEVER;
    this.#ring = undefined;
    ring?.();
  };
}
