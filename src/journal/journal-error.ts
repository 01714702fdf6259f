// Errors of a journal, each with a remedy for the user. The emulator does not delete or repair a journal on its own.

type JournalErrorKind =
  /** Another process has it open. */
  | 'locked'
  /** The directory cannot be used: missing rights, not a directory, a read error. */
  | 'unreadable'
  /** A write failed: the disk is full or gone. */
  | 'unwritable'
  /** The files are not as they were written. */
  | 'corrupt'
  /** Written by a later version. */
  | 'newer-format'
  /** A reset was requested, but the directory holds files that no emulator wrote. */
  | 'foreign'
  /** There is a symbolic link in it. */
  | 'linked'
  /** The optional package of LevelDB, or its native part, is not installed. */
  | 'leveldb-missing';

const REMEDY: Readonly<Record<JournalErrorKind, string>> = {
  locked: 'Stop the other emulator, or give this one a directory of its own.',
  unreadable: 'Check that it is a directory that this user may read and write.',
  unwritable: 'Check that the disk is there and has room; everything accepted before is kept.',
  corrupt:
    'Nothing was repaired or deleted. `jitney check <data directory>` lists the damage and saves what can be read. Or put back a copy of it, or move it away to start empty.',
  'newer-format': 'Start the version that wrote it, or choose another directory.',
  foreign: 'Nothing was removed. Move that away, or choose another directory.',
  linked:
    'An emulator would write to what the link leads to. Remove the link, or choose another directory. The data directory itself may be a link.',
  'leveldb-missing': 'Install its package: `npm install level@10`.',
};

const PROBLEM: Readonly<Record<JournalErrorKind, string>> = {
  locked: 'is in use by another process',
  unreadable: 'cannot be read',
  unwritable: 'cannot be written',
  corrupt: 'is damaged',
  'newer-format': 'has a newer format',
  foreign: "is not reset, because it is not only an emulator's",
  linked: 'is not opened, because it has a link in it',
  'leveldb-missing': 'is not opened, because LevelDB cannot be loaded',
};

/** Codes never change and are never reused, here or in another class of error. */
const CODES: Readonly<Record<JournalErrorKind, string>> = {
  locked: 'JIT4001',
  unreadable: 'JIT4002',
  corrupt: 'JIT4003',
  'newer-format': 'JIT4004',
  unwritable: 'JIT4005',
  foreign: 'JIT4006',
  linked: 'JIT4007',
  'leveldb-missing': 'JIT4008',
};

export class JournalError extends Error {
  readonly kind: JournalErrorKind;
  /** The code that the command line prints before the message, such as `JIT4001`. */
  readonly code: string;
  /** The directory, or `memory`. */
  readonly place: string;
  /** The condition that was found there. */
  readonly seen: string;

  /** `remedy` replaces the default one of the kind. */
  constructor(
    kind: JournalErrorKind,
    location: string,
    seen: string,
    { remedy = REMEDY[kind], ...options }: ErrorOptions & { readonly remedy?: string } = {},
  ) {
    // LevelDB's own text about its lock adds nothing.
    const detail = kind === 'locked' ? '' : `: ${seen}`;
    super(`The journal in ${location} ${PROBLEM[kind]}${detail}. ${remedy}`, options);
    this.name = 'JournalError';
    this.kind = kind;
    this.code = CODES[kind];
    this.place = location;
    this.seen = seen;
  }
}

/** Converts an error of LevelDB or the file system. `otherwise` is the kind when the error does not determine it. */
export function translateError(
  error: unknown,
  location: string,
  otherwise: 'unreadable' | 'unwritable',
): JournalError {
  if (error instanceof JournalError) return error;
  const cause = innermost(error);
  const seen = cause instanceof Error ? cause.message : String(cause);
  return new JournalError(kindOf(cause, seen) ?? otherwise, location, seen, { cause: error });
}

/** abstract-level wraps the reason of a failed open once. */
function innermost(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}

function kindOf(cause: unknown, seen: string): JournalErrorKind | undefined {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'LEVEL_LOCKED') return 'locked';
  if (code === 'LEVEL_CORRUPTION') return 'corrupt';
  if (/no space left|quota exceeded|file too large/i.test(seen)) return 'unwritable';
  if (/permission denied|not permitted|read-only|not a directory/i.test(seen)) return 'unreadable';
  return undefined;
}
