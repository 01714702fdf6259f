// Reference counts of the contents that messages may share. A content that only one message can use is not counted.

import { assert } from '../contract/assert.js';

export class ContentReferences {
  readonly #counts = new Map<number, number>();

  add(contentId: number, count = 1): void {
    this.#counts.set(contentId, (this.#counts.get(contentId) ?? 0) + count);
  }

  /** Returns whether it was the last reference. */
  remove(contentId: number): boolean {
    const count = this.#counts.get(contentId);
    assert(count !== undefined, 'a shared content has no references left to remove');
    if (count > 1) this.#counts.set(contentId, count - 1);
    else this.#counts.delete(contentId);
    return count === 1;
  }

  has(contentId: number): boolean {
    return this.#counts.has(contentId);
  }
}
