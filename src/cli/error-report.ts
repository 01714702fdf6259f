// Reports of every way a command can fail: a stable code, what is wrong, and what to do about it.

import { flagName } from '../config/environment.js';
import { OPTIONS } from '../config/option-table.js';
import type { Settings } from '../config/settings.js';
import { createLog, type Write } from './output.js';

type CommandErrorKind =
  | 'broken'
  | 'stop-overdue'
  | 'unhealthy'
  | 'unreachable'
  | 'log-file-unwritable'
  /** No running Jitney answers a command that asks one. */
  | 'not-running'
  /** The control interface of a running Jitney has refused a call. */
  | 'call-refused'
  /** Standard output cannot be written, for another reason than that its reader is gone. */
  | 'output-unwritable';

/** Codes never change and are never reused, here or by another class of error. `node-version.ts` has JIT1006. */
const CODES: Readonly<Record<CommandErrorKind, string>> = {
  broken: 'JIT3001',
  'stop-overdue': 'JIT3002',
  unhealthy: 'JIT3003',
  unreachable: 'JIT3004',
  'log-file-unwritable': 'JIT3005',
  'not-running': 'JIT3006',
  'call-refused': 'JIT3007',
  'output-unwritable': 'JIT3008',
};

export class CommandError extends Error {
  readonly kind: CommandErrorKind;
  /** The code that the command line prints before the message, such as `JIT3001`. */
  readonly code: string;
  /** Lines that the command line prints below the message. */
  readonly problems: readonly string[];

  constructor(kind: CommandErrorKind, message: string, cause?: unknown, problems: readonly string[] = []) {
    super(message, { cause });
    this.name = 'CommandError';
    this.kind = kind;
    this.problems = problems;
    this.code = CODES[kind];
  }
}

/** The error of a command whose output is lost, as on a full disk. */
export function outputFailure(cause: Error): CommandError {
  return new CommandError('output-unwritable', `The output cannot be written: ${cause.message}`, cause);
}

export type ErrorReport = {
  readonly code: string;
  readonly message: string;
  readonly help: readonly string[];
  /** 2: a mistake in the command line; 3: not reachable; 4: no answer in time; 1: anything else. */
  readonly exitCode: 1 | 2 | 3 | 4;
};

export const HELP_INDENT = ' '.repeat('✖ JIT0000  '.length);
const ELSEWHERE = 'Keep it elsewhere:  --data <dir>   or nowhere:  --memory';
const NOWHERE = 'Keep it nowhere:  --memory';
const OWN_CERTIFICATE = "For one of the emulator's own:  leave out --cert and --key";

type Row = {
  readonly help: readonly string[];
  /** Whether the help of the command is named. */
  readonly isUsage?: true;
  readonly exitCode?: 2 | 3 | 4;
};

/** Optional ports, which can be turned off. */
const PORTS_BESIDE = ['httpPort', 'tlsPort', 'httpsPort'] as const;

/** Help and exit code by the `kind` of the error. */
const ROWS: ReadonlyMap<unknown, Row> = new Map<unknown, Row>([
  ['bad-option', { help: [], isUsage: true, exitCode: 2 }],
  ['bad-variable', { help: [], isUsage: true, exitCode: 2 }],
  ['in-use', { help: [] }],
  ['not-permitted', { help: ['Ports above 1023 need no permission'] }],
  ['bad-address', { help: ['Only this machine:  --host localhost', 'Every address:      --host 0.0.0.0'] }],
  ['config-file-unreadable', { help: [] }],
  ['config-file-invalid', { help: [] }],
  ['clock-file-invalid', { help: [] }],
  [
    'bad-queue',
    {
      help: ["For example:  --queue 'orders?lockDuration=PT30S&maxDeliveryCount=5'"],
      exitCode: 2,
    },
  ],
  ['entity-beyond-limits', { help: ['Change it, or the tier:  --tier premium'] }],
  [
    'entity-fixed',
    { help: ['Leave it as it was, or start afresh:  --reset   or:  --memory   or:  --data <another dir>'] },
  ],
  ['entity-beyond-tier', { help: ['Leave it out, or take another tier:  --tier standard'] }],
  [
    'bad-topic',
    {
      help: ["For example:  --topic 'events/audit+mail?defaultMessageTimeToLive=PT1H'"],
      exitCode: 2,
    },
  ],
  [
    'name-in-use',
    { help: ['Take another name, or start afresh:  --reset   or:  --memory   or:  --data <another dir>'] },
  ],
  ['bad-forwarding', { help: ['Forward to another queue or topic, and name that one too'] }],
  ['entity-refused', { help: [] }],
  ['certificate-unreadable', { help: [OWN_CERTIFICATE] }],
  ['certificate-unwritable', { help: ['Keep them elsewhere:  --cert-directory <dir>'] }],
  ['certificate-invalid', { help: [OWN_CERTIFICATE] }],
  ['certificate-key-mismatch', { help: [OWN_CERTIFICATE] }],
  ['certificate-expired', { help: [OWN_CERTIFICATE] }],
  ['authority-incomplete', { help: ['Start afresh elsewhere:  --cert-directory <dir>'] }],
  ['broken', { help: ['What clients were told is done is kept; start it again'] }],
  ['stop-overdue', { help: ['What clients were told is done is kept'] }],
  ['not-running', { help: ['Start it:  jitney start', 'On another port:  --port <n>'], exitCode: 3 }],
  ['call-refused', { help: [] }],
  ['output-unwritable', { help: ['Make room, or send the output elsewhere'] }],
  ['unhealthy', { help: [] }],
  ['unreachable', { help: ['Start it:  jitney start', 'On another port:  --http-port <n>'] }],
  [
    'log-file-unwritable',
    { help: ['Another file:  --log-file <path>   or none, for stderr:  leave it out'] },
  ],
  ['not-reachable', { help: [], exitCode: 3 }],
  [
    'untrusted',
    { help: ['For an emulator of another machine:  NODE_EXTRA_CA_CERTS=<its ca.pem>'], exitCode: 3 },
  ],
  [
    'access-refused',
    { help: ['Another key:  --connection-string <text>   or, of an emulator:  JITNEY_POLICIES'] },
  ],
  ['no-entity', { help: [] }],
  ['needs-session', { help: [] }],
  ['session-held', { help: [] }],
  ['no-session', { help: [] }],
  ['refused', { help: [] }],
  ['connection-lost', { help: [] }],
  ['no-answer', { help: [], exitCode: 4 }],
  ['link-ended', { help: [] }],
  // The journal's own text says what to do about it; only the other directories are added here.
  ['locked', { help: [ELSEWHERE] }],
  ['unreadable', { help: [ELSEWHERE] }],
  ['corrupt', { help: [ELSEWHERE] }],
  ['newer-format', { help: [ELSEWHERE] }],
  ['unwritable', { help: [ELSEWHERE] }],
  ['foreign', { help: [ELSEWHERE] }],
  ['linked', { help: [ELSEWHERE] }],
  ['leveldb-missing', { help: [NOWHERE] }],
]);

const UNFORESEEN_CODE = 'JIT5001';
const UNFORESEEN: Row = { help: ['Not foreseen. For the stack trace:  --log-level debug'] };

type Advice = {
  /** A whole command that works beside what has the ports or the directory. */
  readonly startInstead?: string | undefined;
  /** The command that failed, whose help is named. Default: `start`. */
  readonly command?: string;
};

export function reportOf(
  error: unknown,
  settings?: Settings,
  { startInstead, command }: Advice = {},
): ErrorReport {
  const { kind, code, problems, port } = factsOf(error);
  const row = ROWS.get(kind) ?? UNFORESEEN;
  const message = error instanceof Error ? error.message : String(error);
  const help = [
    ...problems,
    ...(port === OPTIONS.port.default ? ['RabbitMQ and the official emulator use this port too'] : []),
    ...(startInstead === undefined ? [] : [`Start it beside:    ${startInstead}`]),
    ...(port === undefined ? [] : otherPorts(port, settings)),
    ...(settings === undefined ? [] : originOf(kind, settings)),
    // A check names one directory, and keeps nothing.
    ...row.help.filter((line) => command !== 'check' || (line !== ELSEWHERE && line !== NOWHERE)),
    ...(kind === 'needs-session' ? sessionHelp(command) : []),
    ...(row.isUsage ? [seeHelp(command)] : []),
  ];
  return { code, message, help, exitCode: row.exitCode ?? 1 };
}

/** By the options of the command. */
function sessionHelp(command: string | undefined): readonly string[] {
  if (command === 'send') return ['Name it:  --session <id>'];
  return command === 'receive' ? ['Name it:  --session <id>   or take any:  --next-session'] : [];
}

/** Commands that take the options of a start: their own help does not list those. */
const LIKE_START: readonly string[] = ['config', 'certs', 'env'];

/** Without a command, the help of all. */
export function seeHelp(command?: string): string {
  if (command === undefined) return 'See:  jitney --help';
  const own = `See:  jitney ${command} --help`;
  return LIKE_START.includes(command) ? `${own}   and, for the options of a start:  jitney --help` : own;
}

/** Whether the error has its own code and remedy, like a full disk. */
export function isForeseen(error: unknown): boolean {
  return factsOf(error).code !== UNFORESEEN_CODE;
}

type Facts = {
  readonly kind: unknown;
  readonly code: string;
  readonly problems: readonly string[];
  readonly port: number | undefined;
};

/** Reads errors of other folders by their properties, because not all of their classes may be imported here. */
function factsOf(error: unknown): Facts {
  if (!(error instanceof Error)) {
    return { kind: undefined, code: UNFORESEEN_CODE, problems: [], port: undefined };
  }
  const kind = 'kind' in error ? error.kind : undefined;
  // Node's own errors have codes such as EACCES.
  const code = 'code' in error && ROWS.has(kind) ? String(error.code) : UNFORESEEN_CODE;
  const problems = 'problems' in error && Array.isArray(error.problems) ? error.problems.map(String) : [];
  const port = kind === 'in-use' && 'port' in error ? Number(error.port) : undefined;
  return { kind, code, problems, port };
}

/** Which stored entity or setting conflicts with the requested one. */
function originOf(kind: unknown, { dataDirectory, tier, tierFrom }: Settings): string[] {
  if ((kind === 'entity-fixed' || kind === 'name-in-use') && dataDirectory !== undefined) {
    return [`What there is of that name is kept with its messages in ${dataDirectory}`];
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

/** Writes the report of an error, with its stack trace at log level `debug`, and returns the exit code. */
export function printError(
  error: unknown,
  settings: Settings | undefined,
  { stderr, ...advice }: Advice & { readonly stderr: Write },
): number {
  const report = reportOf(error, settings, advice);
  const { isDebug } = createLog(settings?.logLevel ?? 'info', stderr);
  stderr(formatReport(report, error, isDebug));
  return report.exitCode;
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
