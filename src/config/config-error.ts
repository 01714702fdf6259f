// A mistake in what the user asked for, with every problem found; codes and exit statuses are given to it by `cli/`.

export type ConfigErrorKind =
  | 'bad-option'
  | 'bad-variable'
  | 'bad-queue'
  | 'config-file-unreadable'
  | 'config-file-invalid';

export class ConfigError extends Error {
  readonly kind: ConfigErrorKind;
  /** One line each, located where that is possible. */
  readonly problems: readonly string[];

  constructor(kind: ConfigErrorKind, message: string, problems: readonly string[] = [], cause?: unknown) {
    super(message, { cause });
    this.name = 'ConfigError';
    this.kind = kind;
    this.problems = problems;
  }
}
