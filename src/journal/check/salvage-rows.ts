// Reads all rows of a damaged table that are what was written, with what the log has of them laid over. Writes nothing.

import { FORMAT_KEY, isPageKey, type KeyRange, MARK_KEY, rowKeyOf } from '../keys.js';
import { chunksOf, type RowEntry, type RowStore } from '../row-store.js';
import { type ReadRow, readRow } from '../rows.js';
import { everyRow } from '../table/page.js';
import type { RowChanges } from '../table/row-table.js';
import { openValue } from '../table/seal.js';

/** The kinds of rows in capitals, of which there are few, and those in lower case. */
const FEW: KeyRange = { lt: 'a' };
const MANY: KeyRange = { gte: 'a' };

/** Called with the key of a row or page that is not what was written, or with a sentence. */
export type NoteDamage = { readonly row: (key: string) => void; readonly rest: (sentence: string) => void };

/** Yields the rows, those of entities first. */
export async function* salvageRows(
  store: RowStore,
  changes: RowChanges,
  damage: NoteDamage,
): AsyncGenerator<readonly ReadRow[]> {
  const entities = new Map<string, string>();
  for await (const rows of readableRows(store, FEW, damage)) {
    for (const [key, text] of rows) entities.set(key, text);
  }
  for (const [key, text] of changes) {
    if (!isIn(key, FEW)) continue;
    if (text === undefined) entities.delete(key);
    else entities.set(key, text);
  }
  yield decode([...entities].sort(byKey), damage);
  for await (const rows of readableRows(store, MANY, damage)) {
    yield decode(
      rows.filter(([key]) => !changes.has(key)),
      damage,
    );
  }
  const added: RowEntry[] = [];
  for (const [key, text] of changes) if (text !== undefined && isIn(key, MANY)) added.push([key, text]);
  yield decode(added.sort(byKey), damage);
}

async function* readableRows(
  store: RowStore,
  range: KeyRange,
  damage: NoteDamage,
): AsyncGenerator<readonly RowEntry[]> {
  try {
    for await (const chunk of chunksOf(store, range, { values: true })) {
      yield chunk.flatMap(([key, value]) => {
        if (key === FORMAT_KEY || key === MARK_KEY) return [];
        const text = openValue(key, value)?.text;
        const rows =
          text === undefined ? undefined : isPageKey(key) ? rowsOfPage(key, text) : [[key, text] as const];
        if (rows === undefined) damage.row(key);
        return rows ?? [];
      });
    }
  } catch (error) {
    const seen = error instanceof Error ? error.message : String(error);
    damage.rest(`rows of the table cannot be read: ${seen}`);
  }
}

function rowsOfPage(pageKey: string, text: string): RowEntry[] | undefined {
  const rows: RowEntry[] = [];
  const isPage = everyRow(text, (index, start, end) => {
    rows.push([rowKeyOf(pageKey, index), text.slice(start, end)]);
    return true;
  });
  return isPage ? rows : undefined;
}

function decode(entries: readonly RowEntry[], damage: NoteDamage): ReadRow[] {
  return entries.flatMap(([key, text]) => {
    const row = readRow(key, text);
    if (row === undefined) damage.row(key);
    return row ?? [];
  });
}

function isIn(key: string, { gte, lt }: KeyRange): boolean {
  return (gte === undefined || key >= gte) && (lt === undefined || key < lt);
}

function byKey([a]: RowEntry, [b]: RowEntry): number {
  return a < b ? -1 : 1;
}
