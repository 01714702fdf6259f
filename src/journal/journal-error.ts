// What can be wrong with a journal, said so that its user knows what to do; nothing is ever deleted or repaired here.

export type JournalErrorKind =
  /** Another process has it open. */
  | 'locked'
  /** The directory cannot be used: missing rights, not a directory, a read error. */
  | 'unreadable'
  /** A write failed: the disk is full or gone. */
  | 'unwritable'
  /** What is there is not what was written. */
  | 'corrupt'
  /** Written by a later version. */
  | 'newer-format'
  /** It is to be reset, and something in it is not an emulator's. */
  | 'foreign';

const REMEDY: Readonly<Record<JournalErrorKind, string>> = {
  locked: 'Stop the other emulator, or give this one a directory of its own.',
  unreadable: 'Check that it is a directory that this user may read and write.',
  unwritable: 'Check that the disk is there and has room; everything accepted before is kept.',
  corrupt: 'Nothing was repaired or deleted. Put back a copy of it, or move it away to start empty.',
  'newer-format': 'Start the version that wrote it, or choose another directory.',
  foreign: 'Nothing was removed. Move that away, or choose another directory.',
};

const OF_KIND: Readonly<Record<JournalErrorKind, string>> = {
  locked: 'is in use by another process',
  unreadable: 'cannot be read',
  unwritable: 'cannot be written',
  corrupt: 'is damaged',
  'newer-format': 'has a newer format',
  foreign: "is not reset, because it is not only an emulator's",
};

/** Codes are for ever: none is used a second time, here or by another class of error. */
const CODES: Readonly<Record<JournalErrorKind, string>> = {
  locked: 'JIT4001',
  unreadable: 'JIT4002',
  corrupt: 'JIT4003',
  'newer-format': 'JIT4004',
  unwritable: 'JIT4005',
  foreign: 'JIT4006',
};

export class JournalError extends Error {
  readonly kind: JournalErrorKind;
  /** The code that the command line prints before the message, such as `JIT4001`. */
  readonly code: string;
  /** The directory. */
  readonly place: string;
  /** What was found there. */
  readonly seen: string;

  /** `remedy` takes the place of the usual one of that kind. */
  constructor(
    kind: JournalErrorKind,
    place: string,
    seen: string,
    { remedy = REMEDY[kind], ...options }: ErrorOptions & { readonly remedy?: string } = {},
  ) {
    // What LevelDB says of its lock adds nothing.
    const detail = kind === 'locked' ? '' : `: ${seen}`;
    super(`The journal in ${place} ${OF_KIND[kind]}${detail}. ${remedy}`, options);
    this.name = 'JournalError';
    this.kind = kind;
    this.code = CODES[kind];
    this.place = place;
    this.seen = seen;
  }
}

/** What LevelDB or the file system said, as a JournalError; `otherwise` is its kind when they leave it open. */
export function translateError(
  error: unknown,
  place: string,
  otherwise: 'unreadable' | 'unwritable',
): JournalError {
  if (error instanceof JournalError) return error;
  const cause = innermost(error);
  const seen = cause instanceof Error ? cause.message : String(cause);
  return new JournalError(kindOf(cause, seen) ?? otherwise, place, seen, { cause: error });
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
