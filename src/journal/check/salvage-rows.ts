// Collects all readable rows of a journal, even of a damaged one: the undamaged rows of the table, with the changes of the log laid over
// them.

import { everyRow, type RowChanges } from '../table/page.js';
import { FORMAT_KEY, isPageKey, MARK_KEY, rowKeyOf } from '../table/rows/keys.js';
import { type ReadRow, readRow } from '../table/rows/rows.js';
import { openValue } from '../table/seal.js';

export type SalvagedRows = {
  /** In the order of their keys, so that entities come first. */
  readonly rows: readonly ReadRow[];
  /** The keys of damaged rows and pages. */
  readonly damagedKeys: readonly string[];
};

/** `stored`: the keys and values of the table. */
export function salvageRows(stored: ReadonlyMap<string, string>, changes: RowChanges): SalvagedRows {
  const texts = new Map<string, string>();
  const damagedKeys: string[] = [];
  for (const [key, value] of stored) {
    if (key === FORMAT_KEY || key === MARK_KEY) continue;
    const text = openValue(key, value)?.text;
    if (text === undefined || !addTexts(texts, key, text)) damagedKeys.push(key);
  }
  for (const [key, text] of changes) {
    if (text === undefined) texts.delete(key);
    else texts.set(key, text);
  }
  const rows: ReadRow[] = [];
  for (const key of [...texts.keys()].sort()) {
    const row = readRow(key, texts.get(key) as string);
    if (row === undefined) damagedKeys.push(key);
    else rows.push(row);
  }
  return { rows, damagedKeys };
}

/** Returns false if the key is not the key of a page, or the text is not the text of one. */
function addTexts(texts: Map<string, string>, key: string, text: string): boolean {
  if (!isPageKey(key)) {
    texts.set(key, text);
    return true;
  }
  return everyRow(text, (index, start, end) => {
    texts.set(rowKeyOf(key, index), text.slice(start, end));
    return true;
  });
}
