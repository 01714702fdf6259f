// Reads all rows of a damaged table that are what was written, with what the log has of them laid over. Writes nothing.

import {
  AFTER_CONTENTS,
  BEFORE_CONTENTS,
  earlierKeyOf,
  FORMAT_KEY,
  isPageKey,
  type KeyRange,
  MARK_KEY,
} from '../keys.js';
import { chunksOf, type RowEntry, type RowStore } from '../row-store.js';
import { type ReadRow, readRow } from '../rows.js';
import { everyRow } from '../table/page.js';
import type { RowChanges } from '../table/row-table.js';
import { openValue } from '../table/seal.js';
import { isEarlierRow } from '../table/table-reader.js';

/** Called with the key of a row or page that is not what was written, or with a sentence. */
export type NoteDamage = { readonly row: (key: string) => void; readonly rest: (sentence: string) => void };

/** Yields the rows, those of entities first. `hasSeals` is false for formats up to 7. */
export async function* salvageRows(
  store: RowStore,
  changes: RowChanges,
  { hasSeals, damage }: { readonly hasSeals: boolean; readonly damage: NoteDamage },
): AsyncGenerator<readonly ReadRow[]> {
  const entities = new Map<string, string>();
  for await (const rows of readableRows(store, BEFORE_CONTENTS, { hasSeals, damage })) {
    for (const [key, text] of rows) entities.set(key, text);
  }
  for (const [key, text] of changes) {
    if (!isIn(key, BEFORE_CONTENTS)) continue;
    if (text === undefined) entities.delete(key);
    else entities.set(key, text);
  }
  yield decode([...entities].sort(byKey), damage);
  for await (const rows of readableRows(store, AFTER_CONTENTS, { hasSeals, damage })) {
    yield decode(
      rows.filter(([key]) => !changes.has(key)),
      damage,
    );
  }
  const added: RowEntry[] = [];
  for (const [key, text] of changes)
    if (text !== undefined && isIn(key, AFTER_CONTENTS)) added.push([key, text]);
  yield decode(added.sort(byKey), damage);
}

async function* readableRows(
  store: RowStore,
  range: KeyRange,
  { hasSeals, damage }: { readonly hasSeals: boolean; readonly damage: NoteDamage },
): AsyncGenerator<readonly RowEntry[]> {
  try {
    for await (const chunk of chunksOf(store, range, { values: true })) {
      yield chunk.flatMap(([key, value]) => {
        if (key === FORMAT_KEY || key === MARK_KEY) return [];
        const isEarlier = !hasSeals || isEarlierRow(key, value);
        const text = openValue(key, value)?.text ?? (isEarlier ? value : undefined);
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
    rows.push([earlierKeyOf(pageKey, index), text.slice(start, end)]);
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
