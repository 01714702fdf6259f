// How each tab is listed: its order and its columns, as this browser keeps them.

import { useState } from 'preact/hooks';
import type { Order } from './read-messages.js';
import { isDeadTab, type MessageTab } from './tabs.js';

const KEY = 'jitney-lists';

/** The name of a column, and its direction. */
export type SortBy = { readonly name: string; readonly isDescending: boolean };

type ListSettings = {
  readonly order: Order;
  /** Undefined: by number. */
  readonly sort: SortBy | undefined;
  /** The names of the columns; undefined: as many as there is room for. */
  readonly columns: readonly string[] | undefined;
};
type Kept = Readonly<Partial<Record<MessageTab, Partial<ListSettings>>>>;

export function useListSettings(
  tab: MessageTab,
): readonly [settings: ListSettings, change: (change: Partial<ListSettings>) => void] {
  const [kept, setKept] = useState(readKept);
  // The newest dead letter is the one that somebody looks for.
  const order = isDeadTab(tab) ? 'newest' : 'oldest';
  const settings = { order, sort: undefined, columns: undefined, ...kept[tab] } as const;
  const change = (changed: Partial<ListSettings>) => {
    const next = { ...kept, [tab]: { ...kept[tab], ...changed } };
    setKept(next);
    try {
      localStorage.setItem(KEY, JSON.stringify(next));
    } catch {
      // A browser that keeps nothing shows the list all the same.
    }
  };
  return [settings, change];
}

function readKept(): Kept {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return typeof kept === 'object' && kept !== null ? kept : {};
  } catch {
    return {};
  }
}
