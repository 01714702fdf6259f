// A mistake in what the user asked for, with every problem found; codes and exit statuses are given to it by `cli/`.

export type ConfigErrorKind =
  | 'bad-option'
  | 'bad-variable'
  | 'bad-queue'
  /** Or one of its subscriptions or their rules. */
  | 'bad-topic'
  /** A value is out of the range that this tier allows. */
  | 'entity-beyond-limits'
  /** It asks for a feature that this tier does not have. */
  | 'entity-beyond-tier'
  /** The entity exists, and what is asked for is fixed when it is created. */
  | 'entity-fixed'
  /** ENT-03: a queue is to be made where there is a topic, or the reverse. */
  | 'name-in-use'
  /** FWD-02: what messages are to be forwarded to is not there, or cannot be forwarded to. */
  | 'bad-forwarding'
  /** For any other reason, which is the broker's to say. */
  | 'entity-refused'
  | 'config-file-unreadable'
  | 'config-file-invalid';

/** Codes are for ever: none is used a second time, here or by another class of error. */
const CODES: Readonly<Record<ConfigErrorKind, string>> = {
  'bad-option': 'JIT1001',
  'bad-variable': 'JIT1002',
  'config-file-unreadable': 'JIT2001',
  'config-file-invalid': 'JIT2002',
  'bad-queue': 'JIT2003',
  'entity-beyond-limits': 'JIT2004',
  // JIT2005 was about what an early version could not do.
  'entity-fixed': 'JIT2006',
  'entity-beyond-tier': 'JIT2007',
  'bad-topic': 'JIT2008',
  'name-in-use': 'JIT2009',
  'bad-forwarding': 'JIT2010',
  // Up to JIT2016 they are about certificates.
  'entity-refused': 'JIT2017',
};

/** A queue or a topic; or a subscription, which has a topic. */
export type EntityName = { readonly topicName?: string | undefined; readonly name: string };

/** What of which entity was refused; without a property it is the entity itself. */
export type RefusedProperty = { readonly entity: EntityName; readonly property: string | undefined };

export class ConfigError extends Error {
  readonly kind: ConfigErrorKind;
  /** The code that the command line prints before the message, such as `JIT2006`. */
  readonly code: string;
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
    this.code = CODES[kind];
    this.problems = problems;
    this.refused = refused;
  }
}
