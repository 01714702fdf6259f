// What the timeline has and where it looks: the record, the span, and whether it moves with the time. It outlives the screen.

import { effect, signal } from '@preact/signals';
import { clock, isPaused, link, lostSince, onEvents, recentEvents } from '../../state/model.js';
import { spanFor, type Window, zoomed } from '../../state/timeline-axis.js';
import { parseTimelineFilter, type TimelineFilter } from '../../state/timeline-filter.js';
import { TimelineFollowing } from '../../state/timeline-following.js';
import { openHold } from '../../state/timeline-message.js';
import { TimelineRecord } from '../../state/timeline-record.js';

/** Batches above this size are what was missed, and came at once. */
const MOST_LIVE = 200;
const BACKLOG_MS = 1000;
/** The room right of the present, as a part of the span. */
const AHEAD = 0.04;

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

/** The present, as far as the view knows it: it stands still while the page is paused or has lost its emulator. */
export function present(): number {
  const still = [pausedAt.peek(), lookedAtSince.peek(), link.peek() === 'lost' ? lostSince.peek() : undefined];
  return Math.min(Date.now(), ...still.filter((each) => each !== undefined));
}

export function windowNow(): Window {
  const to = heldEnd.peek() ?? present() + span.peek() * AHEAD;
  return { from: to - span.peek(), to };
}

/** Reads along while the screen is shown. Returns a function that ends it. */
export function readAlong(): () => void {
  const begun = Date.now();
  const take = (events: Parameters<Parameters<typeof onEvents>[0]>[0], isOld: boolean) => {
    const first = recentEvents()[0]?.id ?? 0;
    if (record.lastId > 0 && first > 0 && (recentEvents().at(-1)?.id ?? 0) < record.lastId) restart();
    const now = Date.now();
    const isLive = !isOld && events.length <= MOST_LIVE && now - begun > BACKLOG_MS;
    const marks = record.add(events, now, { isLive, offsetMs: clock.peek()?.offsetMs ?? 0 });
    following.peek().add(marks);
    if (isPaused.peek()) newCount.value += marks.length;
    if (isFitted && following.peek().marks.at(-1) === marks.at(-1)) fit();
    if (marks.length > 0) changeCount.value += 1;
  };
  take(recentEvents(), true);
  const stops = [
    onEvents((events) => take(events, false)),
    effect(() => {
      pausedAt.value = isPaused.value ? (pausedAt.peek() ?? Date.now()) : undefined;
      if (!isPaused.value) newCount.value = 0;
      changeCount.value = changeCount.peek() + 1;
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** The emulator was started anew: its ids begin anew as well. */
function restart(): void {
  record.clear();
  following.value = new TimelineFollowing(following.peek().filter, record);
}

export function follow(text: string): void {
  const filter: TimelineFilter = parseTimelineFilter(text);
  following.value = new TimelineFollowing(filter, record);
  isFitted = filter.key !== 'none' && filter.problem === undefined;
  heldEnd.value = undefined;
  if (isFitted) fit();
  changeCount.value += 1;
}

/** Makes the view as wide as what is followed; what goes on for longer than the widest span has its end in view. */
export function fit(): void {
  const { marks, stays } = following.peek();
  const [first, last] = [marks[0], marks.at(-1)];
  if (first === undefined || last === undefined) return;
  const isGoingOn = [...stays].some((stay) => openHold(stay) !== undefined) && Date.now() - last.at < 2000;
  const until = isGoingOn ? present() : last.at;
  span.value = spanFor(until - first.at);
  const from = Math.max(first.at - span.value * AHEAD, until - span.value * (1 - AHEAD));
  heldEnd.value = from + span.value;
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
