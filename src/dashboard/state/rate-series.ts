// The rates that the emulator has sampled (`GET rates`). A point without a value is a time at which nobody sampled.

import type { RatesAnswer } from '../../http/control/control-schemas.js';

/** Messages in each step, the oldest first; null: nobody counted then. */
export type Points = readonly (number | null)[];
/** The path is empty for the whole namespace. */
export type EntityRates = RatesAnswer['entities'][number];

/** The time over which the rate of now is the mean. */
const MEAN_MS = 5000;

/** Messages a second over the last five seconds, or the last step if that is longer; undefined where nobody counted. */
export function rateOfNow(points: Points, stepMs: number): number | undefined {
  const last = points.slice(-Math.max(1, Math.round(MEAN_MS / stepMs)));
  const counted = last.filter((count) => count !== null);
  if (counted.length === 0) return undefined;
  return counted.reduce((sum, count) => sum + count, 0) / ((counted.length * stepMs) / 1000);
}

/** The path of an SVG line through the points of a box, which breaks off where nobody counted. `most` is the value at its top. */
export function linePath(points: Points, box: { width: number; height: number; most: number }): string {
  const step = box.width / Math.max(1, points.length - 1);
  let isOpen = false;
  let path = '';
  for (const [index, count] of points.entries()) {
    if (count !== null) {
      const y = box.height - 1 - (count / Math.max(1, box.most)) * (box.height - 2);
      const x = (index * step).toFixed(1);
      // A point between two gaps is drawn as well.
      path += isOpen ? `L${x} ${y.toFixed(1)}` : `M${x} ${y.toFixed(1)}h0.1`;
    }
    isOpen = count !== null;
  }
  return path;
}

/** The stretches in which nobody counted, from the first such point to the point behind the last one. */
export function gapsOf(points: Points): readonly { readonly from: number; readonly to: number }[] {
  const gaps: { from: number; to: number }[] = [];
  for (const [index, count] of points.entries()) {
    if (count !== null) continue;
    const last = gaps.at(-1);
    if (last?.to === index) last.to = index + 1;
    else gaps.push({ from: index, to: index + 1 });
  }
  return gaps;
}
