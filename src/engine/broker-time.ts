// The broker's time: the clock's, shifted so that it never falls when the clock is set back.

import { type Instant, NEVER } from '../broker/instant.js';
import type { Clock } from './ports.js';

export class BrokerTime {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #last: Instant = 0;
  /** How far the clock has been put back, in total. */
  #aheadMs = 0;
  #alarmAt: Instant = NEVER;

  /** `ring` is called at or after the instant of the alarm. */
  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** The latest time that was handed out. */
  get last(): Instant {
    return this.#last;
  }

  /** Continues from the time at which the last run ended. */
  continueFrom(instant: Instant): void {
    this.#last = instant;
    this.now();
  }

  /** The time, which never falls. After the clock was put back, time goes on at the clock's pace. */
  now(): Instant {
    const now = this.#clock.now() + this.#aheadMs;
    if (now < this.#last) {
      this.#aheadMs += this.#last - now;
      // The alarm is now due at another time of the clock.
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
