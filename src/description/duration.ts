// Parses and formats durations: from ISO 8601 or .NET's TimeSpan text to milliseconds, and back.

import { NEVER } from '../broker/contract/instant.js';
import { shown, ValueError } from './value-error.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** TimeSpan.MaxValue, with which Azure and its SDKs write "never". */
const NEVER_TEXT = 'P10675199DT2H48M5.4775807S';
/** "Never" cut to whole milliseconds, as the Java SDK writes it. Rounding up adds one. */
const NEVER_FROM_MS = 922_337_203_685_477;
const LONGEST_MS = NEVER_FROM_MS + 1;

const ISO_8601 =
  /^P(?=\d|T\d)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
/** A year has 365 days and a month 30, as in .NET's XmlConvert. */
const ISO_8601_UNITS = [365 * DAY, 30 * DAY, 7 * DAY, DAY, HOUR, MINUTE, SECOND];

const TIME_SPAN = /^(?:(\d+)\.)?([01]?\d|2[0-3]):([0-5]?\d):([0-5]?\d(?:\.\d{1,7})?)$/;
const TIME_SPAN_UNITS = [DAY, HOUR, MINUTE, SECOND];

export const DURATION_PATTERN = `${ISO_8601.source}|${TIME_SPAN.source}`;

/** Returns whole milliseconds, or `NEVER` for the longest duration. Throws a ValueError. */
export function parseDuration(text: string, longestMs = NEVER): number {
  return read(text, { text, forms: 'a duration such as PT30S, P1DT12H or 00:05:00', longestMs });
}

/** For the error: `text` is the given text, `forms` the possible forms. */
type Given = { readonly text: string; readonly forms: string; readonly longestMs: number };

function read(duration: string, { text, forms, longestMs }: Given): number {
  const exact =
    add(ISO_8601.exec(duration), ISO_8601_UNITS) ?? add(TIME_SPAN.exec(duration), TIME_SPAN_UNITS);
  if (exact === undefined) throw new ValueError(`must be ${forms}, not ${shown(text)}`);
  const milliseconds = exact >= NEVER_FROM_MS ? NEVER : exact;
  if (exact <= LONGEST_MS && milliseconds <= longestMs) return milliseconds;
  const limit = `${formatDuration(longestMs)}${longestMs === NEVER ? ' (never)' : ''}`;
  throw new ValueError(`must not be longer than ${limit}, but ${shown(text)} is`);
}

function add(match: RegExpExecArray | null, units: readonly number[]): number | undefined {
  if (match === null) return undefined;
  return Math.round(units.reduce((sum, unit, index) => sum + Number(match[index + 1] ?? 0) * unit, 0));
}

/** Reads a duration, a number of seconds, or `off`. Returns milliseconds above zero. Throws a ValueError. */
export function parseTimeout(text: string): number | 'off' {
  if (/^off$/i.test(text)) return 'off';
  const milliseconds = parseSpan(text, { forms: 'a duration such as PT20S, a number of seconds, or off' });
  if (milliseconds === NEVER) return 'off';
  if (milliseconds > 0) return milliseconds;
  throw new ValueError(`must be more than 0, or off, not ${shown(text)}`);
}

type SpanOptions = { readonly forms?: string; readonly longestMs?: number };
const SPAN_FORMS = 'a duration such as PT20S, or a number of seconds';

/**
 * Reads a duration, a number of seconds, or a number with a unit such as `10s`, as people type them. Returns milliseconds, or `NEVER`. Throws a ValueError that names the
 * `forms` or the limit.
 */
export function parseSpan(text: string, options: SpanOptions = {}): number {
  const { forms = SPAN_FORMS, longestMs = NEVER } = options;
  return read(isoOf(text), { text, forms, longestMs });
}

function isoOf(text: string): string {
  if (/^\d+(\.\d+)?$/.test(text)) return `PT${text}S`;
  const [, number, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (number === undefined) return text;
  return unit === 'd' ? `P${number}D` : `PT${number}${unit.toUpperCase()}`;
}

/** Formats milliseconds in ISO 8601, in the largest units up to days. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === NEVER) return NEVER_TEXT;
  const days = Math.floor(milliseconds / DAY);
  const hours = Math.floor((milliseconds % DAY) / HOUR);
  const minutes = Math.floor((milliseconds % HOUR) / MINUTE);
  const seconds = (milliseconds % MINUTE) / SECOND;
  const date = days > 0 ? `${days}D` : '';
  const time = [
    hours > 0 ? `${hours}H` : '',
    minutes > 0 ? `${minutes}M` : '',
    seconds > 0 || milliseconds === 0 ? `${seconds}S` : '',
  ].join('');
  return `P${date}${time === '' ? '' : `T${time}`}`;
}
