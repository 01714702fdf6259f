// A journal whose batches become durable only when the test says so.

import type { Journal } from '../../src/engine/ports.js';

export class HeldJournal implements Journal {
  readonly #journal: Journal;
  #isHolding = false;
  #waiting: (() => void)[] = [];
  /** Batches that were asked for while holding. */
  heldCount = 0;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  hold(): void {
    this.#isHolding = true;
  }

  release(): void {
    this.#isHolding = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }

  async append(events: Parameters<Journal['append']>[0]): Promise<void> {
    if (this.#isHolding) {
      this.heldCount += 1;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    await this.#journal.append(events);
  }

  recover(restore: Parameters<Journal['recover']>[0]): ReturnType<Journal['recover']> {
    return this.#journal.recover(restore);
  }

  deleteContent(contentId: number): void {
    this.#journal.deleteContent(contentId);
  }

  readContent(contentId: number): ReturnType<Journal['readContent']> {
    return this.#journal.readContent(contentId);
  }

  readContentNow(contentId: number): Uint8Array {
    return this.#journal.readContentNow(contentId);
  }

  close(): Promise<void> {
    return this.#journal.close();
  }
}
