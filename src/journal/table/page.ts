// A page: up to 100 messages or message-ids with neighbouring numbers as one row of LevelDB, because one large row is read and
// written in a quarter of the time of many small ones. Its text has one line a row: two digits, then the row's text.

import { indexInPage, isPagedKey, pageKeyOf } from '../keys.js';

/** The text of each changed row, or undefined for a deleted one: those that the log has beyond the mark, or those of a flush. */
export type RowChanges = ReadonlyMap<string, string | undefined>;

/** The changes to the rows of one page, by their last two digits. */
export type PageChanges = Map<number, string | undefined>;

const INDEX_DIGITS = 2;

/** Separates the changes to pages, by the keys of pages, from those to rows of their own. */
export function groupChanges(changes: RowChanges): {
  readonly rows: RowChanges;
  readonly pages: ReadonlyMap<string, PageChanges>;
} {
  const rows = new Map<string, string | undefined>();
  const pages = new Map<string, PageChanges>();
  let prefix = '';
  let page: PageChanges | undefined;
  for (const [key, text] of changes) {
    // Most rows are neighbours of the one before.
    if (page === undefined || !key.startsWith(prefix)) {
      page = isPagedKey(key) ? pageOf(pages, pageKeyOf(key)) : undefined;
      prefix = key.slice(0, -INDEX_DIGITS);
    }
    if (page === undefined) rows.set(key, text);
    else page.set(indexInPage(key), text);
  }
  return { rows, pages };
}

function pageOf(pages: Map<string, PageChanges>, key: string): PageChanges {
  let page = pages.get(key);
  if (page === undefined) {
    page = new Map();
    pages.set(key, page);
  }
  return page;
}

/** Returns the text of a page after the changes; empty when no row is left. `text` is empty for a new page. */
export function changePage(text: string, changes: PageChanges): string {
  const lines: (string | undefined)[] = [];
  for (const line of text === '' ? [] : text.split('\n')) lines[Number(line.slice(0, INDEX_DIGITS))] = line;
  for (const [index, row] of changes) {
    lines[index] = row === undefined ? undefined : (index < 10 ? '0' : '') + index + row;
  }
  return lines.filter((line) => line !== undefined).join('\n');
}

/**
 * Calls `visit` with the bounds of each row within the text. Returns false at the first line without two digits, or when `visit`
 * does.
 */
export function everyRow(
  text: string,
  visit: (index: number, start: number, end: number) => boolean,
): boolean {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    const tens = text.charCodeAt(start) - 48;
    const ones = text.charCodeAt(start + 1) - 48;
    if (!(tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9)) return false;
    if (!visit(tens * 10 + ones, start + INDEX_DIGITS, end)) return false;
    start = end + 1;
  }
  return true;
}
