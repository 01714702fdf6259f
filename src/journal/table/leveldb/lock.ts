// Detects whether another process has a LevelDB store open, without changing the store.

import { translateError } from '../../journal-error.js';
import { loadLevel } from './load-level.js';

/** Throws a JournalError if the store is locked. Files that another process is writing can be inconsistent without being damaged. */
export async function refuseLocked(directory: string): Promise<void> {
  const Level = await loadLevel(directory);
  // LevelDB takes its lock first. Then this open fails because the store exists, and changes nothing.
  const probe = new Level(directory, { createIfMissing: false, errorIfExists: true });
  const refusal = await probe
    .open()
    .catch((error: unknown) => translateError(error, directory, 'unreadable'));
  if (refusal?.kind === 'locked') throw refusal;
}
