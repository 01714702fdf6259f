// The error of a look into the emulator: a missing entity, a wait that ended without what was waited for, an emulator that has stopped.

export type LookErrorKind =
  | 'entity-not-found'
  /** For example a topic where a queue was expected. */
  | 'other-entity'
  /** The messages of a `waitFor` were not there in time. */
  | 'not-there'
  /** `idle` found work in progress until the end. */
  | 'not-idle'
  /** The emulator was stopped, or has failed: then `cause` says why. */
  | 'not-running';

/** Codes never change, and no other error uses them. */
const CODES: Readonly<Record<LookErrorKind, string>> = {
  'entity-not-found': 'JIT7001',
  'other-entity': 'JIT7002',
  'not-there': 'JIT7003',
  'not-idle': 'JIT7004',
  'not-running': 'JIT7005',
};

export class LookError extends Error {
  readonly kind: LookErrorKind;
  /** A stable code such as `JIT7003`. */
  readonly code: string;

  constructor(kind: LookErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'LookError';
    this.kind = kind;
    this.code = CODES[kind];
  }
}
