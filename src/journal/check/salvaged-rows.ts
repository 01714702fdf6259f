// All rows of a journal that can be read, also of a damaged one: those of the table that are what was written, and laid over them what
// the log has. Writes nothing.

import { FORMAT_KEY, isPageKey, type KeyRange, MARK_KEY, rowKeyOf } from '../keys.js';
import { chunksOf, type RowEntry, type RowStore } from '../row-store.js';
import { readRow } from '../rows.js';
import { everyRow } from '../table/page.js';
import type { RowChanges } from '../table/row-table.js';
import { openValue } from '../table/seal.js';
import { TimeEpochs } from '../time-epochs.js';
import type { JournalRow } from './survey.js';

/** The kinds of rows in capitals, of which there are few, and those in lower case. */
const FEW: KeyRange = { lt: 'a' };
const MANY: KeyRange = { gte: 'a' };

export class SalvagedRows {
  readonly #store: RowStore;
  readonly #changes: RowChanges;
  /** The keys of rows and pages that are not what was written, as far as they were read. */
  readonly damagedKeys = new Set<string>();
  /** The number of rows and pages in the store, damaged ones among them. */
  entryCount = 0;
  /** Why the store cannot be read to its end. */
  failure: string | undefined;

  constructor(store: RowStore, changes: RowChanges) {
    this.#store = store;
    this.#changes = changes;
  }

  /** Yields the rows with the times that a start reads, those of entities first. */
  async *read(): AsyncGenerator<JournalRow> {
    this.entryCount = 0;
    let epochs = new TimeEpochs();
    for await (const [key, text] of this.#texts()) {
      const row = readRow(key, text);
      if (row === undefined) this.damagedKeys.add(key);
      else if (row.kind === 'time-epochs') epochs = new TimeEpochs(row.epochs);
      else yield epochs.read(row);
    }
  }

  async *#texts(): AsyncGenerator<RowEntry> {
    const few = new Map<string, string>();
    for await (const [key, text] of this.#intact(FEW)) few.set(key, text);
    const [fewAdded, manyAdded] = [this.#added('', 'a'), this.#added('a', '\uffff')];
    for (const [key, text] of fewAdded) few.set(key, text);
    yield* sorted([...few]);
    yield* this.#intact(MANY);
    yield* sorted(manyAdded);
  }

  /** The rows that the log has, from a key to another. */
  #added(from: string, to: string): RowEntry[] {
    const rows: RowEntry[] = [];
    for (const [key, text] of this.#changes) {
      if (text !== undefined && key >= from && key < to) rows.push([key, text]);
    }
    return rows;
  }

  /** The rows of the store that are what was written, without those that the log has. */
  async *#intact(range: KeyRange): AsyncGenerator<RowEntry> {
    try {
      for await (const chunk of chunksOf(this.#store, range, { values: true })) {
        for (const [key, value] of chunk) {
          if (key === MARK_KEY) continue;
          this.entryCount += 1;
          if (key === FORMAT_KEY) continue;
          const text = openValue(key, value)?.text;
          const rows =
            text === undefined ? undefined : isPageKey(key) ? rowsOf(key, text) : [[key, text] as const];
          if (rows === undefined) this.damagedKeys.add(key);
          for (const row of rows ?? []) if (!this.#changes.has(row[0])) yield row;
        }
      }
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
    }
  }
}

/** Undefined when the text is none of a page. */
function rowsOf(pageKey: string, text: string): RowEntry[] | undefined {
  const rows: RowEntry[] = [];
  const isPage = everyRow(text, (index, start, end) => {
    rows.push([rowKeyOf(pageKey, index), text.slice(start, end)]);
    return true;
  });
  return isPage ? rows : undefined;
}

function sorted(rows: RowEntry[]): RowEntry[] {
  return rows.sort(([a], [b]) => (a < b ? -1 : 1));
}
