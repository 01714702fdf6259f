// A set of ids that were counted up, such as contents: one bit each.

const PAGE_IDS = 8192;

export class IdSet {
  readonly #pages = new Map<number, Uint8Array>();

  add(id: number): void {
    const number = Math.floor(id / PAGE_IDS);
    let page = this.#pages.get(number);
    if (page === undefined) {
      page = new Uint8Array(PAGE_IDS / 8);
      this.#pages.set(number, page);
    }
    const bit = id % PAGE_IDS;
    page[bit >> 3] = (page[bit >> 3] as number) | (1 << (bit & 7));
  }

  has(id: number): boolean {
    const page = this.#pages.get(Math.floor(id / PAGE_IDS));
    const bit = id % PAGE_IDS;
    return page !== undefined && ((page[bit >> 3] as number) & (1 << (bit & 7))) !== 0;
  }

  /** Yields the ids. */
  *[Symbol.iterator](): Generator<number> {
    for (const [number, page] of this.#pages) {
      for (let bit = 0; bit < PAGE_IDS; bit++) {
        if (((page[bit >> 3] as number) & (1 << (bit & 7))) !== 0) yield number * PAGE_IDS + bit;
      }
    }
  }
}
