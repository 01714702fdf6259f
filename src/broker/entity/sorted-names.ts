// Entities and rules by name, in any case the same (ENT-02, TOP-11), and in the order of their names whenever that is asked for.

import { nameKey } from './entity-path.js';

export class SortedNames<T> {
  readonly #byKey = new Map<string, T>();
  /** Made when it is asked for. */
  #sorted: readonly T[] | undefined;

  get size(): number {
    return this.#byKey.size;
  }

  find(name: string): T | undefined {
    return this.#byKey.get(nameKey(name));
  }

  /** In the order in which they came. */
  values(): IterableIterator<T> {
    return this.#byKey.values();
  }

  get sorted(): readonly T[] {
    this.#sorted ??= [...this.#byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
    return this.#sorted;
  }

  set(name: string, value: T): void {
    this.#byKey.set(nameKey(name), value);
    this.#sorted = undefined;
  }

  delete(name: string): void {
    if (this.#byKey.delete(nameKey(name))) this.#sorted = undefined;
  }
}
