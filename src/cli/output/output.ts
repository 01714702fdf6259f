// The output of a command: filtered log lines, formatted counts, and streams whose readers may disappear.

import type { Writable } from 'node:stream';
import type { LineLevel, LogLevel } from '../../config/options/log-options.js';
import { type LineDetails, type LineFormat, prettyLine } from './log-line.js';

export type Write = (text: string) => void;

type WriteLine = (text: string, details?: LineDetails) => void;

/** One function for each level; a level that is not shown does nothing. */
export type Log = Readonly<Record<LineLevel, WriteLine>> & {
  readonly isDebug: boolean;
};

const ORDER: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

export function createLog(level: LogLevel, write: Write, format: LineFormat = prettyLine): Log {
  const shows = (wanted: LineLevel) => ORDER.indexOf(wanted) >= ORDER.indexOf(level);
  const writer = (wanted: LineLevel): WriteLine =>
    shows(wanted) ? (text, details) => write(format(wanted, text, details)) : () => {};
  return {
    error: writer('error'),
    warn: writer('warn'),
    info: writer('info'),
    debug: writer('debug'),
    trace: writer('trace'),
    isDebug: shows('debug'),
  };
}

/** Error codes if the reader has closed its end, or the terminal has gone. */
const READER_GONE: readonly unknown[] = ['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED'];

function isReaderGone(error: NodeJS.ErrnoException): boolean {
  return READER_GONE.includes(error.code);
}

/**
 * Writes to a stream until a write fails, as in `jitney --help | head -1`. Everything after that is dropped, so that an emulator keeps
 * running. `onFailure` gets the first error, such as a full disk. A reader that has gone is not a failure.
 */
export function writeTo(stream: Writable, onFailure: (error: Error) => void): Write {
  let isOpen = true;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    const isFirst = isOpen;
    isOpen = false;
    if (isFirst && !isReaderGone(error)) onFailure(error);
  });
  return (text) => {
    if (isOpen) stream.write(text);
  };
}

/** Resolves when the text is written; with false if the reader has gone. Throws if it cannot be written for another reason. */
export type Print = (text: string) => Promise<boolean>;

/** For data that must be written before anything else happens. `failureOf` makes the error to throw. */
export function printTo(stream: Writable, failureOf: (cause: Error) => Error): Print {
  return (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => {
        if (error && !isReaderGone(error)) reject(failureOf(error));
        else resolve(!error);
      });
    });
}

export function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** Resolves when the stream's reader has gone, which is noticed at the next write. */
export function whenReaderGone(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    stream.once('error', () => resolve());
  });
}
