// A mistake in what the user asked for, with every problem found; codes and exit statuses are given to it by `cli/`.

export type ConfigErrorKind =
  | 'bad-option'
  | 'bad-variable'
  | 'bad-queue'
  /** A value is out of the range that this tier allows. */
  | 'queue-beyond-limits'
  /** It asks for what this version cannot do. */
  | 'queue-not-implemented'
  /** It asks for a feature that this tier does not have. */
  | 'queue-beyond-tier'
  /** The queue exists, and what is asked for is fixed when it is created. */
  | 'queue-fixed'
  | 'config-file-unreadable'
  | 'config-file-invalid';

/** What of which queue was refused. */
export type RefusedProperty = { readonly queueName: string; readonly property: string };

export class ConfigError extends Error {
  readonly kind: ConfigErrorKind;
  /** One line each, located where that is possible. */
  readonly problems: readonly string[];
  readonly refused: RefusedProperty | undefined;

  constructor(
    kind: ConfigErrorKind,
    message: string,
    problems: readonly string[] = [],
    cause?: unknown,
    refused?: RefusedProperty,
  ) {
    super(message, { cause });
    this.name = 'ConfigError';
    this.kind = kind;
    this.problems = problems;
    this.refused = refused;
  }
}
