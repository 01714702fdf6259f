// A broker clock that moves only by calls, so that tests skip an hour at no cost and run the same each time.

import assert from 'node:assert';
import { type Instant, NEVER } from '../../src/broker/contract/instant.js';
import type { Clock } from '../../src/engine/ports.js';

export class VirtualClock implements Clock {
  #now: Instant;
  #alarmAt: Instant = NEVER;
  #ring: (() => void) | undefined;

  constructor(start: Instant = 0) {
    this.#now = start;
  }

  now(): Instant {
    return this.#now;
  }

  /** The same number as the time, which nothing sets. */
  elapsed(): number {
    return this.#now;
  }

  /** The time at which the alarm rings; `NEVER` when none is set. */
  get alarmAt(): Instant {
    return this.#alarmAt;
  }

  setAlarm(at: Instant, ring: () => void): void {
    this.#alarmAt = at;
    this.#ring = ring;
  }

  clearAlarm(): void {
    this.#alarmAt = NEVER;
    this.#ring = undefined;
  }

  advance(durationMs: number): void {
    this.advanceTo(this.#now + durationMs);
  }

  /** Rings every alarm on the way at its own instant, including those set on the way. */
  advanceTo(instant: Instant): void {
    assert(Number.isFinite(instant) && instant >= this.#now, 'a clock goes forward');
    while (this.#ring !== undefined && this.#alarmAt <= instant) {
      const ring = this.#ring;
      this.#now = Math.max(this.#now, this.#alarmAt);
      this.clearAlarm();
      ring();
    }
    this.#now = instant;
  }
}

/** A machine whose time of day is put forward and back. */
export class MovedClock extends VirtualClock {
  #movedMs = 0;

  override now(): Instant {
    return super.now() + this.#movedMs;
  }

  move(durationMs: number): void {
    this.#movedMs += durationMs;
  }
}
