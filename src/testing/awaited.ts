// Finds the matchers that a test has not awaited: their failure would be nobody's, and the test would pass.

import { withStackOf } from './stack-of-test.js';

type Ended = (value: unknown) => unknown;

/** The result of a matcher: a promise that knows whether anybody waits for it. */
export type Tracked = PromiseLike<void> & {
  catch(failed?: Ended | null): Promise<unknown>;
  finally(ended?: (() => void) | null): Promise<void>;
};

/** Until the framework has handed the promise to the test, calls are the framework's, such as those of `then` and `catch` by jest. */
type Open = { readonly title: string; readonly at: At; isHandedOver: boolean; isAwaited: boolean };

/** The line of the test, written by `Error.captureStackTrace`. */
type At = { readonly stack?: string };

export class AwaitedMatchers {
  readonly #expect: string;
  /** The matchers of each test, in an order; one key for all tests where a framework does not say which one runs. */
  readonly #open = new Map<unknown, Open[]>();

  /** `expectName`: the function that has the matchers. */
  constructor(expectName = 'expect') {
    this.#expect = expectName;
  }

  /** `title` names the matcher. The test waits for what this returns, or for what its `then` and `catch` return to the framework at once. */
  track(test: unknown, title: string, promise: Promise<unknown>, at: At): Tracked {
    const open: Open = { title, at, isHandedOver: false, isAwaited: false };
    this.#open.set(test, [...(this.#open.get(test) ?? []), open]);
    queueMicrotask(() => {
      open.isHandedOver = true;
    });
    return trackedPromise(promise, open);
  }

  /** Throws an Error that names the matchers of the test for which nobody has waited, and points to the first. */
  check(test: unknown): void {
    const forgotten = (this.#open.get(test) ?? []).filter(({ isAwaited }) => !isAwaited);
    this.#open.delete(test);
    const [first] = forgotten;
    if (first === undefined) return;
    const names = forgotten.map(({ title }) => title).join(', ');
    const text = `Not awaited: ${names}. Write \`await ${this.#expect}(…)\`, or the test ends before it is decided.`;
    throw withStackOf(new Error(text), first.at);
  }

  /** Whether any matcher of the test is known, so that one check at its end is enough. */
  has(test: unknown): boolean {
    return this.#open.has(test);
  }
}

function trackedPromise(promise: Promise<unknown>, open: Open): Tracked {
  // Nobody may ever wait for it, and an unhandled rejection would end the process.
  promise.catch(() => {});
  const handOn = (next: Promise<unknown>) => {
    if (!open.isHandedOver) return trackedPromise(next, open);
    open.isAwaited = true;
    return next;
  };
  const tracked = {
    // biome-ignore lint/suspicious/noThenProperty: a promise is known by it.
    then: (fulfilled?: Ended | null, failed?: Ended | null) => handOn(promise.then(fulfilled, failed)),
    catch: (failed?: Ended | null) => handOn(promise.catch(failed)),
    finally: (ended?: (() => void) | null) => handOn(promise.finally(ended)),
    [Symbol.toStringTag]: 'Promise',
  };
  return tracked as Tracked;
}
