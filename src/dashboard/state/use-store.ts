// The store of the page, as the components below it read it.

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Store } from './store.js';

export const StoreContext = createContext<Store | undefined>(undefined);

/** The store that `main.tsx` made, or a test. */
export function useStore(): Store {
  const store = useContext(StoreContext);
  if (store === undefined) throw new Error('no store was handed to this component');
  return store;
}
