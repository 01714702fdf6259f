// The messages and steps that the timeline shows, as they come, and the present.

import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { PageEvent } from '../../state/page-event.js';
import type { Store } from '../../state/store.js';
import { useStore } from '../../state/use-store.js';
import { matchesFilter, matchesStep, parseTimelineFilter, type TimelineFilter } from './timeline-filter.js';
import { type TimelineMessage, TimelineMessages, type TimelineStep } from './timeline-messages.js';

/** Events that wait for the end of a pause; older ones are given up. */
const MAX_WAITING = 20_000;

export type Timeline = {
  readonly filter: TimelineFilter;
  /** In the order of their arrival. */
  readonly messages: readonly TimelineMessage[];
  readonly steps: readonly TimelineStep[];
  /** Messages in the record, shown or not, and the time of its first step. */
  readonly messageCount: number;
  readonly since: string | undefined;
  readonly droppedCount: number;
  /** Steps since the page was paused. */
  readonly waitingCount: number;
  readonly pausedAt: number | undefined;
  /** The broker's present, as the page knows it. */
  readonly now: number;
};

/** Reads along while the screen is shown. */
export function useTimeline(filterText: string): Timeline {
  const store = useStore();
  const record = useMemo(() => new TimelineMessages(), []);
  const filter = useMemo(() => parseTimelineFilter(filterText), [filterText]);
  const [version, setVersion] = useState(0);
  const [waiting] = useState<{ events: PageEvent[]; since: number | undefined }>(() => ({
    events: [],
    since: undefined,
  }));
  const paused = store.isPaused.value;
  useLayoutEffect(() => {
    const isKept = (message: TimelineMessage) => filter.key !== 'none' && matchesFilter(filter, message);
    const draw = () => setVersion((last) => last + 1);
    if (!paused) {
      if (record.steps.length === 0) waiting.events = [...store.recentEvents()];
      record.add(waiting.events, isKept);
      waiting.events = [];
    }
    waiting.since = paused ? Date.now() : undefined;
    draw();
    const stops = [
      store.onEvents((events) => {
        if (!paused) record.add(events, isKept);
        else waiting.events = [...waiting.events, ...events].slice(-MAX_WAITING);
        draw();
      }),
      store.onRestart(() => {
        record.clear();
        waiting.events = [];
        draw();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [store, record, filter, paused]);
  return useMemo(() => {
    const isAll = filter.key === 'none';
    return {
      filter,
      messages: isAll ? record.messages : record.messages.filter((message) => matchesFilter(filter, message)),
      steps: isAll ? record.steps : record.steps.filter((step) => matchesStep(filter, step)),
      messageCount: record.messages.length,
      since: record.steps[0]?.event.time,
      droppedCount: isAll ? record.droppedCount : 0,
      waitingCount: waiting.events.length,
      pausedAt: waiting.since,
      now: presentOf(store, { pausedAt: waiting.since, lastAt: record.lastAt }),
    };
  }, [version, filter, store.now.value, paused]);
}

/** The present stands still while the page is paused, has lost its emulator, or the broker's clock is frozen. */
function presentOf(
  { clock, link, lostSince }: Store,
  { pausedAt, lastAt }: { readonly pausedAt: number | undefined; readonly lastAt: number },
): number {
  const { mode = 'real', offsetMs = 0 } = clock.value ?? {};
  if (mode === 'frozen') return lastAt;
  const machine = pausedAt ?? (link.value === 'lost' ? lostSince.value : undefined) ?? Date.now();
  return Math.max(lastAt, machine + offsetMs);
}
