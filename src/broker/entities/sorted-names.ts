// A map of entities or rules by case-insensitive name (ENT-02, TOP-11), with sorted lists and pages of these lists.

import { type RefusalData, ServiceBusError } from '../service-bus-error.js';
import { nameKey } from './entity-path.js';

export class SortedNames<T> {
  readonly #byKey = new Map<string, T>();
  /** Built on demand. */
  #sorted: readonly T[] | undefined;

  get size(): number {
    return this.#byKey.size;
  }

  find(name: string): T | undefined {
    return this.#byKey.get(nameKey(name));
  }

  /** In insertion order, or in that of `reorder`. */
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
    this.#byKey.set(nameKey(name), value);
    this.#sorted = undefined;
  }

  delete(name: string): void {
    if (this.#byKey.delete(nameKey(name))) this.#sorted = undefined;
  }
}

/** A page of a list sorted by case-insensitive name: skips the first `skip`, returns up to `maxCount`. */
export type EntityPage = { readonly skip: number; readonly maxCount: number };

/** Throws argument-out-of-range. `path` is the entity whose children are listed; undefined: the namespace. */
export function checkPage({ skip, maxCount }: EntityPage, what: string, path: string | undefined): void {
  if (maxCount >= 1 && skip >= 0) return;
  const text = `The ${what} to list are ${maxCount} after the first ${skip}; the number must be 1 or more, and none or more may be left out.`;
  throw new ServiceBusError('argument-out-of-range', text, {
    entityPath: path,
    ...refusedPageField({ skip, maxCount }),
  });
}

/** Names which of the two numbers is too low. */
export function refusedPageField({ skip, maxCount }: EntityPage): RefusalData {
  return maxCount >= 1
    ? { property: 'skip', value: skip, least: 0 }
    : { property: 'maxCount', value: maxCount, least: 1 };
}

export function pageOf<T>(all: readonly T[], { skip, maxCount }: EntityPage): readonly T[] {
  return all.slice(skip, skip + maxCount);
}
