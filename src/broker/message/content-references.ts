// How many messages name each content that may be shared; one named by a single message is not counted here.

import { assert } from '../assert.js';

export class ContentReferences {
  readonly #counts = new Map<number, number>();

  add(contentId: number): void {
    this.#counts.set(contentId, (this.#counts.get(contentId) ?? 0) + 1);
  }

  /** Answers whether that was the last. */
  remove(contentId: number): boolean {
    const count = this.#counts.get(contentId);
    assert(count !== undefined, 'a shared content lost a message that it never had');
    if (count > 1) this.#counts.set(contentId, count - 1);
    else this.#counts.delete(contentId);
    return count === 1;
  }

  has(contentId: number): boolean {
    return this.#counts.has(contentId);
  }
}
