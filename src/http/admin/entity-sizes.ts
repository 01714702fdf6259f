// Sizes as ATOM reports them, and the sizes to store when clients send reported ones back.

import { childNamed, elementText, type XmlElement } from '../../atom/xml/xml-element.js';
import { ValueError } from '../../description/value-error.js';
import type { AtomContext } from './atom.js';

export type Sizes = {
  readonly maxSizeInMegabytes: number;
  readonly maxMessageSizeInKilobytes: number | undefined;
  readonly enablePartitioning: boolean;
};

const PARTITION_COUNT = 16;
/** The largest size of a partition. A larger number is the sum of all partitions. */
const MAX_PARTITION_MEGABYTES = 5120;

/** The size that the service reports: each partition has the requested size, and the sum is reported. Premium partitions the namespace, not the entity. */
export function reportedSize(
  { maxSizeInMegabytes, enablePartitioning }: Sizes,
  { tier }: AtomContext,
): number {
  return enablePartitioning && tier !== 'premium' ? maxSizeInMegabytes * PARTITION_COUNT : maxSizeInMegabytes;
}

/** The largest message that is reported. Default: the limit of the tier. */
export function reportedMessageSize({ maxMessageSizeInKilobytes }: Sizes, { limits }: AtomContext): number {
  return maxMessageSizeInKilobytes ?? Math.floor(limits.maxMessageSizeBytes / 1024);
}

const PREMIUM_KILOBYTES = { least: 1024, most: 102_400 };

/**
 * Checks Premium's range, with the service's own text. An entity from the configuration may have less and keep it. For other
 * tiers the broker's limits apply. Throws a ValueError.
 */
export function checkMessageSize(
  description: XmlElement,
  before: Sizes | undefined,
  context: AtomContext,
): void {
  const given = childNamed(description, 'MaxMessageSizeInKilobytes');
  if (context.tier !== 'premium' || given === undefined || !/^\s*\d+\s*$/.test(elementText(given))) return;
  const size = Number(elementText(given));
  const { least, most } = PREMIUM_KILOBYTES;
  if (size >= least && size <= most) return;
  if (before !== undefined && size === reportedMessageSize(before, context)) return;
  throw new ValueError(
    `The value for 'MaxMessageSizeInKilobytes' must be between ${least} and ${most}, not ${size}`,
  );
}

/** The sizes to store. A reported size that a client sends back leaves the stored size in `before` unchanged. */
export function storedSizes(
  given: Partial<Sizes>,
  before: Sizes | undefined,
  context: AtomContext,
): Partial<Sizes> {
  return { ...storedSize(given, before, context), ...storedMessageSize(given, before, context) };
}

function storedSize(given: Partial<Sizes>, before: Sizes | undefined, context: AtomContext): Partial<Sizes> {
  const { maxSizeInMegabytes, enablePartitioning = before?.enablePartitioning ?? false } = given;
  if (maxSizeInMegabytes === undefined) return {};
  if (before !== undefined && maxSizeInMegabytes === reportedSize(before, context)) {
    return { maxSizeInMegabytes: before.maxSizeInMegabytes };
  }
  const isSum =
    enablePartitioning && context.tier !== 'premium' && maxSizeInMegabytes > MAX_PARTITION_MEGABYTES;
  return { maxSizeInMegabytes: isSum ? Math.ceil(maxSizeInMegabytes / PARTITION_COUNT) : maxSizeInMegabytes };
}

function storedMessageSize(
  given: Partial<Sizes>,
  before: Sizes | undefined,
  context: AtomContext,
): Partial<Sizes> {
  const isUnchanged =
    before !== undefined && given.maxMessageSizeInKilobytes === reportedMessageSize(before, context);
  return isUnchanged ? { maxMessageSizeInKilobytes: before.maxMessageSizeInKilobytes } : {};
}
