// Errors of a journal, each with a remedy for the user. The emulator does not delete or repair a journal on its own.

import { JitneyError } from '../jitney-error.js';

type JournalErrorKind = keyof typeof REMEDY;
export type JournalError = JitneyError & { readonly kind: JournalErrorKind; readonly seen: string };

const REMEDY = {
  locked: 'Stop the other emulator, or give this one a directory of its own.',
  unreadable: 'Check that it is a directory that this user may read and write.',
  unwritable: 'Check that the disk is there and has room. Everything accepted before is kept.',
  corrupt:
    'Nothing was repaired or deleted. `jitney check <data directory>` lists the damage and saves what can be read. Or restore a backup of the directory, or move it away to start empty.',
  'newer-format': 'Start the version that wrote it, or choose another directory.',
  'older-format':
    'Start with --reset (in code: reset: true), which removes it and begins empty, or choose another directory.',
  foreign: 'Nothing was removed. Move it away, or choose another directory.',
  linked:
    'An emulator would write to what the link leads to. Remove the link, or choose another directory. The data directory itself may be a link.',
  'leveldb-missing': 'Install its package: `npm install level@10`.',
} as const;

const PROBLEM: Readonly<Record<JournalErrorKind, string>> = {
  locked: 'is in use by another process',
  unreadable: 'cannot be read',
  unwritable: 'cannot be written',
  corrupt: 'is damaged',
  'newer-format': 'has a newer format',
  'older-format': 'has an older format',
  foreign: 'is not reset, because not everything in it was written by an emulator',
  linked: 'is not opened, because it contains a link',
  'leveldb-missing': 'is not opened, because LevelDB cannot be loaded',
};

/** `location` is the directory, or `memory`; `seen` is what was found there. `remedy` replaces the default one of the kind. */
export function journalError(
  kind: JournalErrorKind,
  location: string,
  seen: string,
  { remedy = REMEDY[kind], cause }: { readonly remedy?: string; readonly cause?: unknown } = {},
): JournalError {
  // LevelDB's own text about its lock adds nothing.
  const detail = kind === 'locked' ? '' : `: ${seen}`;
  const message = `The journal in ${location} ${PROBLEM[kind]}${detail}. ${remedy}`;
  return new JitneyError(kind, message, { cause, seen }) as JournalError;
}

export function isJournalError(error: unknown): error is JournalError {
  return error instanceof JitneyError && error.kind in REMEDY;
}

/**
 * Converts an error of LevelDB or the file system. `otherwise` is the kind if the error does not determine one. `directory` is the data
 * directory that the user names, if the location is inside of it.
 */
export function translateError(
  error: unknown,
  location: string,
  otherwise: 'unreadable' | 'unwritable',
  directory: string = location,
): JournalError {
  if (isJournalError(error)) return error;
  const cause = innermost(error);
  const seen = cause instanceof Error ? cause.message : String(cause);
  const kind = kindOf(cause, seen) ?? otherwise;
  const uid = process.getuid?.();
  const isDenied = kind === 'unreadable' && uid !== undefined && /EACCES|EPERM|denied/i.test(seen);
  return journalError(kind, location, seen, {
    cause: error,
    ...(isDenied && { remedy: accessRemedy(directory, uid) }),
  });
}

/** The remedy for a missing permission. In a container the process often runs as another user than the owner of the directory. */
function accessRemedy(directory: string, uid: number): string {
  return `This process runs as the user with id ${uid}. Make ${directory} for that user or give it to them (chown -R ${uid} ${directory}), run as its owner (in a container: --user), or choose another directory.`;
}

/** Unwraps the reason of a failed open, which abstract-level wraps once. */
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
