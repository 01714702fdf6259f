// The rows of the table of options that are about the log.

import type { LogFormat, LogLevel } from './emulator-options.js';
import { codeOnly, mustBe, oneOfType, SWITCH, textType } from './option-types.js';

/** `option-table.ts` checks their types with those of all others. */
export const LOG_OPTIONS = {
  logLevel: {
    group: 'Log',
    flag: '--log-level <level>',
    variables: ['JITNEY_LOG_LEVEL'],
    type: oneOfType<LogLevel>(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    default: 'info',
    help: 'trace, debug, info, warn, error or silent',
    docs: '`trace`, `debug`, `info`, `warn`, `error` or `silent`; see [the log](log.md)',
  },
  logFormat: {
    group: 'Log',
    flag: '--log-format <pretty|json>',
    variables: ['JITNEY_LOG_FORMAT'],
    type: oneOfType<LogFormat>(['pretty', 'json']),
    default: 'pretty',
    inCode: false,
    help: 'lines for people, or one JSON object a line',
    docs: '`json`: one object a line, for a log collector',
  },
  logFile: {
    group: 'Log',
    flag: '--log-file <path>',
    variables: ['JITNEY_LOG_FILE'],
    type: textType('a file'),
    inCode: false,
    help: 'append the log to a file',
    helpDefault: 'stderr',
    docs: 'the file that the log is appended to, made if missing; failures still go to stderr too',
    docsDefault: 'stderr',
  },
  logBodies: {
    group: 'Log',
    flag: '--log-bodies',
    variables: ['JITNEY_LOG_BODIES'],
    type: SWITCH,
    default: false,
    help: 'at debug, show the beginning of the body of each message that comes in',
    docs: 'at `debug`, shows the first 256 characters of the body of each message that comes in',
  },
  log: {
    group: 'Log',
    type: codeOnly(mustBe('a function of (level, text, details)', (value) => typeof value === 'function')),
    docs: 'a function that receives the lines of the log, each with its level',
    docsDefault: 'none',
  },
} as const;
