// Where the result of a command goes: a callback or a promise.

import type { Result } from '../broker/contract/result.js';

/** The client that a command comes from, for records of what happened. */
export type RequestOrigin = {
  /** Undefined for HTTP, where a client has no connection that counts. */
  readonly connectionId: number | undefined;
  /** Undefined for a request that names no link. */
  readonly linkId: number | undefined;
  /** The program behind a request over HTTP that changes something by hand, as it names itself. */
  readonly program?: string;
};

/** Receives the results of the commands that it has submitted. It chooses the `tag` of each, and so can have many under way. */
export interface Requester {
  /** Undefined: the emulator itself, or a caller in the same process. */
  readonly origin?: RequestOrigin | undefined;
  completed(tag: number, result: Result): void;
  /** Receives an exception thrown by `completed`. Without this method, or if it throws too, the whole engine fails. */
  faulted?(cause: unknown): void;
}

/** Commands whose results are awaited as promises. */
export class PendingRequests implements Requester {
  readonly #pending = new Map<number, (result: Result) => void>();
  #lastTag = 0;

  /** `submit` submits the command with this requester and the given tag. */
  request(submit: (tag: number) => void): Promise<Result> {
    const tag = ++this.#lastTag;
    return new Promise((resolve) => {
      this.#pending.set(tag, resolve);
      submit(tag);
    });
  }

  completed(tag: number, result: Result): void {
    const resolve = this.#pending.get(tag);
    this.#pending.delete(tag);
    resolve?.(result);
  }

  /** Answers every open request, so that no caller waits forever. */
  completeAll(result: Result): void {
    for (const tag of [...this.#pending.keys()]) this.completed(tag, result);
  }
}

/** Hands an exception to the requester or link sink that threw it. Rethrows it if that fails too; then the whole engine fails. */
export function reportFault(listener: { faulted?(cause: unknown): void }, cause: unknown): void {
  if (listener.faulted === undefined) throw cause;
  try {
    listener.faulted(cause);
  } catch {
    throw cause;
  }
}
