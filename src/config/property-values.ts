// Readers of single values, whether they come from JSON or from text: each gives the value or throws a ValueError.

import type { EntityStatus } from '../broker/entity/queue-description.js';
import { formatDuration, parseDuration } from './duration.js';
import { checkEntityName } from './entity-name.js';
import { shown, ValueError } from './value-error.js';

const STATUSES: readonly EntityStatus[] = ['Active', 'Disabled', 'SendDisabled', 'ReceiveDisabled'];

export function duration(
  value: unknown,
  range: { readonly leastMs: number; readonly mostMs?: number },
): number {
  if (typeof value !== 'string') {
    throw new ValueError(`must be a duration such as "PT30S", not ${shown(value)}`);
  }
  const milliseconds = parseDuration(value);
  if (milliseconds < range.leastMs) {
    const least = range.leastMs === 1 ? 'more than PT0S' : `at least ${formatDuration(range.leastMs)}`;
    throw new ValueError(`must be ${least}, not ${shown(value)}`);
  }
  if (range.mostMs !== undefined && milliseconds > range.mostMs) {
    throw new ValueError(`must be at most ${formatDuration(range.mostMs)}, not ${shown(value)}`);
  }
  return milliseconds;
}

type NumberRange = { readonly least: number; readonly most: number; readonly step?: number };

export function wholeNumber(value: unknown, { least, most, step = 1 }: NumberRange): number {
  const fits = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
  if (!fits || value % step !== 0) {
    const steps = step === 1 ? '' : ` in steps of ${step}`;
    throw new ValueError(`must be a whole number from ${least} to ${most}${steps}, not ${shown(value)}`);
  }
  return value;
}

export function boolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new ValueError(`must be true or false, not ${shown(value)}`);
  return value;
}

export function status(value: unknown): EntityStatus {
  const found = STATUSES.find(
    (one) => typeof value === 'string' && one.toLowerCase() === value.toLowerCase(),
  );
  if (found === undefined) throw new ValueError(`must be one of ${STATUSES.join(', ')}, not ${shown(value)}`);
  return found;
}

/** Empty means none, as in files of the official emulator; of a URL (the SDK allows one) the name is kept. */
export function forwardTarget(value: unknown): string | undefined {
  const name = text(value, Number.POSITIVE_INFINITY)?.replace(/^sb:\/\/[^/]+\//, '');
  return name === undefined ? undefined : checkEntityName(name);
}

export function text(value: unknown, longest: number): string | undefined {
  if (typeof value !== 'string') throw new ValueError(`must be a text, not ${shown(value)}`);
  if (value.length > longest) {
    throw new ValueError(`must be at most ${longest} characters long, and it has ${value.length}`);
  }
  return value === '' ? undefined : value;
}
