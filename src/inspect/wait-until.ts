// Waits for a look to find something: it looks at once, again after each change, and gives up after a time.

import { MAX_DELAY_MS, type StartTimer } from '../engine/timer.js';
import { seenValue } from './given-options.js';

/** The waits under way, all of which end when the emulator does. */
export class OpenWaits {
  readonly #ends = new Set<(error: Error) => void>();
  #ended: Error | undefined;

  /** Calls `end` with the error of `endAll`. Returns a function that takes it back. Throws that error if it has come already. */
  add(end: (error: Error) => void): () => void {
    this.check();
    this.#ends.add(end);
    return () => this.#ends.delete(end);
  }

  /** Throws the error of `endAll` if it has come. */
  check(): void {
    if (this.#ended !== undefined) throw this.#ended;
  }

  endAll(error: Error): void {
    this.#ended ??= error;
    for (const end of this.#ends) end(error);
  }
}

export type Wait<T> = {
  /** Undefined: not yet. `again` asks for another look, later. */
  readonly look: (again: () => void) => Promise<T | undefined>;
  /** Calls `again` after each change. Returns a function that ends it. */
  readonly observe: (again: () => void) => () => void;
  /** Returns the error of a wait without success. */
  readonly expired: () => Promise<Error> | Error;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly waits: OpenWaits;
  readonly startTimer: StartTimer;
};

/** Rejects with the error of `look` or `expired`, with the reason of the signal, or with a RangeError for a wrong timeout. */
export async function waitUntil<T>(wait: Wait<T>): Promise<T> {
  const { look, observe, expired, timeoutMs, signal, waits, startTimer } = wait;
  if (typeof timeoutMs !== 'number' || !(timeoutMs >= 0)) {
    throw new RangeError(
      `timeoutMs is ${seenValue(timeoutMs)}; give a number of milliseconds to wait, 0 or more.`,
    );
  }
  signal?.throwIfAborted();
  const cleanUps: (() => void)[] = [];
  try {
    return await new Promise<T>((resolve, reject) => {
      const looks = new Looks(look, resolve, reject);
      const abort = () => reject(signal?.reason);
      const giveUp = () => {
        looks.end();
        Promise.resolve(expired()).then(reject, reject);
      };
      cleanUps.push(() => looks.end());
      cleanUps.push(waits.add(reject));
      cleanUps.push(() => signal?.removeEventListener('abort', abort));
      signal?.addEventListener('abort', abort);
      cleanUps.push(observe(() => void looks.again()));
      // The time starts after the first look, so that even a wait of 0 ms finds what is there.
      void looks.again().then(() => {
        if (!looks.isEnded) cleanUps.push(startTimer(Math.min(timeoutMs, MAX_DELAY_MS), giveUp));
      });
    });
  } finally {
    for (const cleanUp of cleanUps) cleanUp();
  }
}

/** One look at a time; changes during a look lead to one more. */
class Looks<T> {
  readonly #look: Wait<T>['look'];
  readonly #found: (found: T) => void;
  readonly #failed: (error: unknown) => void;
  #isLooking = false;
  #isStale = false;
  #isEnded = false;

  constructor(look: Wait<T>['look'], found: (found: T) => void, failed: (error: unknown) => void) {
    this.#look = look;
    this.#found = found;
    this.#failed = failed;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  async again(): Promise<void> {
    this.#isStale = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      while (this.#isStale && !this.#isEnded) {
        this.#isStale = false;
        const found = await this.#look(() => void this.again());
        if (found === undefined || this.#isEnded) continue;
        this.end();
        this.#found(found);
      }
    } catch (error) {
      this.end();
      this.#failed(error);
    } finally {
      this.#isLooking = false;
    }
  }

  end(): void {
    this.#isEnded = true;
  }
}
