// A page: up to 100 messages or message-ids with neighbouring numbers in one row of LevelDB, because reading and writing one large row
// takes a quarter of the time of many small ones. Its text has one line for each row: two digits, then the row's text.

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { RowChange } from '../log/record.js';
import { indexInPage, isPagedKey, pageKeyOf } from './rows/keys.js';

/** The text of each changed row; undefined for a deleted one. The changes come from the log beyond the mark, or from a flush. */
export type RowChanges = ReadonlyMap<string, string | undefined>;

/** The changes to the rows of one page, by their last two digits. */
export type PageChanges = Map<number, string | undefined>;

const INDEX_DIGITS = 2;

/** One turn of the event loop groups so many changes by page, which takes 3 ms. */
const PIECE_COUNT = 10_000;

/** Changes grouped by the keys of their pages; changes to rows without a page are separate. The last change of a row counts. */
export class GroupedChanges {
  readonly rows = new Map<string, string | undefined>();
  /** May have pages without changes. */
  readonly pages = new Map<string, PageChanges>();
  #prefix = '';
  #page: PageChanges | undefined;

  constructor(changes: Iterable<RowChange> = []) {
    for (const row of changes) this.add(row);
  }

  /** Groups many changes in pieces; other work can run between two pieces. */
  static async inPieces(changes: RowChanges): Promise<GroupedChanges> {
    const grouped = new GroupedChanges();
    let count = 0;
    for (const row of changes) {
      grouped.add(row);
      count += 1;
      if (count % PIECE_COUNT === 0) await yieldToEventLoop();
    }
    return grouped;
  }

  get isEmpty(): boolean {
    return this.rows.size === 0 && [...this.pages.values()].every(({ size }) => size === 0);
  }

  /** The text of the row after the changes; undefined if the row is deleted or not among them. */
  textOf([key, , pageStart, index]: RowChange): string | undefined {
    const page = this.#pageWith(key, pageStart);
    return page === undefined ? this.rows.get(key) : page.get(index ?? indexInPage(key));
  }

  add([key, text, pageStart, index]: RowChange): void {
    const page = this.#pageWith(key, pageStart);
    if (page === undefined) this.rows.set(key, text);
    else page.set(index ?? indexInPage(key), text);
  }

  /** Forgets the change to this row. */
  drop([key, , pageStart, index]: RowChange): void {
    const page = this.#pageWith(key, pageStart);
    if (page === undefined) this.rows.delete(key);
    else page.delete(index ?? indexInPage(key));
  }

  /** The changes of the page with this row; undefined for a row without a page. */
  #pageWith(key: string, pageStart: string | undefined): PageChanges | undefined {
    // Most rows are in the same page as the row before.
    const isSame = pageStart === undefined ? key.startsWith(this.#prefix) : pageStart === this.#prefix;
    if (this.#page !== undefined && isSame) return this.#page;
    this.#page = isPagedKey(key) ? this.#pageOf(pageKeyOf(key)) : undefined;
    this.#prefix = pageStart ?? key.slice(0, -INDEX_DIGITS);
    return this.#page;
  }

  #pageOf(key: string): PageChanges {
    let page = this.pages.get(key);
    if (page === undefined) {
      page = new Map();
      this.pages.set(key, page);
    }
    return page;
  }
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
 * Calls `visit` with the bounds of each row within the text. Returns false at the first line without two digits, or if `visit` returns
 * false.
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
