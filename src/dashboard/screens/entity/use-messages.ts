// The messages of a list while it is shown: read as far as the view asks for, and again when something has happened to them.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { sayLookError } from '../../state/look-error.js';
import { parseFilter } from '../../state/message-filter.js';
import { isPaused, onEvents, openedCount } from '../../state/model.js';
import { MessagePages } from './message-pages.js';
import type { Row } from './message-row.js';
import { type Place, readPage } from './read-messages.js';

/** Messages that a filter looks at before it asks whether to go on. */
export const MOST_SCANNED = 20_000;
/** Rows behind the view that are read ahead. */
const AHEAD = 100;
const LEAST_PAUSE_MS = 400;
/** A look at a busy store costs the emulator time, so the page spends most of its own waiting. */
const PAUSE_FACTOR = 4;

export type View = { readonly first: number; readonly end: number };
export type Messages = {
  /** Undefined while nothing is read yet. */
  readonly pages: MessagePages<Row> | undefined;
  readonly problem: string | undefined;
  /** Whether the filter has stopped after so many messages. */
  readonly isStopped: boolean;
  readonly scanOn: () => void;
  readonly refresh: () => Promise<void>;
};

type Question = { readonly place: Place; readonly filterText: string; readonly start: number };

export function useMessages({ place, filterText, start }: Question, view: View): Messages {
  const { path, tab } = place;
  const [pages, setPages] = useState<MessagePages<Row>>();
  const [problem, setProblem] = useState<string>();
  const [mostSeen, setMostSeen] = useState(MOST_SCANNED);
  const [, draw] = useState(0);
  const seenView = useRef(view);
  seenView.current = view;
  const filter = useMemo(() => parseFilter(filterText), [filterText]);
  const opened = openedCount.value;

  useEffect(() => {
    const ending = new AbortController();
    const read = (from: number, before: number | undefined) =>
      readPage({ path, tab }, filter, { from, before }, ending.signal);
    const next = new MessagePages<Row>(read, start, redrawer(draw));
    setMostSeen(MOST_SCANNED);
    next.readOn().then(
      () => {
        setProblem(undefined);
        setPages(next);
      },
      (error: unknown) => {
        if (ending.signal.aborted) return;
        // The rows of before are those of another filter, or of an emulator that has gone.
        setPages(undefined);
        setProblem(error instanceof Error ? error.message : String(error));
      },
    );
    return () => {
      next.end();
      ending.abort();
    };
  }, [path, tab, filter, start, opened]);

  const isFiltered = filter.terms.length > 0;
  const isWanted =
    pages !== undefined &&
    !pages.isComplete &&
    !pages.isHeld &&
    (isFiltered ? pages.seen < mostSeen : view.end + AHEAD > pages.count);
  useEffect(() => {
    if (isWanted) pages.readOn().catch(sayLookError);
    pages?.fill(view.first, view.end).catch(sayLookError);
  });
  const refresh = useRefreshing(pages, path, tab === 'locked', seenView);
  return {
    pages,
    problem,
    refresh,
    isStopped: isFiltered && pages !== undefined && !pages.isComplete && pages.seen >= mostSeen,
    scanOn: () => setMostSeen((pages?.seen ?? 0) + MOST_SCANNED),
  };
}

/** Reads what is in view again when events name the entity, with pauses. Returns a function that does so now. */
function useRefreshing(
  pages: MessagePages<Row> | undefined,
  path: string,
  admitsAll: boolean,
  view: { readonly current: View },
): () => Promise<void> {
  const look = async () => {
    if (pages === undefined) return;
    const { first, end } = view.current;
    // Rows behind the last one in view move nothing.
    const isEndInView = end >= pages.count;
    await pages.refresh(first, end, (_, isLast) => admitsAll || (isLast && isEndInView));
  };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isEnded = false;
    const refreshSoon = (pauseMs: number) => {
      timer ??= setTimeout(async () => {
        const startedAt = performance.now();
        if (!isPaused.peek()) await look().catch(sayLookError);
        timer = undefined;
        pause = Math.max(LEAST_PAUSE_MS, (performance.now() - startedAt) * PAUSE_FACTOR);
        if (isDirty && !isEnded) {
          isDirty = false;
          refreshSoon(pause);
        }
      }, pauseMs);
    };
    let pause = LEAST_PAUSE_MS;
    let isDirty = false;
    const stop = onEvents((events) => {
      if (document.visibilityState !== 'visible' || !events.some((event) => isOf(event.path, path))) return;
      if (timer === undefined) refreshSoon(pause);
      else isDirty = true;
    });
    const seenAgain = () => {
      if (document.visibilityState === 'visible') refreshSoon(0);
    };
    document.addEventListener('visibilitychange', seenAgain);
    const stopWaiting = isPaused.subscribe((paused) => {
      if (!paused) refreshSoon(0);
    });
    return () => {
      isEnded = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', seenAgain);
      stop();
      stopWaiting();
    };
  }, [pages, path, admitsAll]);
  return look;
}

function isOf(given: string | undefined, path: string): boolean {
  return given === path || given?.startsWith(`${path}/`) === true;
}

/** Draws once a frame at most. */
function redrawer(draw: (change: (count: number) => number) => void): () => void {
  let isPending = false;
  return () => {
    if (isPending) return;
    isPending = true;
    requestAnimationFrame(() => {
      isPending = false;
      draw((count) => count + 1);
    });
  };
}
