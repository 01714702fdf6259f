// An answer of the control interface that a component asks for again and again while somebody sees it.

import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type Polled, Polling } from './polling.js';
import { useStore } from './use-store.js';

type PolledOptions = {
  /** Milliseconds from an answer to the next request. Without it the path is asked once, and after each reconnection. */
  readonly every?: number;
  /** Nothing is asked while this is false. */
  readonly when?: boolean;
};

/**
 * Asks at once, and then as often as `every` says while the tab is visible, the page is not paused and the emulator answers. The path
 * may have a query (`pathOf`); undefined asks nothing. An error is the screen's to show: the last value stays.
 */
export function usePolled<Answer>(
  path: string | undefined,
  { every, when = true }: PolledOptions = {},
): Polled<Answer> & { readonly refresh: () => Promise<void> } {
  const store = useStore();
  const isWanted = useRef(when);
  isWanted.current = when;
  const polling = useMemo(
    () =>
      new Polling<Answer>(
        (signal) => (path === undefined ? new Promise(() => {}) : store.read<Answer>(path, signal)),
        { every: () => every, isOn: () => isWanted.current && store.isSeenLive() },
      ),
    [path, every, store],
  );
  useEffect(() => () => polling.end(), [polling]);
  const reconnections = store.openedCount.value;
  useEffect(() => {
    if (when && path !== undefined) polling.refresh();
  }, [polling, when, reconnections]);
  const { value, error, isStale } = polling.state.value;
  return {
    value,
    error,
    isStale: isStale || (value !== undefined && store.link.value === 'lost'),
    refresh: () => polling.refresh(),
  };
}
