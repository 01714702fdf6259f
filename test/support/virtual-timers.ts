// The transport clock's timers in the hands of a test: they ring when the test says that time has passed.

import type { StartTimer } from '../../src/engine/timer.js';

type Timer = { readonly atMs: number; readonly ring: () => void };

export class VirtualTimers {
  readonly #timers = new Set<Timer>();
  #nowMs = 0;

  readonly startTimer: StartTimer = (delayMs, ring) => {
    const timer = { atMs: this.#nowMs + delayMs, ring };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  get nowMs(): number {
    return this.#nowMs;
  }

  /** How far away each timer is that has neither rung nor been cancelled. */
  get delays(): readonly number[] {
    return [...this.#timers].map(({ atMs }) => atMs - this.#nowMs);
  }

  advance(durationMs: number): void {
    this.#nowMs += durationMs;
    for (const timer of [...this.#timers].sort((a, b) => a.atMs - b.atMs)) {
      if (timer.atMs > this.#nowMs || !this.#timers.delete(timer)) continue;
      timer.ring();
    }
  }
}
