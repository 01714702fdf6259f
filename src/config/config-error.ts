// The error for a mistake in a user's options or entities, with every problem found. `cli/` adds help and exit codes.

export type ConfigErrorKind =
  | 'bad-option'
  | 'bad-variable'
  | 'bad-queue'
  /** A topic, one of its subscriptions or one of their rules. */
  | 'bad-topic'
  /** A value is outside the range that the tier allows. */
  | 'entity-beyond-limits'
  /** The entity needs a feature that the tier does not have. */
  | 'entity-beyond-tier'
  /** The entity exists, and the property cannot change after its creation. */
  | 'entity-fixed'
  /** ENT-03: a queue has the name of an existing topic, or the reverse. */
  | 'name-in-use'
  /** FWD-02: the forwarding destination does not exist or cannot be one. */
  | 'bad-forwarding'
  /** The broker refused the entity for any other reason. */
  | 'entity-refused'
  | 'config-file-unreadable'
  | 'config-file-invalid'
  /** The file with the clock's setting in the data directory. */
  | 'clock-file-invalid';

/** Codes never change and are never reused, here or by another class of error. */
const CODES: Readonly<Record<ConfigErrorKind, string>> = {
  'bad-option': 'JIT1001',
  'bad-variable': 'JIT1002',
  'config-file-unreadable': 'JIT2001',
  'config-file-invalid': 'JIT2002',
  'bad-queue': 'JIT2003',
  'entity-beyond-limits': 'JIT2004',
  // JIT2005 belonged to features that an early version lacked.
  'entity-fixed': 'JIT2006',
  'entity-beyond-tier': 'JIT2007',
  'bad-topic': 'JIT2008',
  'name-in-use': 'JIT2009',
  'bad-forwarding': 'JIT2010',
  // JIT2011 to JIT2016 are about certificates.
  'entity-refused': 'JIT2017',
  'clock-file-invalid': 'JIT2018',
};

/** Names a queue, a topic, or with `topicName` a subscription. */
export type EntityName = { readonly topicName?: string | undefined; readonly name: string };

/** A refused property of an entity; without a property, the entity itself is refused. */
export type RefusedProperty = { readonly entity: EntityName; readonly property: string | undefined };

export class ConfigError extends Error {
  readonly kind: ConfigErrorKind;
  /** The code that the command line prints before the message, such as `JIT2006`. */
  readonly code: string;
  /** All problems found, one line each, with their location if it is known. */
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
