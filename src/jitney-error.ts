// The error of Jitney: one class for whatever a person can act on, with a kind in words, a code, and lines that say more.

/** Codes never change and are never reused; docs/errors.md explains them. JIT1006 is in `cli/node-version.ts`. */
const CODES = {
  'bad-option': 'JIT1001',
  'bad-variable': 'JIT1002',
  /** A port is taken. */
  'in-use': 'JIT1003',
  /** This user may not listen on the port. */
  'not-permitted': 'JIT1004',
  'bad-address': 'JIT1005',

  'config-file-unreadable': 'JIT2001',
  'config-file-invalid': 'JIT2002',
  'bad-queue': 'JIT2003',
  /** A value is outside the range that the tier allows. */
  'entity-beyond-limits': 'JIT2004',
  // JIT2005 belonged to features that an early version lacked.
  /** The entity exists, and the property cannot change after its creation. */
  'entity-fixed': 'JIT2006',
  /** The entity needs a feature that the tier does not have. */
  'entity-beyond-tier': 'JIT2007',
  /** A topic, one of its subscriptions or one of their rules. */
  'bad-topic': 'JIT2008',
  /** ENT-03: a queue has the name of an existing topic, or the reverse. */
  'name-in-use': 'JIT2009',
  /** FWD-02: the forwarding destination does not exist or cannot be one. */
  'bad-forwarding': 'JIT2010',
  /** A file cannot be read, or the folder cannot be written to. */
  'certificate-unreadable': 'JIT2011',
  'certificate-unwritable': 'JIT2012',
  /** A file does not contain the expected PEM. */
  'certificate-invalid': 'JIT2013',
  'certificate-key-mismatch': 'JIT2014',
  'certificate-expired': 'JIT2015',
  /** Certificate or key of our own authority is missing, or the two do not belong together. */
  'authority-incomplete': 'JIT2016',
  /** The broker refused the entity for any other reason. */
  'entity-refused': 'JIT2017',
  /** The file with the clock's setting in the data directory. */
  'clock-file-invalid': 'JIT2018',
  /** A template, or another file with the definitions of a namespace. */
  'definitions-invalid': 'JIT2019',
  'definitions-unreadable': 'JIT2020',
  /** A line of the seed cannot be read, or the broker refuses its message. */
  'bad-seed': 'JIT2021',

  broken: 'JIT3001',
  'stop-overdue': 'JIT3002',
  unhealthy: 'JIT3003',
  /** Nothing answers a health check. */
  unreachable: 'JIT3004',
  'log-file-unwritable': 'JIT3005',
  /** No running Jitney answers a command that asks one. */
  'no-emulator': 'JIT3006',
  /** The control interface of a running Jitney has refused a call. */
  'call-refused': 'JIT3007',
  /** Standard output cannot be written, for another reason than that its reader is gone. */
  'output-unwritable': 'JIT3008',
  /** The command after `jitney exec --` is not there, or may not be run. */
  'command-not-run': 'JIT3009',
  /** An optional package that this command needs is not installed. */
  'package-missing': 'JIT3010',

  /** Another process has the data directory open. */
  locked: 'JIT4001',
  /** The data directory cannot be used: missing rights, not a directory, a read error. */
  unreadable: 'JIT4002',
  /** Its files are not as they were written. */
  corrupt: 'JIT4003',
  /** A later version has written it. */
  'newer-format': 'JIT4004',
  /** A write to it failed: the disk is full or gone. */
  unwritable: 'JIT4005',
  /** A reset was requested, but it holds files that no emulator wrote. */
  foreign: 'JIT4006',
  /** There is a symbolic link in it. */
  linked: 'JIT4007',
  /** An earlier version has written it. */
  'older-format': 'JIT4008',
  /** The optional package of LevelDB, or its native part, is not installed. */
  'leveldb-missing': 'JIT4009',

  'not-reachable': 'JIT6001',
  /** The certificate of the service is not trusted here. */
  untrusted: 'JIT6002',
  /** The key or the token is wrong, or lacks the right. */
  'access-refused': 'JIT6003',
  'no-entity': 'JIT6004',
  /** The entity requires sessions, and none is named. */
  'needs-session': 'JIT6005',
  /** Another receiver holds the session. */
  'session-held': 'JIT6006',
  /** No session has a message, and time is up. */
  'no-session': 'JIT6007',
  /** Any other refusal, in the words of the service. */
  refused: 'JIT6008',
  'connection-lost': 'JIT6009',
  'no-answer': 'JIT6010',
  interrupted: 'JIT6011',
  /** The link or its AMQP session ended before the service had answered. */
  'link-ended': 'JIT6012',
  /** A command creates what is there already. */
  'entity-exists': 'JIT6013',

  'entity-not-found': 'JIT7001',
  /** For example a topic where a queue was expected. */
  'other-entity': 'JIT7002',
  /** The messages of a `waitFor` were not there in time. */
  'not-there': 'JIT7003',
  /** `idle` found work in progress until the end. */
  'not-idle': 'JIT7004',
  /** The emulator was stopped, or has failed: then `cause` says why. */
  'not-running': 'JIT7005',
  /** Bytes that are no snapshot of this format, or are damaged; or there is too much for one. */
  'bad-snapshot': 'JIT7006',
  /** This Node cannot be made to trust a certificate while it runs. */
  'no-trust': 'JIT7007',
} as const;

export type JitneyErrorKind = keyof typeof CODES;

/** Names a queue, a topic, or with `topicName` a subscription. */
export type EntityName = { readonly topicName?: string | undefined; readonly name: string };

/** A refused property of an entity; without a property, the entity itself is refused. */
export type RefusedProperty = { readonly entity: EntityName; readonly property: string | undefined };

type Details = {
  readonly problems?: readonly string[];
  readonly cause?: unknown;
  readonly refused?: RefusedProperty | undefined;
  readonly seen?: string;
};

/** Known by this and not by its class: a process that imports and requires the package, or has it twice, has several classes. */
const BRAND = Symbol.for('jitney.error');

/** An error with a stable `code` such as `JIT2006`, and a `kind` in words such as `entity-fixed`. */
export class JitneyError extends Error {
  readonly kind: JitneyErrorKind;
  /** The code that the command line prints before the message. */
  readonly code: string;
  /** Lines that the command line prints below the message: each problem with its location, or what to do. */
  readonly problems: readonly string[];
  /** The entity, and its property, that the configuration asks for and the broker refuses. */
  readonly refused: RefusedProperty | undefined;
  /** The condition found in a data directory, without the sentence around it. */
  readonly seen: string | undefined;

  constructor(kind: JitneyErrorKind, message: string, { problems = [], cause, refused, seen }: Details = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'JitneyError';
    this.kind = kind;
    this.code = CODES[kind];
    this.problems = problems;
    this.refused = refused;
    this.seen = seen;
  }

  // Not a declared member: the types of two copies of the package would differ by it.
  static {
    Object.defineProperty(JitneyError.prototype, BRAND, { value: true });
  }
}

export function isJitneyError(error: unknown): error is JitneyError {
  return typeof error === 'object' && error !== null && BRAND in error;
}

/** Whether it is a JitneyError of this kind. */
export function isOfKind(error: unknown, kind: JitneyErrorKind): error is JitneyError {
  return isJitneyError(error) && error.kind === kind;
}
