// The lines of the log: for people, with a mark or the time in front; for programs, one JSON object for each line.

import { isoTime } from '../../broker/contract/instant.js';
import type { LineLevel, LogDetails } from '../../config/options/log-options.js';
import type { ActivityRecord } from '../../watch/activity-record.js';
import { isMoment } from '../../watch/record-json.js';

/** The record or frame that a line is about, or the fields of a line about the process. */
export type LineDetails = LogDetails | Readonly<Record<string, unknown>>;

/** Makes a whole line, with its line feed. */
export type LineFormat = (level: LineLevel, text: string, details?: LineDetails) => string;

const MARKS: Readonly<Record<LineLevel, string>> = {
  error: '✖ ',
  warn: '⚠ ',
  info: '',
  debug: '',
  trace: '',
};
const LEVEL_WIDTH = 'error '.length;

export const prettyLine: LineFormat = (level, text) => `${MARKS[level]}${plain(text)}\n`;

export function isWarning(line: string): boolean {
  return line.startsWith(MARKS.warn) || /^\{"time":"[^"]*","level":"warn"/.test(line);
}

/** The lines of a file. They have the time, which no terminal or container engine adds there. */
export function timedLines(): LineFormat {
  const timeText = timeWriter();
  return (level, text, details) =>
    `${timeText(timeOf(details))} ${level.padEnd(LEVEL_WIDTH)}${plain(text)}\n`;
}

export function jsonLines(): LineFormat {
  const timeText = timeWriter();
  const valueText = valueWriter();
  return (level, message, details) => {
    let line = `{"time":"${timeText(timeOf(details))}","level":"${level}","message":${JSON.stringify(message)}`;
    // Written field by field: one object, or a list of entries, would cost more than the rest of the line.
    const fields = details as Readonly<Record<string, unknown>> | undefined;
    for (const name in fields) {
      if (name === 'time') continue;
      const text = valueText(name, fields[name]);
      if (text !== undefined) line += `,"${name}":${text}`;
    }
    return `${line}}\n`;
  };
}

/** Makes the JSON of a field; undefined leaves the field out. */
function valueWriter(): (name: string, value: unknown) => string | undefined {
  const momentText = lastKept(isoTime);
  const clientText = lastKept((client: object) => JSON.stringify(client));
  return (name, value) => {
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) return undefined;
      if (!isMoment(name)) return String(value);
      const moment = momentText(value);
      return moment && `"${moment}"`;
    }
    // All records of a client share one object.
    if (name === 'client' && typeof value === 'object' && value !== null) return clientText(value);
    return JSON.stringify(value);
  };
}

function timeOf(details: LineDetails | undefined): number {
  return details !== undefined && isRecord(details) ? details.time : Date.now();
}

/** Writes times, and keeps the last text, because many lines have the same millisecond. The time of a record or of this machine always has a date. */
function timeWriter(): (ms: number) => string {
  return lastKept((ms: number) => isoTime(ms) ?? String(ms));
}

/** Keeps the text of the last value, because the next one is often the same. */
function lastKept<T, Text extends string | undefined>(write: (value: T) => Text): (value: T) => Text {
  let last: T | undefined;
  let text: Text;
  return (value) => {
    if (value !== last) text = write(value);
    last = value;
    return text;
  };
}

function isRecord(details: LineDetails): details is ActivityRecord {
  return 'time' in details;
}

/** Control characters, also of the direction of text, and other line ends, except the line feed, which stays for stack traces. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matching control characters is the purpose.
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Escapes control characters, because a text may quote what a client has sent. */
function plain(text: string): string {
  return text.replace(CONTROLS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
