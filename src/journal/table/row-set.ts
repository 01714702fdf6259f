// The set of rows that exist among the 100 of a page. There is one for each page in memory, so it is only four small numbers.

const BITS = 25;

export class RowSet {
  readonly #words = [0, 0, 0, 0];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(index: number): boolean {
    return ((this.#words[Math.floor(index / BITS)] ?? 0) & (1 << (index % BITS))) !== 0;
  }

  add(index: number): void {
    if (!this.has(index)) this.#flip(index, 1);
  }

  delete(index: number): void {
    if (this.has(index)) this.#flip(index, -1);
  }

  #flip(index: number, change: 1 | -1): void {
    const word = Math.floor(index / BITS);
    this.#words[word] = (this.#words[word] ?? 0) ^ (1 << (index % BITS));
    this.#size += change;
  }
}
