// Records as JSON, for the control interface and for a log that programs read.

import { isoTime } from '../broker/contract/instant.js';
import type { ActivityRecord } from './activity-record.js';

/** The fields that are moments, written as ISO 8601. */
const TIMES: ReadonlySet<string> = new Set(['time', 'lockedUntil', 'enqueueAt']);

export function jsonOfRecord(record: ActivityRecord): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    fields[name] = typeof value === 'number' ? jsonNumber(name, value) : value;
  }
  return fields;
}

export function isMoment(name: string): boolean {
  return TIMES.has(name);
}

/** Undefined for numbers that JSON cannot represent: a lock without its own end has an infinite time, and a message may be scheduled beyond all dates. */
function jsonNumber(name: string, value: number): number | string | undefined {
  if (!Number.isFinite(value)) return undefined;
  return isMoment(name) ? isoTime(value) : value;
}
