// The messages of a list while it is shown: read as far as the view asks for, and again when something has happened to them.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { errorText } from '../../state/notices.js';
import { useStore } from '../../state/use-store.js';
import { type Row, rowOf } from './message-row.js';
import { MessageRows, MOST_SORTED } from './message-rows.js';
import { type MessagesPage, type Order, type Place, pageOf } from './read-messages.js';

/** Messages that a filter looks at before it asks whether to go on. */
export const MOST_SCANNED = 20_000;
/** Rows behind the view that are read ahead. */
const AHEAD = 100;
/** The pause after a refresh, and how many times as long as the refresh it is: a busy store costs the emulator time. */
const LEAST_PAUSE_MS = 400;
const PAUSE_FACTOR = 4;

type View = { readonly first: number; readonly end: number };
export type Messages = {
  /** Undefined while nothing is read yet. */
  readonly rows: MessageRows<Row> | undefined;
  readonly problem: string | undefined;
  /** Whether the filter has stopped after so many messages. */
  readonly isStopped: boolean;
  readonly scanOn: () => void;
  readonly refresh: () => Promise<void>;
};

type Question = { readonly place: Place; readonly filter: string; readonly order: Order };

export function useMessages({ place: { path, tab }, filter, order }: Question, view: View): Messages {
  const store = useStore();
  const { openedCount, notices } = store;
  const [rows, setRows] = useState<MessageRows<Row>>();
  const [problem, setProblem] = useState<string>();
  const [mostScanned, setMostScanned] = useState(MOST_SCANNED);
  const draw = useRedraw();
  const opened = openedCount.value;
  // With the drawing, so that no key acts on rows of the list before.
  useLayoutEffect(() => {
    const ending = new AbortController();
    const next = new MessageRows<Row>({
      order,
      read: (from) => store.read<MessagesPage>(pageOf({ path, tab }, { filter, order, from }), ending.signal),
      toRow: rowOf,
      changed: draw,
    });
    setMostScanned(MOST_SCANNED);
    next.readOn().then(
      () => {
        setProblem(undefined);
        setRows(next);
      },
      (error: unknown) => {
        if (ending.signal.aborted) return;
        // The rows of before are those of another filter, or of an emulator that has gone.
        setRows(undefined);
        setProblem(errorText(error));
      },
    );
    return () => {
      next.end();
      ending.abort();
    };
  }, [path, tab, filter, order, opened]);

  const isFiltered = filter !== '';
  const isWanted =
    rows !== undefined &&
    !rows.isComplete &&
    !rows.isFull &&
    (view.end + AHEAD > rows.count || rows.totalCount <= MOST_SORTED) &&
    (!isFiltered || rows.scannedCount < mostScanned);
  useEffect(() => {
    if (isWanted) rows.readOn().catch((error: unknown) => notices.showReadError(error));
  });
  return {
    rows,
    problem,
    refresh: useRefreshing(rows, path, view),
    isStopped: isFiltered && rows !== undefined && !rows.isComplete && rows.scannedCount >= mostScanned,
    scanOn: () => setMostScanned((rows?.scannedCount ?? 0) + MOST_SCANNED),
  };
}

/** Reads what is in view again when events name the entity, with pauses. Returns a function that does so now. */
function useRefreshing(rows: MessageRows<Row> | undefined, path: string, view: View): () => Promise<void> {
  const store = useStore();
  const drawn = useRef({ rows, view });
  drawn.current = { rows, view };
  const refresh = async () => {
    const { rows, view } = drawn.current;
    await rows?.refresh(view.first, view.end);
  };
  // With the drawing, in which the first page is asked for: an event in between would be only counted.
  useLayoutEffect(() => {
    let isChanged = false;
    let timer: ReturnType<typeof setTimeout>;
    const stop = store.onEvents((events) => {
      isChanged ||= events.some((event) => event.path === path || event.path?.startsWith(`${path}/`));
    }, path);
    const wait = (ms: number) => {
      timer = setTimeout(async () => {
        const startedAt = performance.now();
        if (isChanged && drawn.current.rows?.isEnded === false && store.isSeenLive()) {
          isChanged = false;
          await refresh().catch((error: unknown) => store.notices.showReadError(error));
        }
        if (!isEnded) wait(Math.max(LEAST_PAUSE_MS, (performance.now() - startedAt) * PAUSE_FACTOR));
      }, ms);
    };
    let isEnded = false;
    wait(LEAST_PAUSE_MS);
    return () => {
      isEnded = true;
      clearTimeout(timer);
      stop();
    };
  }, [path]);
  return refresh;
}

/** Returns a function that draws the component once a frame at most. */
function useRedraw(): () => void {
  const [, draw] = useState(0);
  const isPending = useRef(false);
  return () => {
    if (isPending.current) return;
    isPending.current = true;
    requestAnimationFrame(() => {
      isPending.current = false;
      draw((count) => count + 1);
    });
  };
}
