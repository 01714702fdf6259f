// The rows of the table of options about the log.

import type { ActivityRecord, NotTakenMessage } from '../../watch/activity-record.js';
import type { TracedFrame } from '../../watch/traced-frame.js';
import type { Option } from './option.js';
import { codeOnly, mustBe, oneOfType, SWITCH, textType } from './option-types.js';

export type LineLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';
/** The lowest level of the lines that are shown. */
export type LogLevel = LineLevel | 'silent';
/** The record, the message or the frame that a line of the log is about. */
export type LogDetails = ActivityRecord | NotTakenMessage | TracedFrame;

export const LOG_OPTIONS = {
  logLevel: {
    flag: '--log-level <level>',
    variables: ['JITNEY_LOG_LEVEL'],
    type: oneOfType(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    isShown: true,
    default: 'info',
    help: 'trace, debug, info, warn, error or silent',
    docs: 'the lowest level of lines in [the log](log.md): `trace`, `debug`, `info`, `warn`, `error`, or `silent` for none',
  },
  logFormat: {
    flag: '--log-format <pretty|json>',
    variables: ['JITNEY_LOG_FORMAT'],
    type: oneOfType(['pretty', 'json']),
    isInCode: false,
    default: 'pretty',
    help: 'lines for people, or one JSON object per line',
    docs: '`json`: one object per line, for a log collector',
  },
  logFile: {
    flag: '--log-file <path>',
    variables: ['JITNEY_LOG_FILE'],
    type: textType('a file'),
    isInCode: false,
    defaultText: 'stderr',
    help: 'append the log to a file',
    docs: 'the file to which the log is appended, created if missing; failures still go to stderr, too',
  },
  logBodies: {
    flag: '--log-bodies',
    variables: ['JITNEY_LOG_BODIES'],
    type: SWITCH,
    isShown: true,
    default: false,
    help: 'at debug, show the beginning of the body of each message that arrives',
    docs: 'at `debug`, shows the first 256 characters of the body of each message that arrives',
  },
  log: {
    type: codeOnly(
      '(level: LineLevel, message: string, details?: LogDetails) => void',
      mustBe('a function of (level, text, details)', (value) => typeof value === 'function'),
    ),
    defaultText: 'none',
    docs: 'a function that receives each line of the log: `trace` has one for each AMQP frame, `debug` one for each thing that happens, `info` says why something did not go as a program expected, `warn` what a person should change, `error` a fault of the emulator. `details` is the record or the frame that the line is about. If the function throws, the emulator goes on, and the first error becomes a warning of the process',
  },
} as const satisfies Readonly<Record<string, Option>>;
