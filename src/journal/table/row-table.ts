// The table: all rows of the journal in LevelDB, up to a position of the log. A start lays the later changes of the log over them.

import assert from 'node:assert';
import { FORMAT_ROW, hasFormat } from '../format.js';
import { journalError, translateError } from '../journal-error.js';
import { type Mark, readMark, type Totals } from './mark.js';
import { GroupedChanges, type RowChanges } from './page.js';
import type { RowStore } from './row-store.js';
import { FORMAT_KEY, indexInPage, isPagedKey, MARK_KEY, pageKeyOf } from './rows/keys.js';
import { type ReadRow, readRow } from './rows/rows.js';
import { openValue } from './seal.js';
import { TableIndex } from './table-index.js';
import { TableReader } from './table-reader.js';
import { TableWriter } from './table-writer.js';

export type { Mark } from './mark.js';
export { GroupedChanges, type RowChanges } from './page.js';

const NO_ROWS: Totals = { count: 0, checksum: 0 };

export class RowTable {
  readonly #store: RowStore;
  readonly #location: string;
  readonly #index = new TableIndex();
  /** The totals in the mark. */
  readonly #totals: Totals;
  #mark: Mark | undefined;
  #isRead = false;

  private constructor(store: RowStore, location: string, mark: Mark | undefined, totals: Totals) {
    this.#store = store;
    this.#location = location;
    this.#mark = mark;
    this.#totals = totals;
  }

  /** Reads the format and the mark of an open store. `location` is the directory, for error messages. Rejects with a JournalError. */
  static async open(store: RowStore, location: string): Promise<RowTable> {
    if (!(await hasFormat(store, location))) return new RowTable(store, location, undefined, NO_ROWS);
    const value = await store.get(MARK_KEY);
    if (value === undefined) throw journalError('corrupt', location, 'its mark is missing');
    const read = readMark(value);
    if (read === undefined) throw journalError('corrupt', location, 'its mark is not what was written');
    return new RowTable(store, location, read.mark, read.totals);
  }

  /** Undefined in an empty journal. */
  get mark(): Mark | undefined {
    return this.#mark;
  }

  /**
   * Yields all rows with `changes` laid over them, in the order that recovery needs, in chunks; other work can run between two chunks.
   * Throws a JournalError if the rows in the store are damaged. Must run to its end once, before `begin`.
   */
  async *read(changes: RowChanges): AsyncGenerator<readonly ReadRow[]> {
    const reader = new TableReader(changes, this.#index, this.#location);
    try {
      yield* reader.read(this.#store);
    } catch (error) {
      throw translateError(error, this.#location, 'unreadable');
    }
    this.#expectTotals();
    this.#isRead = true;
  }

  /** Whether the store has the row. Must not be called while `write` is under way. */
  has(key: string): boolean {
    if (!isPagedKey(key)) return this.#index.hasRow(key);
    return this.#index.page(pageKeyOf(key))?.rows.has(indexInPage(key)) === true;
  }

  /** A single row that is not in a page, with the changes laid over it; undefined if there is none. */
  async readOne(key: string, changes: RowChanges): Promise<ReadRow | undefined> {
    const text = changes.has(key) ? changes.get(key) : await this.#readText(key);
    if (text === undefined) return undefined;
    return readRow(key, text) ?? this.#notARow(key);
  }

  /** Writes the format, and that the log may go beyond the mark, to the disk. Must be called before anything is appended to the log. */
  async begin(mark: Mark): Promise<void> {
    assert(this.#isRead, 'the table is read before it is written');
    const begun = { ...mark, isClean: false };
    this.#mark = begun;
    await this.write(new GroupedChanges([[FORMAT_KEY, FORMAT_ROW]]), begun, { sync: true });
  }

  /**
   * Writes the changes in pieces, each an atomic batch; the last one has the mark. After a crash between two pieces the same changes are
   * written again. Only one call at a time, after `begin`, and never after a failure.
   */
  async write(changes: GroupedChanges, mark: Mark, { sync }: { readonly sync: boolean }): Promise<void> {
    const begun = this.#mark;
    assert(begun !== undefined, 'a table is begun before it is written');
    await this.#writing(async () => {
      const writer = new TableWriter(this.#store, this.#index, this.#location, { mark: begun, sync });
      await writer.add(changes);
      await writer.finish(mark);
    });
    this.#mark = mark;
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #readText(key: string): Promise<string | undefined> {
    try {
      const value = await this.#store.get(key);
      if (value === undefined) return undefined;
      return openValue(key, value)?.text ?? this.#corrupt(`${JSON.stringify(key)} is not what was written`);
    } catch (error) {
      throw translateError(error, this.#location, 'unreadable');
    }
  }

  async #writing(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      throw translateError(error, this.#location, 'unwritable');
    }
  }

  #expectTotals(): void {
    const { count, checksum } = this.#index.totals;
    if (count !== this.#totals.count) {
      this.#corrupt(`it has ${count} rows and pages, and its mark says ${this.#totals.count}`);
    }
    if (checksum !== this.#totals.checksum) {
      this.#corrupt('the checksum of all its rows differs from its mark: some rows are older than others');
    }
  }

  #notARow(key: string): never {
    return this.#corrupt(`${JSON.stringify(key)} is not a row of a journal`);
  }

  #corrupt(seen: string): never {
    throw journalError('corrupt', this.#location, seen);
  }
}
