// The record of the timeline, and the part of it in view: its end, its span, and whether it moves with the time. Both outlive the screen.

import { effect, signal, untracked } from '@preact/signals';
import {
  clock,
  isPaused,
  link,
  lostSince,
  now,
  onEvents,
  onRestart,
  recentEvents,
} from '../../state/model.js';
import { spanFor, type Window, zoomed } from './timeline-axis.js';
import { parseTimelineFilter, type TimelineFilter } from './timeline-filter.js';
import { TimelineFollowing } from './timeline-following.js';
import { openHold } from './timeline-message.js';
import { TimelineRecord } from './timeline-record.js';

/** Batches above this size are what was missed, and came at once. */
const MOST_LIVE = 200;
const BACKLOG_MS = 1000;
/** The room right of the present, as a part of the span. */
const AHEAD = 0.04;
const MARGIN = 0.01;
const ROOM_TO_GROW = 1.25;

export const record = new TimelineRecord();
export const following = signal(new TimelineFollowing(parseTimelineFilter(''), record));
export const span = signal(10_000);
/** The right edge while the view stands still; undefined while it moves with the time. */
export const heldEnd = signal<number | undefined>(undefined);
/** Grows with each change that must be drawn. */
export const changeCount = signal(0);
/** Marks that came since the page was paused. */
export const newCount = signal(0);
/** Since when somebody looks at a token, which must not run away. */
export const lookedAtSince = signal<number | undefined>(undefined);
export const pausedAt = signal<number | undefined>(undefined);
/** Whether the view is as wide as what is followed. */
let isFitted = false;
/** The span before the view was fitted. */
let chosenSpan: number | undefined;

/** The present, as far as the view knows it: it stands still while the page is paused or has lost its emulator. */
export function present(): number {
  const still = [
    pausedAt.peek(),
    lookedAtSince.peek(),
    link.peek() === 'lost' ? lostSince.peek() : undefined,
  ];
  return Math.min(Date.now(), ...still.filter((each) => each !== undefined));
}

/** Whether the present stands still. */
export function isStanding(): boolean {
  return pausedAt.peek() !== undefined || lookedAtSince.peek() !== undefined || link.peek() === 'lost';
}

export function windowNow(): Window {
  const to = heldEnd.peek() ?? present() + span.peek() * AHEAD;
  return { from: to - span.peek(), to };
}

/** Reads along while the screen is shown. Returns a function that ends it. */
export function readAlong(): () => void {
  const begun = Date.now();
  const take = (events: Parameters<Parameters<typeof onEvents>[0]>[0], isOld: boolean) => {
    const at = Date.now();
    const isLive = !isOld && events.length <= MOST_LIVE && at - begun > BACKLOG_MS;
    const marks = record.add(events, at, { isLive, offsetMs: clockOffset(isLive) });
    following.peek().add(marks);
    if (isPaused.peek() && !isOld) newCount.value += marks.length;
    if (isPaused.peek() || marks.length === 0) return;
    if (isFitted) fitView();
    changeCount.value += 1;
  };
  take(recentEvents(), true);
  const stops = [
    onEvents((events) => take(events, false)),
    effect(() => {
      if (now.value > 0 && isFitted && !isPaused.peek()) untracked(fitView);
    }),
    effect(() => {
      pausedAt.value = isPaused.value ? (pausedAt.peek() ?? Date.now()) : undefined;
      if (isPaused.value) return;
      newCount.value = 0;
      if (isFitted) fitView();
      changeCount.value = changeCount.peek() + 1;
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** The time that a clock that is set adds. An event that comes while it is frozen has the time at which it comes. */
function clockOffset(isLive: boolean): number {
  const set = clock.peek();
  return isLive && set?.mode === 'frozen' ? Number.NEGATIVE_INFINITY : (set?.offsetMs ?? 0);
}

// The ids of events begin anew with the emulator.
onRestart(() => {
  record.clear();
  following.value = new TimelineFollowing(following.peek().filter, record);
});

export function follow(text: string): void {
  const filter: TimelineFilter = parseTimelineFilter(text);
  following.value = new TimelineFollowing(filter, record);
  isFitted = filter.key !== 'none' && filter.problem === undefined;
  heldEnd.value = undefined;
  span.value = chosenSpan ?? span.value;
  chosenSpan = undefined;
  if (isFitted) fitView();
  changeCount.value += 1;
}

/**
 * Makes the view as wide as what is followed, which may still be held, and wider as it goes on; what lasts for longer than the
 * widest span has its end in view.
 */
export function fitView(): void {
  const { marks, stays } = following.peek();
  const [first, last] = [marks[0], marks.at(-1)];
  if (first === undefined || last === undefined) return;
  const isGoingOn = [...stays].some((stay) => openHold(stay) !== undefined);
  const until = isGoingOn ? present() : last.at;
  const { from, to } = windowNow();
  if (heldEnd.peek() !== undefined && from <= first.at && until <= to - span.peek() * MARGIN) return;
  chosenSpan ??= span.peek();
  span.value = spanFor((until - first.at) * (isGoingOn ? ROOM_TO_GROW : 1));
  const begin = Math.max(first.at - span.value * AHEAD, until - span.value * (1 - AHEAD));
  heldEnd.value = begin + span.value;
  changeCount.value += 1;
}

export function goLive(): void {
  isFitted = false;
  heldEnd.value = undefined;
  changeCount.value += 1;
}

/** Moves the view by a part of its span; behind the present it is live again. */
export function moveBy(part: number): void {
  isFitted = false;
  const to = windowNow().to + part * span.peek();
  const latest = present() + span.peek() * AHEAD;
  heldEnd.value = to >= latest ? undefined : Math.max(to, (record.steps.oldest ?? latest) + span.peek() / 2);
  changeCount.value += 1;
}

/** Shows another span around the middle of the view; a live one stays live. */
export function showSpan(next: number): void {
  isFitted = false;
  chosenSpan = undefined;
  const middle = heldEnd.peek() === undefined ? undefined : (heldEnd.peek() ?? 0) - span.peek() / 2;
  span.value = next;
  if (middle !== undefined) heldEnd.value = middle + next / 2;
  if ((heldEnd.peek() ?? 0) > present() + next * AHEAD) heldEnd.value = undefined;
  changeCount.value += 1;
}

export function zoom(direction: 1 | -1): void {
  showSpan(zoomed(span.peek(), direction));
}

/** Has the last thing that happened in view. */
export function showLast(): void {
  const last = record.marks.at(-1)?.at;
  isFitted = false;
  if (last !== undefined) heldEnd.value = last + span.peek() * 0.2;
  changeCount.value += 1;
}
