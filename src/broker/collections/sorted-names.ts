// A map of entities or rules by case-insensitive name (ENT-02, TOP-11), with sorted lists.

import { nameKey } from '../contract/entities/entity-path.js';

export class SortedNames<T> {
  readonly #byKey = new Map<string, T>();
  readonly #keyOf: (name: string) => string;
  /** Built on demand. */
  #sorted: readonly T[] | undefined;

  constructor(keyOf: (name: string) => string = nameKey) {
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#byKey.size;
  }

  find(name: string): T | undefined {
    return this.#byKey.get(this.#keyOf(name));
  }

  /** In insertion order, until `reorder` gives another. */
  values(): IterableIterator<T> {
    return this.#byKey.values();
  }

  get sorted(): readonly T[] {
    this.#sorted ??= [...this.#byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
    return this.#sorted;
  }

  reorder(compare: (a: T, b: T) => number): void {
    const inOrder = [...this.#byKey].sort(([, a], [, b]) => compare(a, b));
    this.#byKey.clear();
    for (const [key, value] of inOrder) this.#byKey.set(key, value);
  }

  set(name: string, value: T): void {
    this.#byKey.set(this.#keyOf(name), value);
    this.#sorted = undefined;
  }

  delete(name: string): void {
    if (this.#byKey.delete(this.#keyOf(name))) this.#sorted = undefined;
  }
}
