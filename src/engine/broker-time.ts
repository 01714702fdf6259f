// The broker's time: the clock's, moved so that it never falls and does not stand still when the clock is put back.

import { type Instant, NEVER } from '../broker/instant.js';
import type { Clock } from './ports.js';

export class BrokerTime {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #last: Instant = 0;
  /** What the clock has been put back by, in all. */
  #aheadMs = 0;
  #alarmAt: Instant = NEVER;

  /** `ring` is called at or after the instant of the alarm. */
  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** The latest time anybody was given. */
  get last(): Instant {
    return this.#last;
  }

  /** Time was at `instant` when the last run ended. */
  goOnFrom(instant: Instant): void {
    this.#last = instant;
    this.now();
  }

  /** Never less than before. Where the clock has been put back, time goes on from there at the clock's pace. */
  now(): Instant {
    const now = this.#clock.now() + this.#aheadMs;
    if (now < this.#last) {
      this.#aheadMs += this.#last - now;
      // The alarm is due at another time of the clock now.
      if (this.#alarmAt !== NEVER) this.#wind();
    } else {
      this.#last = now;
    }
    return this.#last;
  }

  /** Replaces an alarm set before; `NEVER` clears it. */
  setAlarm(at: Instant): void {
    if (at === this.#alarmAt) return;
    this.#alarmAt = at;
    if (at === NEVER) this.#clock.clearAlarm();
    else this.#wind();
  }

  #wind(): void {
    this.#clock.setAlarm(this.#alarmAt - this.#aheadMs, this.#rung);
  }

  readonly #rung = (): void => {
    this.#alarmAt = NEVER;
    this.#ring();
  };
}
