// What can go wrong in a command itself, after its options have proved good.

export type CommandErrorKind = 'broken' | 'stop-overdue' | 'unhealthy' | 'unreachable';

/** Codes are for ever: none is used a second time, here or by another class of error; JIT1006 is that of `node-version.ts`. */
const CODES: Readonly<Record<CommandErrorKind, string>> = {
  broken: 'JIT3001',
  'stop-overdue': 'JIT3002',
  unhealthy: 'JIT3003',
  unreachable: 'JIT3004',
};

export class CommandError extends Error {
  readonly kind: CommandErrorKind;
  /** The code that the command line prints before the message, such as `JIT3001`. */
  readonly code: string;

  constructor(kind: CommandErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CommandError';
    this.kind = kind;
    this.code = CODES[kind];
  }
}
