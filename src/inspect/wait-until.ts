// Waits until a look finds something. It looks at once and after each change, and gives up after a timeout.

import { MAX_DELAY_MS, type StartTimer } from '../engine/timer.js';
import { seenValue } from './given-options.js';

/** The open waits, which all end when the emulator ends. */
export class OpenWaits {
  readonly #ends = new Set<(error: Error) => void>();
  #ended: Error | undefined;

  /** Registers a wait, whose `end` is called with the error of `endAll`. Returns a function that removes it. Throws the error if `endAll` was already called. */
  add(end: (error: Error) => void): () => void {
    this.check();
    this.#ends.add(end);
    return () => this.#ends.delete(end);
  }

  /** Throws the error of `endAll` if that was called. */
  check(): void {
    if (this.#ended !== undefined) throw this.#ended;
  }

  endAll(error: Error): void {
    this.#ended ??= error;
    for (const end of this.#ends) end(error);
  }
}

export type Wait<T> = {
  /** Resolves with undefined if there is nothing yet. `again` asks for another look later. */
  readonly look: (again: () => void) => Promise<T | undefined>;
  /** Calls `again` after each change. Returns a function that ends this. */
  readonly observe: (again: () => void) => () => void;
  /** Returns the error of a wait without success. */
  readonly expired: () => Promise<Error> | Error;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly waits: Pick<OpenWaits, 'add'>;
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
      // The time starts after the first look, so that even a wait of 0 ms finds messages that are there.
      void looks.again().then(() => {
        if (!looks.isEnded) cleanUps.push(startTimer(Math.min(timeoutMs, MAX_DELAY_MS), giveUp));
      });
    });
  } finally {
    for (const cleanUp of cleanUps) cleanUp();
  }
}

/** Runs one look at a time. Changes during a look lead to one more look. */
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
