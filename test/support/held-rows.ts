// Rows in memory whose batches are written, or fail, only when the test says so.

import type { RowStore } from '../../src/journal/table/row-store.js';

export class HeldRows {
  /** Whether each batch that was written was synced. */
  readonly syncs: boolean[] = [];
  readonly store: RowStore;
  #isHolding = false;
  #isDead = false;
  #failure: Error | undefined;
  #held: (() => void)[] = [];

  constructor(rows: RowStore) {
    this.store = {
      get: (key) => rows.get(key),
      getMany: (keys) => rows.getMany(keys),
      iterator: (options) => rows.iterator(options),
      close: () => rows.close(),
      batch: () => {
        const batch = rows.batch();
        return {
          put: (...given: [string, never]) => batch.put(...given),
          del: (key) => batch.del(key),
          write: async (options) => {
            await this.#permission();
            await batch.write(options);
            this.syncs.push(options.sync);
          },
        };
      },
    };
  }

  get heldCount(): number {
    return this.#held.length;
  }

  hold(): void {
    this.#isHolding = true;
  }

  release(): void {
    this.#isHolding = false;
    for (const go of this.#held.splice(0)) go();
  }

  /** The next batch is not written. */
  fail(failure: Error): void {
    this.#failure = failure;
  }

  /** The process was killed: no batch is written any more, and nothing waits for one. */
  kill(): void {
    this.#isDead = true;
  }

  async #permission(): Promise<void> {
    if (this.#isHolding) await new Promise<void>((resolve) => this.#held.push(resolve));
    if (this.#isDead) await new Promise<never>(() => {});
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }
}
