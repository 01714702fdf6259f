// The broker's time: it never falls, and does not follow a clock that is put forward for a moment.
//
// It follows the machine's clock. When the clock jumps, the broker's time goes on at a steady pace instead, and what clients read and
// write is converted by the difference (`client-times.ts`), so that their times fit the clock that they look at. A jump back stays
// converted. A jump forward that lasts becomes the broker's time: the clock had been behind, or the machine was asleep.

import { type Instant, NEVER } from '../broker/contract/instant.js';
import type { Clock } from './ports.js';

/** A smaller difference is no jump: time follows the clock forward, and waits until a clock put back has caught up. */
const LEAST_JUMP_MS = 5000;
/** A clock that is wrong for a moment is put right within this time. */
const JUMP_LASTS_AFTER_MS = 120_000;

export class BrokerTime {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #last: Instant = 0;
  /** The time that would have come without a jump, less the clock's elapsed milliseconds. */
  #steadyBase = 0;
  /** The same of the time that is followed: the clock's, or the steady one. */
  #paceBase = 0;
  #clockLeadMs = 0;
  /** When a jump forward becomes the broker's time, in elapsed milliseconds. */
  #followsAgainAt = NEVER;
  #alarmAt: Instant = NEVER;

  /** `ring` is called at the instant of the alarm, or earlier when it is time to look at the clock. */
  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** The latest time that was handed out. */
  get last(): Instant {
    return this.#last;
  }

  /** How far the machine's clock is ahead of the last time because it jumped; negative when it was put back. */
  get clockLeadMs(): number {
    return this.#clockLeadMs;
  }

  /** Continues from the time at which the last run ended. */
  continueFrom(instant: Instant): void {
    this.#last = Math.max(instant, this.#clock.now());
    this.#steadyBase = this.#last - this.#clock.elapsed();
    this.now();
  }

  now(): Instant {
    const clockTime = this.#clock.now();
    const elapsed = this.#clock.elapsed();
    const steady = this.#steadyBase + elapsed;
    const leadMs = clockTime - steady;
    if (Math.abs(leadMs) <= LEAST_JUMP_MS || elapsed >= this.#followsAgainAt)
      this.#follow(clockTime, elapsed);
    else this.#goOn(steady, leadMs, elapsed);
    return this.#last;
  }

  /** Replaces an alarm set before; `NEVER` clears it. */
  setAlarm(at: Instant): void {
    if (at === this.#alarmAt) return;
    this.#alarmAt = at;
    if (at === NEVER) this.#clock.clearAlarm();
    else this.#wind();
  }

  #follow(clockTime: Instant, elapsed: number): void {
    const hasJumped = this.#clockLeadMs !== 0;
    this.#last = Math.max(this.#last, clockTime);
    this.#steadyBase = this.#last - elapsed;
    this.#paceBase = clockTime - elapsed;
    this.#clockLeadMs = 0;
    this.#followsAgainAt = NEVER;
    if (hasJumped) this.#wind();
  }

  #goOn(steady: Instant, leadMs: number, elapsed: number): void {
    this.#last = Math.max(this.#last, steady);
    this.#paceBase = this.#steadyBase;
    this.#clockLeadMs = leadMs;
    if (leadMs < 0) {
      this.#followsAgainAt = NEVER;
    } else if (this.#followsAgainAt === NEVER) {
      this.#followsAgainAt = elapsed + JUMP_LASTS_AFTER_MS;
      this.#wind();
    }
  }

  #wind(): void {
    if (this.#alarmAt === NEVER) return;
    this.#clock.setAlarm(Math.min(this.#alarmAt - this.#paceBase, this.#followsAgainAt), this.#rung);
  }

  readonly #rung = (): void => {
    this.#alarmAt = NEVER;
    this.#ring();
  };
}
