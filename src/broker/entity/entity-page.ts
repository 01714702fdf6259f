// A part of a list in the order of names: so many after the first so many.

import { type RefusalData, ServiceBusError } from '../service-bus-error.js';

export type Page = { readonly skip: number; readonly maxCount: number };

/** Throws argument-out-of-range. `path` names what the list is of; undefined: the namespace. */
export function checkPage({ skip, maxCount }: Page, what: string, path: string | undefined): void {
  if (maxCount >= 1 && skip >= 0) return;
  const text = `The ${what} to list are ${maxCount} after the first ${skip}; the number must be 1 or more, and none or more may be left out.`;
  throw new ServiceBusError('argument-out-of-range', text, {
    entityPath: path,
    ...mistakeIn({ skip, maxCount }),
  });
}

/** Which of the two numbers is too low. */
export function mistakeIn({ skip, maxCount }: Page): RefusalData {
  return maxCount >= 1
    ? { property: 'skip', value: skip, least: 0 }
    : { property: 'maxCount', value: maxCount, least: 1 };
}

export function pageOf<T>(all: readonly T[], { skip, maxCount }: Page): readonly T[] {
  return all.slice(skip, skip + maxCount);
}
