// Sizes that are told otherwise than they are kept, and what is meant by them when they are sent back.

import { ValueError } from '../../description/value-error.js';
import { childNamed, textOf, type XmlElement } from '../xml/xml-element.js';
import type { Place } from './entity-kind.js';

type Sizes = {
  readonly maxSizeInMegabytes: number;
  readonly maxMessageSizeInKilobytes: number | undefined;
  readonly enablePartitioning: boolean;
};

const PARTITION_COUNT = 16;
/** More than this cannot be asked for of a partition, so that it is a sum. */
const MOST_OF_A_PARTITION = 5120;

/** Each partition has what was asked for, and the service tells the sum; not in Premium, where the namespace is partitioned. */
export function toldSize({ maxSizeInMegabytes, enablePartitioning }: Sizes, { tier }: Place): number {
  return enablePartitioning && tier !== 'premium' ? maxSizeInMegabytes * PARTITION_COUNT : maxSizeInMegabytes;
}

/** What the tier allows, where nothing else was said. */
export function toldMessageSize({ maxMessageSizeInKilobytes }: Sizes, { limits }: Place): number {
  return maxMessageSizeInKilobytes ?? Math.floor(limits.maxMessageSizeBytes / 1024);
}

const PREMIUM_KILOBYTES = { least: 1024, most: 102_400 };

/**
 * Premium's own range, in its own words; a configured entity may have less, and keep it. Other tiers have what limits say.
 * Throws a ValueError.
 */
export function checkMessageSize(description: XmlElement, before: Sizes | undefined, place: Place): void {
  const given = childNamed(description, 'MaxMessageSizeInKilobytes');
  if (place.tier !== 'premium' || given === undefined || !/^\s*\d+\s*$/.test(textOf(given))) return;
  const size = Number(textOf(given));
  const { least, most } = PREMIUM_KILOBYTES;
  if (size >= least && size <= most) return;
  if (before !== undefined && size === toldMessageSize(before, place)) return;
  throw new ValueError(
    `The value for 'MaxMessageSizeInKilobytes' must be between ${least} and ${most}, not ${size}`,
  );
}

/** Clients send back all they were told: that alone changes nothing. `before`: of the entity that is to be changed. */
export function meantSizes(given: Partial<Sizes>, before: Sizes | undefined, place: Place): Partial<Sizes> {
  return { ...meantSize(given, before, place), ...meantMessageSize(given, before, place) };
}

function meantSize(given: Partial<Sizes>, before: Sizes | undefined, place: Place): Partial<Sizes> {
  const { maxSizeInMegabytes, enablePartitioning = before?.enablePartitioning ?? false } = given;
  if (maxSizeInMegabytes === undefined) return {};
  if (before !== undefined && maxSizeInMegabytes === toldSize(before, place)) {
    return { maxSizeInMegabytes: before.maxSizeInMegabytes };
  }
  const isSum = enablePartitioning && place.tier !== 'premium' && maxSizeInMegabytes > MOST_OF_A_PARTITION;
  return { maxSizeInMegabytes: isSum ? Math.ceil(maxSizeInMegabytes / PARTITION_COUNT) : maxSizeInMegabytes };
}

function meantMessageSize(given: Partial<Sizes>, before: Sizes | undefined, place: Place): Partial<Sizes> {
  const isAsTold = before !== undefined && given.maxMessageSizeInKilobytes === toldMessageSize(before, place);
  return isAsTold ? { maxMessageSizeInKilobytes: before.maxMessageSizeInKilobytes } : {};
}
