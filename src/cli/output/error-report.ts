// Reports for all errors of a command: a stable code, what is wrong, and what to do about it.

import { flagName } from '../../config/environment.js';
import { OPTIONS } from '../../config/options/option-table.js';
import type { Settings } from '../../config/settings.js';
import { isOfKind, JitneyError, type JitneyErrorKind } from '../../jitney-error.js';
import { createLog, type Write } from './output.js';

export function usageError(text: string, cause?: unknown): JitneyError {
  return new JitneyError('bad-option', text, { cause });
}

/** The error of a command whose output is lost, as on a full disk. */
export function outputFailure(cause: Error): JitneyError {
  return new JitneyError('output-unwritable', `The output cannot be written: ${cause.message}`, { cause });
}

export type ErrorReport = {
  readonly code: string;
  readonly message: string;
  readonly help: readonly string[];
  /** 2: a mistake in the command line; 3: not reachable; 4: no answer in time; 127: a command of `exec` that is not there; 1: anything else. */
  readonly exitCode: 1 | 2 | 3 | 4 | 127;
};

/** The exit code of a command that was interrupted. */
export const INTERRUPTED = 130;

export const HELP_INDENT = ' '.repeat('✖ JIT0000  '.length);
const OTHERS_THERE = 'RabbitMQ and the official emulator use this port too';
const NOWHERE = 'Keep it nowhere:  --memory';
const ELSEWHERE = 'Keep it elsewhere:  --data <dir>   or nowhere:  --memory';
const START_AFRESH = 'start afresh:  --reset   or:  --memory   or:  --data <another dir>';
const OWN_CERTIFICATE = "For one of the emulator's own:  leave out --cert and --key";

type Row = {
  readonly help?: readonly string[];
  /** Whether to name the help of the command. */
  readonly isUsage?: true;
  readonly exitCode?: 2 | 3 | 4 | 127;
};

/** The optional ports, which can be turned off. */
const PORTS_BESIDE = ['httpPort', 'tlsPort', 'httpsPort'] as const;

/** Adds help and the exit code to errors whose own text is not enough. The journal's texts already say what to do, so only other directories are added. */
const ROWS: Readonly<Partial<Record<JitneyErrorKind, Row>>> = {
  'bad-option': { isUsage: true, exitCode: 2 },
  'bad-variable': { isUsage: true, exitCode: 2 },
  'not-permitted': { help: ['Ports above 1023 need no permission'] },
  'bad-address': { help: ['Only this machine:  --host localhost', 'Every address:      --host 0.0.0.0'] },
  'bad-queue': {
    help: ["For example:  --queue 'orders?lockDuration=PT30S&maxDeliveryCount=5'"],
    exitCode: 2,
  },
  'bad-topic': {
    help: ["For example:  --topic 'events/audit+mail?defaultMessageTimeToLive=PT1H'"],
    exitCode: 2,
  },
  'entity-beyond-limits': { help: ['Change it, or the tier:  --tier premium'] },
  'entity-beyond-tier': { help: ['Leave it out, or take another tier:  --tier standard'] },
  'entity-fixed': { help: [`Leave it as it was, or ${START_AFRESH}`] },
  'name-in-use': { help: [`Take another name, or ${START_AFRESH}`] },
  'bad-forwarding': { help: ['Forward to another queue or topic, and name that one too'] },
  'certificate-unreadable': { help: [OWN_CERTIFICATE] },
  'certificate-unwritable': { help: ['Keep them elsewhere:  --cert-directory <dir>'] },
  'certificate-invalid': { help: [OWN_CERTIFICATE] },
  'certificate-key-mismatch': { help: [OWN_CERTIFICATE] },
  'certificate-expired': { help: [OWN_CERTIFICATE] },
  'authority-incomplete': { help: ['Start afresh elsewhere:  --cert-directory <dir>'] },
  broken: { help: ['What clients were told is done is kept; start it again'] },
  'stop-overdue': { help: ['What clients were told is done is kept'] },
  unreachable: { help: ['On another port:  --http-port <n>'] },
  'log-file-unwritable': {
    help: ['Another file:  --log-file <path>   or none, for stderr:  leave it out'],
  },
  'no-emulator': { help: ['On another port:  --port <n>'], exitCode: 3 },
  'command-not-run': { exitCode: 127 },
  'output-unwritable': { help: ['Make room, or send the output elsewhere'] },
  'not-reachable': { exitCode: 3 },
  untrusted: {
    help: ['For an emulator of another machine:  NODE_EXTRA_CA_CERTS=<its ca.pem>'],
    exitCode: 3,
  },
  'access-refused': {
    help: ['Another key:  --connection-string <text>   or, of an emulator:  JITNEY_POLICIES'],
  },
  'no-answer': { exitCode: 4 },
  locked: { help: [ELSEWHERE] },
  unreadable: { help: [ELSEWHERE] },
  corrupt: { help: [ELSEWHERE] },
  'newer-format': { help: [ELSEWHERE] },
  'older-format': { help: [ELSEWHERE] },
  unwritable: { help: [ELSEWHERE] },
  foreign: { help: [ELSEWHERE] },
  linked: { help: [ELSEWHERE] },
  'leveldb-missing': { help: [NOWHERE] },
};

const UNFORESEEN_CODE = 'JIT5001';
const UNFORESEEN_HELP = 'Not foreseen. For the stack trace:  --log-level debug';

type Advice = {
  /** A whole command that avoids the ports and the directory that are in use. */
  readonly startInstead?: string | undefined;
  /** Lines about the Jitney that has the port; undefined: another program has it. */
  readonly portHolder?: readonly string[] | undefined;
  /** The command that failed, whose help is named. Default: `start`. */
  readonly command?: string;
};

export function reportOf(
  error: unknown,
  settings?: Settings,
  { startInstead, portHolder, command }: Advice = {},
): ErrorReport {
  if (!(error instanceof JitneyError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { code: UNFORESEEN_CODE, message, help: [UNFORESEEN_HELP], exitCode: 1 };
  }
  const { kind, code, message, problems } = error;
  const { help = [], isUsage = false, exitCode = 1 } = ROWS[kind] ?? {};
  const port = takenPort(error);
  const lines = [
    ...problems,
    ...(portHolder ?? (port === OPTIONS.port.default ? [OTHERS_THERE] : [])),
    ...(startInstead === undefined ? [] : [`Start it beside:    ${startInstead}`]),
    ...(port === undefined ? [] : otherPorts(port, settings)),
    ...(settings === undefined ? [] : originOf(kind, settings)),
    ...help.filter((line) => isHelpOf(command, line)),
    ...(kind === 'needs-session' ? sessionHelp(command) : []),
    ...(isUsage ? [seeHelp(command)] : []),
  ];
  return { code, message, help: lines, exitCode };
}

/** Whether the help applies to the command: a check keeps nothing elsewhere, and an update starts nothing afresh. */
function isHelpOf(command: string | undefined, line: string): boolean {
  if (command === 'check') return line !== ELSEWHERE && line !== NOWHERE;
  return command?.startsWith('update ') !== true || !line.endsWith(START_AFRESH);
}

/** The port that is in use, from Node's error; undefined for any other error. */
export function takenPort(error: unknown): number | undefined {
  if (!isOfKind(error, 'in-use')) return undefined;
  const { port } = error.cause as { readonly port?: number };
  return port;
}

/** The help for an entity with sessions, with the options of the command. */
function sessionHelp(command: string | undefined): readonly string[] {
  if (command === 'send') return ['Name it:  --session <id>'];
  return command === 'receive' ? ['Name it:  --session <id>   or take any:  --next-session'] : [];
}

/** Commands that take the options of a start, which their own help does not list. */
const LIKE_START: readonly string[] = ['config', 'certs', 'env'];

/** Names the help of a command, or without one, the help of all commands. */
export function seeHelp(command?: string): string {
  if (command === undefined) return 'See:  jitney --help';
  const own = `See:  jitney ${command} --help`;
  return LIKE_START.includes(command) ? `${own}   and, for the options of a start:  jitney --help` : own;
}

/** Which stored entity or setting conflicts with the requested one. */
function originOf(kind: JitneyErrorKind, { dataDirectory, tier, tierFrom }: Settings): string[] {
  if ((kind === 'entity-fixed' || kind === 'name-in-use') && dataDirectory !== undefined) {
    return [`The stored entity of that name is kept, with its messages, in ${dataDirectory}`];
  }
  if (kind !== 'entity-beyond-tier' || tierFrom === undefined) return [];
  return [`The tier is given by ${tierFrom}${tierFrom.startsWith('--') ? ' ' : '='}${tier}`];
}

function otherPorts(port: number, settings: Settings | undefined): string[] {
  const name = PORTS_BESIDE.find((one) => settings?.[one] === port);
  const flag = flagName(name ?? 'port');
  return [
    `Take any free one:  ${flag} 0`,
    ...(name === undefined ? [] : [`Do without it:      ${flag} off`]),
  ];
}

type Printing = Advice & {
  readonly stderr: Write;
  readonly isJson?: boolean | undefined;
};

/** Writes the report of an error, as text with its stack trace at log level `debug`, and returns the exit code. An interrupt needs no words. */
export function printError(
  error: unknown,
  settings: Settings | undefined,
  { stderr, isJson = false, ...advice }: Printing,
): number {
  if (isOfKind(error, 'interrupted')) return INTERRUPTED;
  const report = reportOf(error, settings, advice);
  const { isDebug } = createLog(settings?.logLevel ?? 'info', stderr);
  stderr(isJson ? jsonReport(report) : formatReport(report, error, isDebug));
  return report.exitCode;
}

export function jsonReport({ code, message, help }: Omit<ErrorReport, 'exitCode'>): string {
  return `${JSON.stringify({ error: { code, message, help } })}\n`;
}

/** The report as text; `isDebug` adds the stack traces of the error and its causes. */
export function formatReport({ code, message, help }: ErrorReport, error: unknown, isDebug: boolean): string {
  const lines = [`✖ ${code}  ${message}`, ...help.map((line) => `${HELP_INDENT}${line}`)];
  return `${lines.join('\n')}\n${isDebug ? stackOf(error) : ''}`;
}

export function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return `${error.stack}\n${error.cause === undefined ? '' : `Caused by: ${stackOf(error.cause)}`}`;
}
