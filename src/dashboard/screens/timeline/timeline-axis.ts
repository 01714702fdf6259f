// The time axis of the timeline: which spans there are, where its marks stand, and how wide a stretch is that one token stands for.

import { timeText } from '../../state/format.js';

/** The spans that can be shown, in milliseconds. */
export const SPANS: readonly number[] = [500, 2000, 10_000, 60_000, 300_000];
const NAMES = ['0.5 s', '2 s', '10 s', '1 min', '5 min'] as const;
/** Beginning and end in milliseconds since 1970. */
export type Window = { readonly from: number; readonly to: number };
export type Tick = { readonly at: number; readonly text: string };

const STEPS_MS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000],
  ...[60_000, 120_000, 300_000, 600_000],
];
/** Room for `14:32:00` or `+0.25 s`. */
const TICK_PX = 64;
/** Room for a token that stands for many, and its count. */
const BUCKET_PX = 48;

export function spanName(span: number): string {
  return NAMES[SPANS.indexOf(span)] ?? `${span / 1000} s`;
}

/** The span that is one step nearer (1) or wider (-1). */
export function zoomed(span: number, direction: 1 | -1): number {
  const index = SPANS.findIndex((each) => each >= span);
  return SPANS[Math.min(SPANS.length - 1, Math.max(0, index - direction))] ?? span;
}

/** The narrowest span with room for a time, and a little more. */
export function spanFor(ms: number): number {
  return SPANS.find((span) => span * 0.92 >= ms) ?? SPANS.at(-1) ?? ms;
}

/** The marks in the window: a whole second by its time of day, between them what is added to it. */
export function ticksOf({ from, to }: Window, width: number): readonly Tick[] {
  const least = ((to - from) * TICK_PX) / Math.max(TICK_PX, width);
  const step = STEPS_MS.find((each) => each >= least) ?? 3_600_000;
  const ticks: Tick[] = [];
  const isWithin = Math.ceil(from / 1000) * 1000 > to;
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    // The second mark from the left has room for a long text.
    const isLong = isWithin && ticks.length === 1;
    const text = `+${addedText(at % 1000)} s`;
    ticks.push({ at, text: isLong || at % 1000 === 0 ? timeText(at, { withMs: isLong }) : text });
  }
  return ticks;
}

function addedText(ms: number): string {
  return (ms / 1000).toFixed(3).replace(/0{1,2}$/, '');
}

/** The stretch of time that one token stands for where messages are too many to draw each. */
export function bucketWidth(span: number, width: number): number {
  const least = (span * BUCKET_PX) / Math.max(BUCKET_PX, width);
  return STEPS_MS.find((each) => each >= least) ?? 600_000;
}
