// Loads LevelDB. Its package is optional, and its native part does not exist for every system.

import { journalError } from '../../journal-error.js';

const REBUILD = 'Build its native part for this system: `npm rebuild classic-level`.';

/** Throws a JournalError about the directory if the package or its native part is missing. */
export async function loadLevel(directory: string): Promise<typeof import('level').Level> {
  try {
    const { Level } = await import('level');
    return Level;
  } catch (cause) {
    // Only the first line: the others list where it was looked for.
    const [seen = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n', 1);
    const isMissing = cause instanceof Error && 'code' in cause && /MODULE_NOT_FOUND/.test(`${cause.code}`);
    throw journalError(
      'leveldb-missing',
      directory,
      seen,
      isMissing ? { cause } : { cause, remedy: REBUILD },
    );
  }
}
