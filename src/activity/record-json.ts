// A record as JSON has it, in the control interface and in a log for programs.

import { isoTime } from '../broker/instant.js';
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

/** Whether the number of a field is a moment. */
export function isMoment(name: string): boolean {
  return TIMES.has(name);
}

/** Undefined for what JSON does not have: a lock without an end of its own has no finite time, a scheduled message may have no date. */
function jsonNumber(name: string, value: number): number | string | undefined {
  if (!Number.isFinite(value)) return undefined;
  return isMoment(name) ? textOf(name, value) : value;
}

type Written = { readonly ms: number; readonly text: string | undefined };
/** The last moment of each field. The records of a turn have one time, and writing it takes as long as all their other fields. */
const lastWritten = new Map<string, Written>();

function textOf(name: string, ms: number): string | undefined {
  const known = lastWritten.get(name);
  if (known?.ms === ms) return known.text;
  const written = { ms, text: isoTime(ms) };
  lastWritten.set(name, written);
  return written.text;
}
