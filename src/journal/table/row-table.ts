// The table: all rows of the journal in LevelDB, up to a position of the log. What comes behind it is laid over them at the start.

import assert from 'node:assert';
import { FORMAT_VERSION, formatRow, readFormat } from '../format.js';
import { journalError, translateError } from '../journal-error.js';
import {
  AFTER_CONTENTS,
  BEFORE_CONTENTS,
  CONTENTS,
  contentKey,
  FORMAT_KEY,
  indexInPage,
  isPagedKey,
  MARK_KEY,
  pageKeyOf,
  parseContentKey,
} from '../keys.js';
import { chunksOf, type RowStore } from '../row-store.js';
import { checkedContent } from '../row-values.js';
import { type ReadRow, readRow } from '../rows.js';
import { type Mark, readMark, type Totals } from './mark.js';
import { GroupedChanges, type RowChanges } from './page.js';
import { openValue } from './seal.js';
import { TableIndex } from './table-index.js';
import { isEarlierRow, TableReader } from './table-reader.js';
import { TableWriter, type WriteOptions } from './table-writer.js';

export type { Mark } from './mark.js';
export { GroupedChanges, type RowChanges } from './page.js';

const NO_ROWS: Totals = { count: 0, checksum: 0 };

type Opened = { readonly format: number; readonly mark: Mark | undefined; readonly totals: Totals };

export class RowTable {
  readonly #store: RowStore;
  readonly #location: string;
  readonly #index = new TableIndex();
  /** The totals that the mark has. */
  readonly #totals: Totals;
  #format: number;
  #mark: Mark | undefined;
  #hasEarlierRows = false;
  #isRead = false;

  private constructor(store: RowStore, location: string, { format, mark, totals }: Opened) {
    this.#store = store;
    this.#location = location;
    this.#format = format;
    this.#mark = mark;
    this.#totals = totals;
  }

  /** Reads the format and the mark of an open store. `location` is the directory, for error messages. */
  static async open(store: RowStore, location: string): Promise<RowTable> {
    const format = (await readFormat(store, location)) ?? 0;
    if (format < FORMAT_VERSION)
      return new RowTable(store, location, { format, mark: undefined, totals: NO_ROWS });
    const value = (await store.get(MARK_KEY))?.toString();
    if (value === undefined) throw journalError('corrupt', location, 'its mark is missing');
    const read = readMark(value);
    if (read === undefined) throw journalError('corrupt', location, 'its mark is not what was written');
    return new RowTable(store, location, { format, ...read });
  }

  /** Undefined in an empty journal and in one of an earlier format. */
  get mark(): Mark | undefined {
    return this.#mark;
  }

  /** 0 in an empty journal. */
  get format(): number {
    return this.#format;
  }

  /**
   * Yields all rows with `changes` laid over them, in the order that recovery needs, in chunks; other work can run between two.
   * Throws a JournalError when the rows in the store are not those that were written. Must run to its end once, before `begin`.
   */
  async *read(changes: RowChanges): AsyncGenerator<readonly ReadRow[]> {
    const hasSeals = this.#format === 0 || this.#format === FORMAT_VERSION;
    const reader = new TableReader(changes, this.#index, { location: this.#location, hasSeals });
    try {
      yield* reader.read(this.#store);
    } catch (error) {
      throw translateError(error, this.#location, 'unreadable');
    }
    this.#expectTotals();
    this.#hasEarlierRows = reader.hasEarlierRows;
    this.#isRead = true;
  }

  /** Whether the store has the row. Not while `write` is under way. */
  has(key: string): boolean {
    if (!isPagedKey(key)) return this.#index.hasRow(key);
    return this.#index.page(pageKeyOf(key))?.rows.has(indexInPage(key)) === true;
  }

  /** A single row of its own, with the changes laid over it; undefined when there is none. */
  async readOne(key: string, changes: RowChanges): Promise<ReadRow | undefined> {
    const text = changes.has(key) ? changes.get(key) : await this.#readText(key);
    if (text === undefined) return undefined;
    return readRow(key, text) ?? this.#notARow(key);
  }

  /**
   * Prepares for writing, before anything is appended to the log: notes the format and that the log may go beyond the mark, and converts
   * the rows of an earlier format. Everything is on disk afterwards. After a kill in the middle the next start does the rest.
   */
  async begin(mark: Mark): Promise<void> {
    assert(this.#isRead, 'the table is read before it is written');
    const begun = { ...mark, isClean: false };
    await this.#writing(async () => {
      await this.#writeFormat(begun);
      if (this.#hasEarlierRows) await this.#convertPages(begun);
      await this.#writer({ mark: begun, sync: true }).finish(begun);
    });
    this.#format = FORMAT_VERSION;
    this.#mark = begun;
  }

  /**
   * Writes the changes in pieces, each an atomic batch; the last one has the mark. After a crash between two pieces the same changes
   * are written again. One call at a time, after `begin`, and none after a failure.
   */
  async write(changes: GroupedChanges, mark: Mark, { sync }: { readonly sync: boolean }): Promise<void> {
    const begun = this.#mark;
    assert(begun !== undefined, 'a table is begun before it is written');
    await this.#writing(async () => {
      const writer = this.#writer({ mark: begun, sync });
      await writer.add(changes);
      await writer.finish(mark);
    });
    this.#mark = mark;
  }

  /** The ids of the contents that journals of formats up to 7 have in the store, ascending. A change of their key deletes them. */
  async earlierContentIds(): Promise<Float64Array> {
    const contentIds: number[] = [];
    try {
      for await (const chunk of chunksOf(this.#store, CONTENTS, { values: false })) {
        for (const [key] of chunk) contentIds.push(parseContentKey(key) ?? this.#notARow(key));
      }
    } catch (error) {
      throw translateError(error, this.#location, 'unreadable');
    }
    return Float64Array.from(contentIds);
  }

  /** Undefined when it is missing. Throws a JournalError when it is not what was written. */
  async readEarlierContent(contentId: number): Promise<Uint8Array | undefined> {
    try {
      return this.#checked(contentId, await this.#store.get(contentKey(contentId)));
    } catch (error) {
      throw translateError(error, this.#location, 'unreadable');
    }
  }

  /** Like `readEarlierContent`, but blocks the event loop. */
  readEarlierContentNow(contentId: number): Uint8Array | undefined {
    try {
      return this.#checked(contentId, this.#store.getSync(contentKey(contentId)));
    } catch (error) {
      throw translateError(error, this.#location, 'unreadable');
    }
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #readText(key: string): Promise<string | undefined> {
    try {
      const value = (await this.#store.get(key))?.toString();
      if (value === undefined || this.#format < FORMAT_VERSION) return value;
      return openValue(key, value)?.text ?? this.#corrupt(`${JSON.stringify(key)} is not what was written`);
    } catch (error) {
      throw translateError(error, this.#location, 'unreadable');
    }
  }

  /** Also seals the rows of an earlier format that are no messages: at once, because a seal looks like a part of a counter. */
  async #writeFormat(mark: Mark): Promise<void> {
    const writer = this.#writer({ mark, sync: false, pieceLength: Number.POSITIVE_INFINITY });
    writer.putWithoutSeal(FORMAT_KEY, formatRow());
    if (this.#format > 0 && this.#format < FORMAT_VERSION) {
      for await (const chunk of chunksOf(this.#store, BEFORE_CONTENTS, { values: true })) {
        await writer.add(new GroupedChanges(chunk.filter(([key]) => key !== FORMAT_KEY)));
      }
    }
    await writer.finish(mark);
  }

  async #convertPages(mark: Mark): Promise<void> {
    const writer = this.#writer({ mark, sync: false, isConversion: true });
    for await (const chunk of chunksOf(this.#store, AFTER_CONTENTS, { values: true })) {
      await writer.add(new GroupedChanges(chunk.filter(([key, value]) => isEarlierRow(key, value))));
      await writer.finish(mark); // the next chunk may begin within a page of this one
    }
    this.#hasEarlierRows = false;
  }

  #writer(options: WriteOptions): TableWriter {
    return new TableWriter(this.#store, this.#index, this.#location, options);
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
      this.#corrupt('the checksum of all its rows is not what its mark says: some are older than others');
    }
  }

  #checked(contentId: number, row: Buffer | undefined): Uint8Array | undefined {
    if (row === undefined) return undefined;
    return checkedContent(row) ?? this.#corrupt(`content ${contentId} is not what was written`);
  }

  #notARow(key: string): never {
    return this.#corrupt(`${JSON.stringify(key)} is not a row of a journal`);
  }

  #corrupt(seen: string): never {
    throw journalError('corrupt', this.#location, seen);
  }
}
