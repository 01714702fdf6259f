// Reads all rows of the table, and lays the changes over them that only the log has.

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { journalError } from '../journal-error.js';
import { changePage, everyRow, GroupedChanges, type RowChanges } from './page.js';
import { readPage } from './read-page.js';
import { RowSet } from './row-set.js';
import { chunksOf, type RowStore } from './row-store.js';
import { FORMAT_KEY, isPageKey, MARK_KEY } from './rows/keys.js';
import { type ReadRow, readRow } from './rows/rows.js';
import { openValue } from './seal.js';
import type { TableIndex } from './table-index.js';

/** Other work can run after so many rows. */
const CHUNK_ROWS = 4096;

export class TableReader {
  readonly #changes: GroupedChanges;
  readonly #index: TableIndex;
  readonly #location: string;
  /** The keys of changed rows, ascending. From `#next` on, they have not been reached in the store. */
  readonly #waiting: readonly string[];
  #next = 0;
  #rows: ReadRow[] = [];

  /** Fills the index with the rows of the store. */
  constructor(changes: RowChanges, index: TableIndex, location: string) {
    this.#changes = new GroupedChanges(changes);
    this.#waiting = [...this.#changes.rows.keys(), ...this.#changes.pages.keys()].sort();
    this.#index = index;
    this.#location = location;
  }

  /** Yields the rows in the order of their keys. The rows of a page come at the place of its key. */
  async *read(store: RowStore): AsyncGenerator<readonly ReadRow[]> {
    for await (const chunk of chunksOf(store)) {
      for (const [key, value] of chunk) {
        this.#addNewBefore(key);
        this.#readEntry(key, value);
        if (this.#rows.length >= CHUNK_ROWS) yield* this.#takeRows();
      }
    }
    for (const key of this.#waiting.slice(this.#next)) {
      this.#addNew(key);
      if (this.#rows.length >= CHUNK_ROWS) yield* this.#takeRows();
    }
    yield* this.#takeRows();
  }

  async *#takeRows(): AsyncGenerator<readonly ReadRow[]> {
    const rows = this.#rows;
    this.#rows = [];
    yield rows;
    await yieldToEventLoop();
  }

  /** Adds the rows up to this key that only the changes have. */
  #addNewBefore(key: string): void {
    for (;;) {
      const next = this.#waiting[this.#next];
      if (next === undefined || next > key) return;
      this.#next += 1;
      if (next < key) this.#addNew(next);
    }
  }

  #addNew(key: string): void {
    const page = this.#changes.pages.get(key);
    const text = page === undefined ? this.#changes.rows.get(key) : changePage('', page);
    if (page !== undefined) this.#addPage(key, text ?? '');
    else if (text !== undefined) this.#addRow(key, text);
  }

  #readEntry(key: string, value: string): void {
    if (key === MARK_KEY) return;
    const { seal, text } = openValue(key, value) ?? this.#corrupt(key, 'is not what was written');
    if (isPageKey(key)) {
      this.#index.putPage(key, { seal, rows: this.#rowsIn(key, text) });
      const changes = this.#changes.pages.get(key);
      this.#addPage(key, changes === undefined ? text : changePage(text, changes));
    } else {
      this.#index.putRow(key, seal);
      if (key === FORMAT_KEY) return;
      if (this.#changes.rows.has(key)) this.#addNew(key);
      else this.#addRow(key, text);
    }
  }

  #rowsIn(key: string, text: string): RowSet {
    const rows = new RowSet();
    const isPage = everyRow(text, (index) => {
      rows.add(index);
      return true;
    });
    return isPage ? rows : this.#notARow(key);
  }

  #addPage(key: string, text: string): void {
    if (!readPage(key, text, this.#rows)) this.#notARow(key);
  }

  #addRow(key: string, text: string): void {
    this.#rows.push(readRow(key, text) ?? this.#notARow(key));
  }

  #notARow(key: string): never {
    return this.#corrupt(key, 'is not a row of a journal');
  }

  #corrupt(key: string, problem: string): never {
    throw journalError('corrupt', this.#location, `${JSON.stringify(key)} ${problem}`);
  }
}
