// How fast time goes by in a seed, and how long things last in it: locks and lives end within the run, seldom or never.

import { NEVER } from '../../src/broker/instant.js';
import type { Random } from './random.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

export class Pace {
  readonly #random: Random;
  /** What a lock usually lasts. */
  readonly #usualMs: number;
  readonly #steps: readonly number[];
  readonly #leapChance: number;

  constructor(random: Random) {
    this.#random = random;
    const usualMs = random.pick([2, 20, SECOND, MINUTE]);
    this.#usualMs = usualMs;
    const rareJump = [...Array<number>(30).fill(0), 2 * usualMs];
    this.#steps = random.pick([[0], [0, 0, 0, usualMs / 10], rareJump, [usualMs / 2]]).map(Math.ceil);
    this.#leapChance = random.pick([0, 0, 0.005, 0.03]);
  }

  /** The time of the next command. It may jump to the next deadline, or stop just before it. */
  nextTime(now: number, nextDeadline: number): number {
    if (this.#random.chance(this.#leapChance)) {
      return now + this.#random.pick([5 * SECOND, MINUTE, 5 * MINUTE]);
    }
    const canJump = Number.isFinite(nextDeadline) && this.#random.chance(0.03);
    if (!canJump) return now + this.#random.pick(this.#steps);
    return Math.max(now, nextDeadline - this.#random.integer(2));
  }

  lockDurationMs(): number {
    return this.#random.pick([1, 1, 3, 10].map((factor) => Math.min(factor * this.#usualMs, 5 * MINUTE)));
  }

  timeToLiveMs(): number {
    return this.#random.pick([0, 1, ...this.#spans(), 10_000 * MINUTE, NEVER]);
  }

  /** Around now: the same instants come again and again. */
  scheduledTime(now: number): number {
    const nextRound = (Math.floor(now / this.#usualMs) + 2) * this.#usualMs;
    const spans = this.#spans().map((span) => now + span);
    return this.#random.pick([now - this.#usualMs, now, now + 1, nextRound, nextRound, nextRound, ...spans]);
  }

  duplicateWindowMs(): number {
    return this.#random.pick([5 * SECOND, 5 * SECOND, MINUTE, Math.max(5 * SECOND, 5 * this.#usualMs)]);
  }

  autoDeleteOnIdleMs(): number {
    return this.#random.pick([NEVER, NEVER, NEVER, 5 * MINUTE, 5 * MINUTE + 7]);
  }

  /** Up to which time messages are to be deleted. */
  cutoff(now: number): number {
    return this.#random.pick([now - this.#usualMs, now, now + 1, now + 1]);
  }

  #spans(): readonly number[] {
    return [0.5, 1, 3, 20].map((factor) => Math.ceil(factor * this.#usualMs));
  }
}
