// A row store that keeps every content with a checksum and hands none out that is not what was written.
//
// A content has no shape by which damage would show, and LevelDB verifies no checksums when it reads.

import { JournalError } from './journal-error.js';
import { isContentKey, parseContentKey } from './keys.js';
import { type RowBatch, type RowStore, TEXT } from './row-store.js';
import { openContent, sealContent } from './row-values.js';

export class SealedStore implements RowStore {
  readonly #store: RowStore;
  readonly #place: string;

  /** `place` is the directory, for messages to people. */
  constructor(store: RowStore, place: string) {
    this.#store = store;
    this.#place = place;
  }

  async get(key: string): Promise<Buffer | undefined> {
    return this.#open(key, await this.#store.get(key));
  }

  getSync(key: string): Buffer | undefined {
    return this.#open(key, this.#store.getSync(key));
  }

  batch(): RowBatch {
    const batch = this.#store.batch();
    return {
      put(key: string, value: Buffer | string) {
        if (typeof value === 'string') batch.put(key, value, TEXT);
        else batch.put(key, isContentKey(key) ? sealContent(value) : value);
      },
      del: (key) => batch.del(key),
      write: (options) => batch.write(options),
    };
  }

  /** Values, where they are asked for, are those of other rows than contents. */
  iterator(options: Parameters<RowStore['iterator']>[0]): ReturnType<RowStore['iterator']> {
    return this.#store.iterator(options);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #open(key: string, row: Buffer | undefined): Buffer | undefined {
    if (row === undefined || !isContentKey(key)) return row;
    const content = openContent(row);
    if (content !== undefined) return content;
    throw new JournalError('corrupt', this.#place, `content ${parseContentKey(key)} is not what was written`);
  }
}
