// The time axis of the timeline: which stretch of time is shown, where its marks stand, and where the bars of a message are.

import { timeText } from '../../state/format.js';
import type { Span, TimelineMessage } from './timeline-messages.js';

/** Begin and end in milliseconds since 1970. */
export type Stretch = { readonly from: number; readonly to: number };
/** A stretch drawn on so many pixels, and the present. */
export type Scale = { readonly stretch: Stretch; readonly width: number; readonly now: number };
type AxisMark = { readonly x: number; readonly text: string };
type Bar = { readonly span: Span; readonly left: number; readonly width: number };
/** `outside`: the message is wholly before or after the stretch. */
type Bars = {
  readonly bars: readonly Bar[];
  /** Where the word of its end stands. */
  readonly endLeft: number;
  readonly outside: 'before' | 'after' | undefined;
};

const LEAST_MS = 10;
const MOST_MS = 7 * 24 * 3_600_000;
/** The room left of the first bar, and right of the last one for the word of its end. */
const LEFT_PX = 8;
const RIGHT_PX = 136;
/** After this time without a step, the stretch fits exactly. */
const SETTLED_MS = 2000;
/** A part of a life that took no time is still seen. */
const LEAST_BAR_PX = 3;
/** Room for `14:32:00` and for `14:32:00.118`. */
const SHORT_MARK_PX = 72;
const LONG_MARK_PX = 94;
const CHARACTER_PX = 7;
const MARK_STEPS_MS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000],
  ...[60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000],
];

/**
 * The stretch that shows these messages from the first begin to the last step; to the present if most of them still wait or are
 * held. While something happens, it stays as it was as long as they fill at least half of it.
 */
export function fittingStretch(
  messages: readonly TimelineMessage[],
  {
    width,
    now,
    previous,
  }: { readonly width: number; readonly now: number; readonly previous?: Stretch | undefined },
): Stretch {
  let [first, last, openCount] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const { spans, steps, end } of messages) {
    first = Math.min(first, spans[0]?.from ?? timeOf(end ?? steps[0]));
    last = Math.max(last, timeOf(steps.at(-1)));
    const open = spans.at(-1);
    if (open?.to === undefined && (open?.state === 'waiting' || open?.state === 'locked')) openCount += 1;
  }
  if (first > last) return previous ?? { from: now - 1000, to: now };
  if (openCount * 2 > messages.length) last = Math.max(last, now);
  const room = Math.max(64, width - LEFT_PX - Math.min(RIGHT_PX, width / 3));
  if (previous !== undefined && now - last < SETTLED_MS) {
    const scale = width / (previous.to - previous.from);
    const isWithin =
      (first - previous.from) * scale >= 0 && (last - previous.from) * scale <= LEFT_PX + room + 1;
    if (isWithin && (last - first) * scale >= room / 2) return previous;
  }
  const scale = Math.max(LEAST_MS, last - first) / room;
  const from = first - LEFT_PX * scale;
  return { from, to: from + width * scale };
}

function timeOf(event: { readonly time: string } | undefined): number {
  return event === undefined ? Number.NaN : Date.parse(event.time);
}

/** The stretch `factor` times as long, around a place in it from 0 (its begin) to 1. */
export function zoomedStretch({ from, to }: Stretch, factor: number, around = 0.5): Stretch {
  const length = Math.min(MOST_MS, Math.max(LEAST_MS, (to - from) * factor));
  const begin = from + (to - from - length) * around;
  return { from: begin, to: begin + length };
}

/** The stretch moved by a part of its length. */
export function movedStretch({ from, to }: Stretch, part: number): Stretch {
  return { from: from + (to - from) * part, to: to + (to - from) * part };
}

/** Marks at round times, with milliseconds where they are less than a second apart. */
export function marksOf({ from, to }: Stretch, width: number): readonly AxisMark[] {
  const scale = width / (to - from);
  const step =
    MARK_STEPS_MS.find((each) => each * scale >= (each < 1000 ? LONG_MARK_PX : SHORT_MARK_PX)) ?? 86_400_000;
  // Whole minutes and hours are those of the day here.
  const zoneMs = new Date(from).getTimezoneOffset() * 60_000;
  const marks: AxisMark[] = [];
  for (let at = Math.ceil((from - zoneMs) / step) * step + zoneMs; at < to; at += step) {
    const text = timeText(at, { withMs: step < 1000 });
    const x = (at - from) * scale;
    if (x + text.length * CHARACTER_PX <= width) marks.push({ x, text });
  }
  return marks;
}

/** The bars of a message in a stretch of so many pixels: one behind the other, each at least seen. */
export function barsOf({ spans, end }: TimelineMessage, { stretch, width, now }: Scale): Bars {
  const scale = width / (stretch.to - stretch.from);
  const placeOf = (at: number) => (at - stretch.from) * scale;
  const bars: Bar[] = [];
  let edge = placeOf(spans[0]?.from ?? timeOf(end));
  const begin = edge;
  for (const span of spans) {
    const left = Math.max(edge, placeOf(span.from));
    edge = Math.max(placeOf(span.to ?? Math.max(now, span.from)), left + LEAST_BAR_PX);
    const [shownLeft, shownRight] = [Math.max(-1, left), Math.min(width + 1, edge)];
    if (shownRight > shownLeft) bars.push({ span, left: shownLeft, width: shownRight - shownLeft });
  }
  const outside = edge < 0 ? 'before' : begin > width ? 'after' : undefined;
  return { bars, endLeft: edge + 6, outside };
}
