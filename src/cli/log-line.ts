// The lines of the log: for people, with a mark or the time in front, or for programs, one JSON object each.

import type { ActivityRecord } from '../activity/activity-record.js';
import { jsonNumber } from '../activity/record-json.js';
import type { LineLevel, LogDetails } from '../config/options.js';

/** The record or frame that a line tells of, or the fields of a line about the process. */
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

/** The lines of a file, where no terminal and no container engine adds the time. */
export function timedLines(): LineFormat {
  const timeText = timeWriter();
  return (level, text, details) =>
    `${timeText(timeOf(details))} ${level.padEnd(LEVEL_WIDTH)}${plain(text)}\n`;
}

export function jsonLines(): LineFormat {
  const timeText = timeWriter();
  return (level, message, details) => {
    let line = `{"time":"${timeText(timeOf(details))}","level":"${level}","message":${JSON.stringify(message)}`;
    // Field by field, which costs half as much as making one object of everything first.
    for (const [name, value] of Object.entries(details ?? {})) {
      const shown = typeof value === 'number' ? jsonNumber(name, value) : value;
      if (shown === undefined || name === 'time') continue;
      line += `,"${name}":${typeof shown === 'number' ? shown : JSON.stringify(shown)}`;
    }
    return `${line}}\n`;
  };
}

function timeOf(details: LineDetails | undefined): number {
  return details !== undefined && isRecord(details) ? details.time : Date.now();
}

/** Many lines have the same millisecond. */
function timeWriter(): (ms: number) => string {
  let last = Number.NaN;
  let text = '';
  return (ms) => {
    if (ms !== last) text = new Date(ms).toISOString();
    last = ms;
    return text;
  };
}

function isRecord(details: LineDetails): details is ActivityRecord {
  return 'time' in details;
}

/** Control characters but the line feed, which stays for stack traces, and the other ends of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matching control characters is the purpose.
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Escapes control characters, because a text may quote what a client has sent. */
function plain(text: string): string {
  return text.replace(CONTROLS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
