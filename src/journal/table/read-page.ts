// Decodes the rows of a page from its text, without building a key or a text for each.

import { everyRow } from './page.js';
import { parsePageKey, ROW_KIND } from './rows/keys.js';
import { RowText } from './rows/row-text.js';
import { type ReadRow, readMessageIdText, readMessageText } from './rows/rows.js';

/** Appends the rows of the page to `rows`. Returns false if this version does not write such rows. */
export function readPage(key: string, text: string, rows: ReadRow[]): boolean {
  const name = parsePageKey(key);
  if (name === undefined) return false;
  const { storeId, firstNumber } = name;
  const read = key.startsWith(ROW_KIND.messagePage) ? readMessageText : readMessageIdText;
  const row = new RowText(text);
  return everyRow(text, (index, start, end) => {
    row.moveTo(start, end);
    const decoded = read(row, storeId, firstNumber + index);
    if (decoded === undefined) return false;
    rows.push(decoded);
    return true;
  });
}
