// What is told to a person while the emulator runs: one line each on stderr, filtered by level.

import type { LogLevel } from '../config/options.js';

export type Write = (text: string) => void;

export type Log = {
  readonly error: Write;
  readonly warn: Write;
  readonly info: Write;
  /** Whether stack traces are wanted. */
  readonly isDebug: boolean;
};

const ORDER: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

export function createLog(level: LogLevel, write: Write): Log {
  const shows = (wanted: LogLevel) => ORDER.indexOf(wanted) >= ORDER.indexOf(level);
  const line = (mark: string, text: string) => write(`${mark}${plain(text)}\n`);
  return {
    error: (text) => shows('error') && line('✖ ', text),
    warn: (text) => shows('warn') && line('⚠ ', text),
    info: (text) => shows('info') && line('', text),
    isDebug: shows('debug'),
  };
}

/** A text may quote what a client has sent: nothing in it steers a terminal. Stack traces have lines of their own. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, (one) =>
    JSON.stringify(one).slice(1, -1),
  );
}
