// Commands whose result is awaited as a promise.

import type { Result } from '../broker/result.js';
import type { Requester } from './engine.js';

export class Asks implements Requester {
  readonly #open = new Map<number, (result: Result) => void>();
  #lastTag = 0;

  /** `submit` is to submit the command with this requester and the tag it is given. */
  ask(submit: (tag: number) => void): Promise<Result> {
    const tag = ++this.#lastTag;
    return new Promise((resolve) => {
      this.#open.set(tag, resolve);
      submit(tag);
    });
  }

  completed(tag: number, result: Result): void {
    const resolve = this.#open.get(tag);
    this.#open.delete(tag);
    resolve?.(result);
  }

  /** Nobody is left waiting for ever. */
  answerAll(result: Result): void {
    for (const tag of [...this.#open.keys()]) this.completed(tag, result);
  }
}
