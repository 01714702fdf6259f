// A broker clock that moves only when told to, so that an hour costs nothing and nothing is left to chance.

import assert from 'node:assert';
import { type Instant, NEVER } from '../broker/instant.js';
import type { Clock } from './ports.js';

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

  /** When the alarm will ring; `NEVER` when none is set. */
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

  /** Rings every alarm on the way, each at its own instant, those included that are set on the way. */
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
