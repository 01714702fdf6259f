// Records as JSON, for the control interface and for a log that programs read.

import { type Instant, isoTime } from '../broker/contract/instant.js';
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

/** Undefined for numbers that JSON cannot represent: a lock without its own end has an infinite time, and a message may be scheduled beyond all dates. */
function jsonNumber(name: string, value: number): number | string | undefined {
  if (!Number.isFinite(value)) return undefined;
  return isMoment(name) ? isoTime(value) : value;
}

/** `JSON.stringify(jsonOfRecord(record))` at a third of the cost, for readers that follow thousands of records a second. */
export function jsonTextOfRecord(record: ActivityRecord): string {
  const fields = record as unknown as Readonly<Record<string, unknown>>;
  let text = `{"id":${record.id}`;
  for (const name in fields) {
    if (name === 'id') continue; // the first field of each record
    const value = valueText(name, fields[name]);
    if (value !== undefined) text += keyText(name) + value;
  }
  return `${text}}`;
}

const keyTexts = new Map<string, string>();

/** The comma and key of a field. Each is made only once, which halves the garbage. */
function keyText(name: string): string {
  let text = keyTexts.get(name);
  if (text === undefined) {
    text = `,"${name}":`;
    keyTexts.set(name, text);
  }
  return text;
}

function valueText(name: string, value: unknown): string | number | undefined {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      if (!Number.isFinite(value)) return undefined;
      return isMoment(name) ? momentText(name, value) : value;
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? 'null' : objectText(value);
    default:
      return undefined;
  }
}

/** Characters that JSON escapes in a text: quote, backslash, control characters, and halves of a pair. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matching control characters is the purpose.
const ESCAPED = /["\\\u0000-\u001f\u007f-\u009f\ud800-\udfff]/u;

function quoted(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** The texts of clients, kept because each client is in many records and never changes. */
const objectTexts = new WeakMap<object, string>();

function objectText(value: object): string {
  let text = objectTexts.get(value);
  if (text === undefined) {
    text = JSON.stringify(value);
    objectTexts.set(value, text);
  }
  return text;
}

/** From here on, years have six digits and a sign. */
const YEAR_10000: Instant = Date.UTC(10_000, 0);

type Second = { readonly second: number; readonly text: string };
/** The last second of each field, as text up to the dot. Formatting a whole date would cost as much as all other fields together. */
const lastSeconds = new Map<string, Second>();

function momentText(name: string, ms: Instant): string | undefined {
  if (!Number.isInteger(ms) || ms < 0 || ms >= YEAR_10000) {
    const text = isoTime(ms);
    return text && `"${text}"`;
  }
  const second = Math.floor(ms / 1000);
  let known = lastSeconds.get(name);
  if (known?.second !== second) {
    known = { second, text: `"${new Date(second * 1000).toISOString().slice(0, -'000Z'.length)}` };
    lastSeconds.set(name, known);
  }
  return known.text + millisecondText(ms % 1000);
}

/** The texts of milliseconds that have been written; there are at most a thousand. */
const millisecondTexts: string[] = [];

function millisecondText(milliseconds: number): string {
  millisecondTexts[milliseconds] ??= `${String(milliseconds).padStart(3, '0')}Z"`;
  return millisecondTexts[milliseconds];
}
