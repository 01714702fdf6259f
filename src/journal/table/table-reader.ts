// Reads all rows of the table, with the changes laid over them that only the log has.

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { journalError } from '../journal-error.js';
import {
  AFTER_CONTENTS,
  BEFORE_CONTENTS,
  FORMAT_KEY,
  isPagedKey,
  isPageKey,
  isSessionStateKey,
  MARK_KEY,
} from '../keys.js';
import { chunksOf, type RowStore } from '../row-store.js';
import { type ReadRow, readRow } from '../rows.js';
import { changePage, everyRow, GroupedChanges, type RowChanges } from './page.js';
import { readPage } from './read-page.js';
import { RowSet } from './row-set.js';
import { openValue } from './seal.js';
import type { TableIndex } from './table-index.js';

/** Other work can run after so many rows. */
const CHUNK_ROWS = 4096;

/** Whether the row is as formats up to 7 have it: without a seal. A crash in the middle of a conversion leaves some. */
export function isEarlierRow(key: string, value: string): boolean {
  return isPagedKey(key) || (isSessionStateKey(key) && value.startsWith('{'));
}

export class TableReader {
  readonly #changes: GroupedChanges;
  readonly #all: RowChanges;
  readonly #index: TableIndex;
  readonly #location: string;
  readonly #hasSeals: boolean;
  /** The keys of changes that have not been met in the store, ascending, from `#next` on. */
  readonly #waiting: readonly string[];
  #next = 0;
  #rows: ReadRow[] = [];
  /** Whether there are rows that the next write must convert. */
  hasEarlierRows = false;

  /** Fills the index with what the store has. `hasSeals` is false for formats up to 7. */
  constructor(
    changes: RowChanges,
    index: TableIndex,
    { location, hasSeals }: { readonly location: string; readonly hasSeals: boolean },
  ) {
    this.#all = changes;
    this.#changes = new GroupedChanges(changes);
    this.#waiting = [...this.#changes.rows.keys(), ...this.#changes.pages.keys()].sort();
    this.#index = index;
    this.#location = location;
    this.#hasSeals = hasSeals;
  }

  /** Yields the rows in the order of their keys, pages in place of their rows. */
  async *read(store: RowStore): AsyncGenerator<readonly ReadRow[]> {
    for (const range of [BEFORE_CONTENTS, AFTER_CONTENTS]) {
      for await (const chunk of chunksOf(store, range, { values: true })) {
        for (const [key, value] of chunk) {
          this.#addNewBefore(key);
          this.#readEntry(key, value);
          if (this.#rows.length >= CHUNK_ROWS) yield* this.#takeRows();
        }
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

  /** Adds what only the changes have, up to this key. */
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
    if (key === FORMAT_KEY || key === MARK_KEY) return;
    if (!this.#hasSeals || isEarlierRow(key, value)) this.#readEarlier(key, value);
    else this.#readWithSeal(key, value);
  }

  #readEarlier(key: string, text: string): void {
    this.hasEarlierRows = true;
    // A line feed would end the row within its page.
    if (text.includes('\n')) this.#notARow(key);
    if (!this.#all.has(key)) this.#addRow(key, text);
    else if (!isPagedKey(key)) this.#addNew(key);
  }

  #readWithSeal(key: string, value: string): void {
    const { seal, text } = openValue(key, value) ?? this.#corrupt(key, 'is not what was written');
    if (isPageKey(key)) {
      this.#index.putPage(key, { seal, rows: this.#rowsIn(key, text) });
      const changes = this.#changes.pages.get(key);
      this.#addPage(key, changes === undefined ? text : changePage(text, changes));
    } else {
      this.#index.putRow(key, seal);
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
