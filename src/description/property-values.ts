// Readers of single values from JSON or text. Each returns the value or throws a ValueError.

import { isInRange, type Range } from '../broker/contract/entities/queue-description.js';
import { NEVER } from '../broker/contract/instant.js';
import { formatDuration, parseDuration } from './duration.js';
import { checkEntityName } from './entity-name.js';
import { shown, ValueError } from './value-error.js';

export function duration(value: unknown, { least, most }: Range): number {
  if (typeof value !== 'string') {
    throw new ValueError(`must be a duration such as "PT30S", not ${shown(value)}`);
  }
  return withinRange(parseDuration(value), { least, most }, value);
}

/** A duration as text, or a number of milliseconds; Infinity where a property may be without end. */
export function durationOrMs(value: unknown, range: Range): number {
  if (typeof value === 'string') return duration(value, range);
  const isNever = value === NEVER && range.most === NEVER;
  if (typeof value === 'number' && (isNever || Number.isSafeInteger(value))) {
    return withinRange(value, range, value);
  }
  throw new ValueError(
    `must be a duration such as "PT30S", or a whole number of milliseconds, not ${shown(value)}`,
  );
}

function withinRange(milliseconds: number, { least, most }: Range, value: unknown): number {
  if (milliseconds < least) {
    const atLeast = least === 1 ? 'more than PT0S' : `at least ${formatDuration(least)}`;
    throw new ValueError(`must be ${atLeast}, not ${shown(value)}`);
  }
  if (milliseconds > most) {
    throw new ValueError(`must be at most ${formatDuration(most)}, not ${shown(value)}`);
  }
  return milliseconds;
}

export function wholeNumber(value: unknown, range: Range): number {
  if (typeof value === 'number' && isInRange(value, range)) return value;
  throw new ValueError(`must be a whole number from ${range.least} to ${range.most}, not ${shown(value)}`);
}

export function boolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new ValueError(`must be true or false, not ${shown(value)}`);
  return value;
}

/** Returns the allowed value that is equal to this one, ignoring case. */
export function oneOf<T extends string>(value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((one) => typeof value === 'string' && one.toLowerCase() === value.toLowerCase());
  if (found === undefined) throw new ValueError(`must be one of ${allowed.join(', ')}, not ${shown(value)}`);
  return found;
}

/** Reads the name or, as the SDK allows, the URL of an entity. An empty text means none, as in files of the official emulator. */
export function forwardTarget(value: unknown): string | undefined {
  const name = text(value, Number.POSITIVE_INFINITY)?.replace(/^sb:\/\/[^/]+\//, '');
  return name === undefined ? undefined : checkEntityName(name);
}

export function text(value: unknown, longest: number): string | undefined {
  if (typeof value !== 'string') throw new ValueError(`must be a text, not ${shown(value)}`);
  if (value.length > longest) {
    throw new ValueError(`must be at most ${longest} characters long, but it has ${value.length}`);
  }
  return value === '' ? undefined : value;
}
