// A page of a sorted list of entities or rules: which part of the list it has, and when that is refused.

import { type RefusalData, ServiceBusError } from '../service-bus-error.js';

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
