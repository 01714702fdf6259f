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
  return {
    error: (text) => shows('error') && write(`✖ ${text}\n`),
    warn: (text) => shows('warn') && write(`⚠ ${text}\n`),
    info: (text) => shows('info') && write(`${text}\n`),
    isDebug: shows('debug'),
  };
}
