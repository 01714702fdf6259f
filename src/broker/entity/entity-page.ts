// A part of a list in the order of names: so many after the first so many.

import { ServiceBusError } from '../service-bus-error.js';

export type Page = { readonly skip: number; readonly maxCount: number };

/** Throws argument-out-of-range. `path` names what the list is of; undefined: the namespace. */
export function checkPage({ skip, maxCount }: Page, what: string, path: string | undefined): void {
  if (maxCount >= 1 && skip >= 0) return;
  const text = `The ${what} to list are ${maxCount} after the first ${skip}; the number must be 1 or more, and none or more may be left out.`;
  throw new ServiceBusError('argument-out-of-range', text, path);
}

export function pageOf<T>(all: readonly T[], { skip, maxCount }: Page): readonly T[] {
  return all.slice(skip, skip + maxCount);
}
