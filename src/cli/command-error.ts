// What can go wrong in a command itself, after its options have proved good.

export type CommandErrorKind = 'broken' | 'stop-overdue' | 'unhealthy' | 'unreachable';

export class CommandError extends Error {
  readonly kind: CommandErrorKind;

  constructor(kind: CommandErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CommandError';
    this.kind = kind;
  }
}
