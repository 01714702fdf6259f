// The values that Jitney accepts and Azure refuses: an export says so before a deployment does.

import { parseDuration } from '../description/duration.js';

const SECOND = 1000;
const LEAST_MS: Readonly<Record<string, number>> = {
  lockDuration: 5 * SECOND,
  duplicateDetectionHistoryTimeWindow: 20 * SECOND,
};
const GIGABYTE_IN_MEGABYTES = 1024;

/** One sentence for each such value among the properties of an entity. */
export function azureRefusals(properties: Readonly<Record<string, unknown>>, what: string): string[] {
  const short = Object.entries(LEAST_MS).flatMap(([name, leastMs]) => {
    const given = properties[name];
    if (typeof given !== 'string' || parseDuration(given) >= leastMs) return [];
    return [`${what} has the ${name} ${given}, and Azure takes PT${leastMs / SECOND}S and more`];
  });
  const size = properties.maxSizeInMegabytes;
  if (typeof size !== 'number' || size % GIGABYTE_IN_MEGABYTES === 0) return short;
  return [...short, `${what} has the maxSizeInMegabytes ${size}, and Azure takes multiples of 1024`];
}
