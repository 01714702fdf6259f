// Facts about the rows in LevelDB that writing needs without reading them: their seals, and which rows each page has.

import type { Totals } from './mark.js';
import type { PageChanges } from './page.js';
import type { RowSet } from './row-set.js';

const CHECKSUM_RANGE = 2 ** 48;

type PageEntry = { readonly seal: number; readonly rows: RowSet };

export class TableIndex {
  readonly #seals = new Map<string, number>();
  readonly #pages = new Map<string, PageEntry>();
  #checksum = 0;

  get totals(): Totals {
    return { count: this.#seals.size + this.#pages.size, checksum: this.#checksum };
  }

  hasRow(key: string): boolean {
    return this.#seals.has(key);
  }

  putRow(key: string, seal: number): void {
    this.#count(seal, this.#seals.get(key));
    this.#seals.set(key, seal);
  }

  deleteRow(key: string): void {
    this.#count(0, this.#seals.get(key));
    this.#seals.delete(key);
  }

  /** Undefined if there is no such page. */
  page(key: string): PageEntry | undefined {
    return this.#pages.get(key);
  }

  putPage(key: string, page: PageEntry): void {
    this.#count(page.seal, this.#pages.get(key)?.seal);
    this.#pages.set(key, page);
  }

  deletePage(key: string): void {
    this.#count(0, this.#pages.get(key)?.seal);
    this.#pages.delete(key);
  }

  /** Whether the page has rows that these changes do not touch. Then it must be read before it is written. */
  keepsRows(key: string, changes: PageChanges): boolean {
    const rows = this.#pages.get(key)?.rows;
    if (rows === undefined) return false;
    let changed = 0;
    for (const index of changes.keys()) if (rows.has(index)) changed += 1;
    return changed < rows.size;
  }

  #count(seal: number, earlier = 0): void {
    this.#checksum = (this.#checksum + seal - earlier + CHECKSUM_RANGE) % CHECKSUM_RANGE;
  }
}
