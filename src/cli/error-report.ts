// Every way a command can fail, as a person reads it: a stable code, what is wrong, and what to do about it.

import { flagName } from '../config/setting-choice.js';
import { DEFAULTS, type Settings } from '../config/settings.js';

export type ErrorReport = {
  readonly code: string;
  readonly message: string;
  readonly help: readonly string[];
  /** 2: the command was given wrongly; 1: anything else. */
  readonly exitCode: 1 | 2;
};

const ELSEWHERE = 'Keep it elsewhere:  --data <dir>   or nowhere:  --memory';
const OWN_CERTIFICATE = "For one of the emulator's own:  leave out --cert and --key";
const USAGE = ['See:  jitney --help'];

type Row = { readonly code: string; readonly help: readonly string[]; readonly exitCode?: 2 };

/** Those that can be done without. */
const PORTS_BESIDE = ['httpPort', 'tlsPort', 'httpsPort'] as const;

/** By the `kind` of the error, or by its name when it has none. Codes are for ever: none is used a second time. */
const ROWS: ReadonlyMap<unknown, Row> = new Map<unknown, Row>([
  ['bad-option', { code: 'JIT1001', help: USAGE, exitCode: 2 }],
  ['bad-variable', { code: 'JIT1002', help: USAGE, exitCode: 2 }],
  ['in-use', { code: 'JIT1003', help: [] }],
  ['not-permitted', { code: 'JIT1004', help: ['Ports above 1023 need no permission'] }],
  [
    'bad-address',
    { code: 'JIT1005', help: ['Only this machine:  --host localhost', 'Every address:      --host 0.0.0.0'] },
  ],
  // JIT1006 is said by `node-version.ts`, before anything else is loaded.
  ['config-file-unreadable', { code: 'JIT2001', help: [] }],
  ['config-file-invalid', { code: 'JIT2002', help: [] }],
  [
    'bad-queue',
    {
      code: 'JIT2003',
      help: ["For example:  --queue 'orders?lockDuration=PT30S&maxDeliveryCount=5'"],
      exitCode: 2,
    },
  ],
  ['entity-beyond-limits', { code: 'JIT2004', help: ['Change it, or the tier:  --tier premium'] }],
  // JIT2005 was about what an early version could not do.
  [
    'entity-fixed',
    { code: 'JIT2006', help: ['Leave it as it was, or start afresh:  --memory   or:  --data <another dir>'] },
  ],
  ['entity-beyond-tier', { code: 'JIT2007', help: ['Leave it out, or take another tier:  --tier standard'] }],
  [
    'bad-topic',
    {
      code: 'JIT2008',
      help: ["For example:  --topic 'events/audit+mail?defaultMessageTimeToLive=PT1H'"],
      exitCode: 2,
    },
  ],
  [
    'name-in-use',
    { code: 'JIT2009', help: ['Take another name, or start afresh:  --memory   or:  --data <another dir>'] },
  ],
  ['bad-forwarding', { code: 'JIT2010', help: ['Forward to another queue or topic, and name that one too'] }],
  ['certificate-unreadable', { code: 'JIT2011', help: [OWN_CERTIFICATE] }],
  ['certificate-unwritable', { code: 'JIT2012', help: ['Keep them elsewhere:  --cert-directory <dir>'] }],
  ['certificate-invalid', { code: 'JIT2013', help: [OWN_CERTIFICATE] }],
  ['certificate-key-mismatch', { code: 'JIT2014', help: [OWN_CERTIFICATE] }],
  ['certificate-expired', { code: 'JIT2015', help: [OWN_CERTIFICATE] }],
  ['authority-incomplete', { code: 'JIT2016', help: ['Start afresh elsewhere:  --cert-directory <dir>'] }],
  ['broken', { code: 'JIT3001', help: ['What clients were told is done is kept; start it again'] }],
  ['stop-overdue', { code: 'JIT3002', help: ['What clients were told is done is kept'] }],
  ['unhealthy', { code: 'JIT3003', help: [] }],
  [
    'unreachable',
    { code: 'JIT3004', help: ['Start it:  jitney start', 'On another port:  --http-port <n>'] },
  ],
  // The journal's own words say what to do about it; that there are other places is ours to say.
  ['locked', { code: 'JIT4001', help: [ELSEWHERE] }],
  ['unreadable', { code: 'JIT4002', help: [ELSEWHERE] }],
  ['corrupt', { code: 'JIT4003', help: [ELSEWHERE] }],
  ['newer-format', { code: 'JIT4004', help: [ELSEWHERE] }],
  ['unwritable', { code: 'JIT4005', help: [ELSEWHERE] }],
  ['foreign', { code: 'JIT4006', help: [ELSEWHERE] }],
]);

const UNFORESEEN: Row = { code: 'JIT5001', help: ['Not foreseen. For the stack trace:  --log-level debug'] };

export function reportOf(error: unknown, settings?: Settings): ErrorReport {
  const { kind, problems, port } = factsOf(error);
  const row = ROWS.get(kind) ?? UNFORESEEN;
  const message = error instanceof Error ? error.message : String(error);
  const help = [
    ...problems,
    ...(port === undefined ? [] : otherPorts(port, settings)),
    ...(settings === undefined ? [] : originOf(kind, settings)),
    ...row.help,
  ];
  return { code: row.code, message, help, exitCode: row.exitCode ?? 1 };
}

type Facts = {
  readonly kind: unknown;
  readonly problems: readonly string[];
  readonly port: number | undefined;
};

/** Errors of other rooms are read by their form: not each of their classes may be imported here. */
function factsOf(error: unknown): Facts {
  if (!(error instanceof Error)) return { kind: undefined, problems: [], port: undefined };
  const kind = 'kind' in error ? error.kind : error.name;
  const problems = 'problems' in error && Array.isArray(error.problems) ? error.problems.map(String) : [];
  const port = kind === 'in-use' && 'port' in error ? Number(error.port) : undefined;
  return { kind, problems, port };
}

/** Whence that has come which the entity that was asked for does not go with. */
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
    ...(port === DEFAULTS.port ? ['RabbitMQ and the official emulator use this port too'] : []),
    `Take another one:   ${flag} ${port < 65_535 ? port + 1 : port - 1}`,
    `Take any free one:  ${flag} 0`,
    ...(name === undefined ? [] : [`Do without it:      ${flag} off`]),
  ];
}

/** The report as text; `isDebug` adds the stack traces of the error and its causes. */
export function formatReport({ code, message, help }: ErrorReport, error: unknown, isDebug: boolean): string {
  const indent = ' '.repeat('✖ JIT0000  '.length);
  const lines = [`✖ ${code}  ${message}`, ...help.map((line) => `${indent}${line}`)];
  return `${lines.join('\n')}\n${isDebug ? stackOf(error) : ''}`;
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return `${error.stack}\n${error.cause === undefined ? '' : `Caused by: ${stackOf(error.cause)}`}`;
}
