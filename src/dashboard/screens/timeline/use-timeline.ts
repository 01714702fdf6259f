// The messages and steps that the timeline shows, as they come, and the present.

import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { PageEvent } from '../../state/page-event.js';
import { useStore } from '../../state/use-store.js';
import { matchesFilter, matchesStep, parseTimelineFilter, type TimelineFilter } from './timeline-filter.js';
import { type TimelineMessage, TimelineMessages, type TimelineStep } from './timeline-messages.js';

/** Events that wait for the end of a pause; older ones are given up. */
const MAX_WAITING = 20_000;

/** The rest after a drawing, as a multiple of the time that it took, and at most. */
const REST_FACTOR = 3;
const MOST_REST_MS = 500;

export type Timeline = {
  readonly filter: TimelineFilter;
  /** In the order of their arrival. */
  readonly messages: readonly TimelineMessage[];
  readonly steps: readonly TimelineStep[];
  /** Messages in the record, shown or not, and the time of its first step. */
  readonly messageCount: number;
  readonly since: string | undefined;
  readonly droppedCount: number;
  /** Steps of the filter since the page was paused. */
  readonly waitingCount: number;
  readonly pausedAt: number | undefined;
  /** The broker's present, as the page knows it. */
  readonly now: number;
};

type Waiting = { events: PageEvent[]; count: number; since: number | undefined };

/** Reads along while the screen is shown. */
export function useTimeline(filterText: string): Timeline {
  const store = useStore();
  const record = useMemo(() => new TimelineMessages(), []);
  const filter = useMemo(() => parseTimelineFilter(filterText), [filterText]);
  const [version, setVersion] = useState(0);
  const [waiting] = useState<Waiting>(() => ({ events: [], count: 0, since: undefined }));
  const paused = store.isPaused.value;
  useLayoutEffect(() => {
    const isKept = (message: TimelineMessage) => filter.key !== 'none' && matchesFilter(filter, message);
    const pace = new DrawingPace(() => setVersion((last) => last + 1));
    const draw = () => pace.draw();
    const countOf = (events: readonly PageEvent[]) =>
      record.countSteps(events, (step) => matchesStep(filter, step));
    if (!paused) {
      if (record.steps.length === 0) waiting.events = [...store.recentEvents()];
      record.add(waiting.events, isKept);
      waiting.events = [];
    }
    waiting.count = countOf(waiting.events);
    waiting.since = paused ? Date.now() : undefined;
    draw();
    const stops = [
      store.onEvents((events) => {
        if (paused) {
          waiting.events = [...waiting.events, ...events].slice(-MAX_WAITING);
          waiting.count += countOf(events);
        } else record.add(events, isKept);
        draw();
      }),
      store.onRestart(() => {
        record.clear();
        waiting.events = [];
        waiting.count = 0;
        draw();
      }),
    ];
    return () => {
      pace.end();
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
      waitingCount: waiting.count,
      pausedAt: waiting.since,
      now: Math.max(
        record.lastAt,
        Math.min(waiting.since ?? Number.POSITIVE_INFINITY, store.brokerNow.value),
      ),
    };
  }, [version, filter, store.brokerNow.value, paused]);
}

/** Draws at once, and then as often as leaves the page most of its time for other things. */
class DrawingPace {
  readonly #act: () => void;
  #restUntil = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(act: () => void) {
    this.#act = act;
  }

  draw(): void {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        const begun = performance.now();
        this.#restUntil = Number.POSITIVE_INFINITY;
        this.#act();
        // The page itself is drawn before the task that follows the next frame.
        requestAnimationFrame(() =>
          setTimeout(() => {
            const ended = performance.now();
            this.#restUntil = ended + (ended - begun) * REST_FACTOR;
          }),
        );
      },
      Math.max(0, Math.min(MOST_REST_MS, this.#restUntil - performance.now())),
    );
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
