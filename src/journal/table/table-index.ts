// The rows that LevelDB has, as far as writing needs to know them without reading: their seals, and the rows of each page.

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

  /** Undefined when there is no such page. */
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

  /** Whether the page keeps rows that these changes do not touch, so that it must be read to be written. */
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
