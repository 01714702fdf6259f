// Compares what the emulator holds before and after the load.

import type { Holdings } from './probe.js';

export type State = Holdings & {
  /** Links, connections, messages and sessions as the metrics count them. */
  readonly counts: Readonly<Record<string, number>>;
};

const TOLERANCE = 0.05;

/** Each difference that must not be, as a sentence. */
export function differences(before: State, after: State): readonly string[] {
  const growth = after.memoryMb / before.memoryMb - 1;
  return [
    ...(growth <= TOLERANCE
      ? []
      : [
          `memory after a collection rose from ${before.memoryMb.toFixed(1)} to ${after.memoryMb.toFixed(1)} MB; ` +
            `at most ${100 * TOLERANCE} % are allowed`,
        ]),
    ...(after.fileCount <= before.fileCount
      ? []
      : [`open files were ${before.fileCount} and are ${after.fileCount}`]),
    ...grown(before.resources, after.resources),
    ...grown(before.counts, after.counts),
  ];
}

function grown(before: Readonly<Record<string, number>>, after: Readonly<Record<string, number>>): string[] {
  return Object.entries(after).flatMap(([name, count]) => {
    const was = before[name] ?? 0;
    return count <= was ? [] : [`${name} was ${was} and is ${count}`];
  });
}
