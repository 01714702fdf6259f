// Whether another process has a LevelDB store open, found out without changing the store.

import { translateError } from '../journal-error.js';

/** Throws a JournalError when it is locked. Files that somebody else is writing do not fit together at every moment. */
export async function refuseLocked(directory: string): Promise<void> {
  const { Level } = await import('level');
  // LevelDB takes its lock before it minds that the store exists, and then changes nothing.
  const probe = new Level(directory, { createIfMissing: false, errorIfExists: true });
  const refusal = await probe
    .open()
    .catch((error: unknown) => translateError(error, directory, 'unreadable'));
  if (refusal?.kind === 'locked') throw refusal;
}
