// Writes changes to the table in pieces: atomic batches of bounded size. Each includes the row of the mark, so that count and checksum
// are right after a crash at any moment.

import { setImmediate as nextLoop } from 'node:timers/promises';
import { journalError } from '../journal-error.js';
import { type Mark, writeMark } from './mark.js';
import { changePage, type GroupedChanges, type PageChanges } from './page.js';
import { RowSet } from './row-set.js';
import type { RowBatch, RowStore } from './row-store.js';
import { MARK_KEY } from './rows/keys.js';
import { openValue, sealOf, withSeal } from './seal.js';
import type { TableIndex } from './table-index.js';

/** A piece ends above this size, because LevelDB's binding copies a batch, and the memory of large copies is never freed. */
const PIECE_LENGTH = 256 * 1024;
/** After so many changes, 5 ms, other work can run even if no piece was full. Deletions hardly ever fill a piece. */
const MAX_CHANGED = 2000;
/** The number of pages that are read at once. */
const PAGES_READ = 32;

type WriteOptions = {
  /** The mark for all pieces but the last. */
  readonly mark: Mark;
  /** Whether each piece is synced to the disk. */
  readonly sync: boolean;
};

export class TableWriter {
  readonly #store: RowStore;
  readonly #index: TableIndex;
  readonly #location: string;
  readonly #options: WriteOptions;
  readonly #mark: Mark;
  /** Undefined until there is something to write, because the store would keep an unwritten batch forever. */
  #batch: RowBatch | undefined;
  #length = 0;
  /** The changes since other work could last run. */
  #changedCount = 0;

  constructor(store: RowStore, index: TableIndex, location: string, options: WriteOptions) {
    this.#store = store;
    this.#index = index;
    this.#location = location;
    this.#options = options;
    this.#mark = { ...options.mark, isClean: false };
  }

  /** Adds the changes to pieces, and writes those that are full. */
  async add({ rows, pages }: GroupedChanges): Promise<void> {
    for (const [key, text] of rows) {
      this.#changeRow(key, text);
      if (this.#isPauseDue) await this.#pause();
    }
    const entries = [...pages].filter(([, { size }]) => size > 0);
    for (let start = 0; start < entries.length; start += PAGES_READ) {
      await this.#addPages(entries.slice(start, start + PAGES_READ));
    }
  }

  /** Writes the last piece. */
  finish(mark: Mark): Promise<void> {
    return this.#write(mark);
  }

  get #isFull(): boolean {
    return this.#length >= PIECE_LENGTH;
  }

  get #isPauseDue(): boolean {
    return this.#isFull || this.#changedCount >= MAX_CHANGED;
  }

  async #pause(): Promise<void> {
    this.#changedCount = 0;
    await (this.#isFull ? this.#write(this.#mark) : nextLoop());
  }

  async #addPages(pages: readonly (readonly [string, PageChanges])[]): Promise<void> {
    const texts = await this.#readPages(
      pages.filter(([key, changes]) => this.#index.keepsRows(key, changes)).map(([key]) => key),
    );
    for (const [key, changes] of pages) {
      this.#changePage(key, changes, texts.get(key) ?? '');
      if (this.#isPauseDue) await this.#pause();
    }
  }

  async #readPages(keys: string[]): Promise<ReadonlyMap<string, string>> {
    const texts = new Map<string, string>();
    if (keys.length === 0) return texts;
    const values = await this.#store.getMany(keys);
    for (const [position, key] of keys.entries()) {
      const page = openValue(key, values[position] ?? '');
      if (page === undefined || page.seal !== this.#index.page(key)?.seal) {
        const seen = `${JSON.stringify(key)} is not what was written`;
        throw journalError('corrupt', this.#location, seen);
      }
      texts.set(key, page.text);
    }
    return texts;
  }

  #changeRow(key: string, text: string | undefined): void {
    this.#changedCount += 1;
    if (text !== undefined) {
      const seal = this.#put(key, text);
      this.#index.putRow(key, seal);
    } else if (this.#index.hasRow(key)) {
      this.#delete(key);
      this.#index.deleteRow(key);
    }
  }

  #changePage(key: string, changes: PageChanges, earlier: string): void {
    this.#changedCount += changes.size;
    const page = this.#index.page(key);
    const rows = page?.rows ?? new RowSet();
    let isChanged = false;
    for (const [index, text] of changes) {
      if (text !== undefined) rows.add(index);
      else if (rows.has(index)) rows.delete(index);
      else continue;
      isChanged = true;
    }
    if (!isChanged) return;
    if (rows.size === 0) {
      this.#delete(key);
      this.#index.deletePage(key);
    } else {
      this.#index.putPage(key, { seal: this.#put(key, changePage(earlier, changes)), rows });
    }
  }

  #put(key: string, text: string): number {
    const seal = sealOf(key, text);
    this.#openBatch().put(key, withSeal(seal, text));
    this.#length += key.length + text.length;
    return seal;
  }

  #delete(key: string): void {
    this.#openBatch().del(key);
    this.#length += key.length;
  }

  async #write(mark: Mark): Promise<void> {
    const batch = this.#openBatch();
    batch.put(MARK_KEY, writeMark(mark, this.#index.totals));
    this.#batch = undefined;
    this.#length = 0;
    await batch.write({ sync: this.#options.sync });
  }

  #openBatch(): RowBatch {
    this.#batch ??= this.#store.batch();
    return this.#batch;
  }
}
