// Asks for something again and again: one request at a time, a pause after each, and the last value is kept when one fails.

import { signal } from '@preact/signals';
import { REAL_TIMING, type Timing } from './timing.js';

export type Polled<Value> = {
  /** Undefined while nothing was answered. */
  readonly value: Value | undefined;
  /** The error of the last request; undefined after an answer. */
  readonly error: unknown;
  /** The value is of the past, because a later request has failed. */
  readonly isStale: boolean;
};

type Pace = {
  /** The milliseconds from an answer to the next request; undefined: it is asked only when told to. */
  readonly every: () => number | undefined;
  /** While this is false nothing is asked, and the pause begins anew. */
  readonly isOn: () => boolean;
};

export class Polling<Value> {
  readonly state = signal<Polled<Value>>({ value: undefined, error: undefined, isStale: false });
  readonly #ask: (signal: AbortSignal) => Promise<Value>;
  readonly #pace: Pace;
  readonly #timing: Timing;
  readonly #ending = new AbortController();
  #stopTimer = () => {};
  #underWay: Promise<void> | undefined;
  /** The request that begins when the one under way has ended. */
  #following: Promise<void> | undefined;

  constructor(ask: (signal: AbortSignal) => Promise<Value>, pace: Pace, timing = REAL_TIMING) {
    this.#ask = ask;
    this.#pace = pace;
    this.#timing = timing;
  }

  /** Asks as soon as no other request is under way. Resolves when a value is there that is no older than this call, or could not be read. */
  refresh(): Promise<void> {
    if (this.#underWay === undefined) return this.#begin();
    this.#following ??= this.#underWay.then(() => this.#begin());
    return this.#following;
  }

  /** Aborts the request that is under way; nothing is asked or changed afterwards. */
  end(): void {
    this.#ending.abort();
    this.#stopTimer();
  }

  #begin(): Promise<void> {
    this.#stopTimer();
    this.#following = undefined;
    this.#underWay = this.#run();
    return this.#underWay;
  }

  async #run(): Promise<void> {
    const { signal: ending } = this.#ending;
    if (ending.aborted) return;
    try {
      const value = await this.#ask(ending);
      if (!ending.aborted) this.state.value = { value, error: undefined, isStale: false };
    } catch (error) {
      const { value } = this.state.peek();
      if (!ending.aborted) this.state.value = { value, error, isStale: value !== undefined };
    }
    this.#underWay = undefined;
    if (this.#following === undefined && !ending.aborted) this.#wait();
  }

  #wait(): void {
    const every = this.#pace.every();
    if (every === undefined) return;
    this.#stopTimer = this.#timing.startTimer(every, () => {
      if (this.#pace.isOn()) this.#begin();
      else this.#wait();
    });
  }
}
