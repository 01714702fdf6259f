// A row store that writes every content with a checksum and verifies it when the content is read.
//
// Damage to a content would go unnoticed otherwise: it has no fixed shape, and LevelDB verifies no checksums when it reads.

import { JournalError } from './journal-error.js';
import { isContentKey, parseContentKey } from './keys.js';
import { type RowBatch, type RowStore, TEXT } from './row-store.js';
import { addChecksum, checkedContent } from './row-values.js';

export class ChecksummedStore implements RowStore {
  readonly #store: RowStore;
  readonly #location: string;

  /** `location` is the directory, for error messages. */
  constructor(store: RowStore, location: string) {
    this.#store = store;
    this.#location = location;
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
        else batch.put(key, isContentKey(key) ? addChecksum(value) : value);
      },
      del: (key) => batch.del(key),
      write: (options) => batch.write(options),
    };
  }

  /** Does not verify checksums: callers read the values of other rows only, and of contents only the keys. */
  iterator(options: Parameters<RowStore['iterator']>[0]): ReturnType<RowStore['iterator']> {
    return this.#store.iterator(options);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #open(key: string, row: Buffer | undefined): Buffer | undefined {
    if (row === undefined || !isContentKey(key)) return row;
    const content = checkedContent(row);
    if (content !== undefined) return content;
    throw new JournalError(
      'corrupt',
      this.#location,
      `content ${parseContentKey(key)} is not what was written`,
    );
  }
}
