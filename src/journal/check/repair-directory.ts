// Writes a repaired journal into a new data directory, which gets its name only when it is complete.

import { mkdtemp, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeDataDirectory, makeDirectory } from '../data-directory.js';
import { journalError, translateError } from '../journal-error.js';
import { openJournal } from '../open-journal.js';
import type { CheckedJournal } from './check-journal.js';
import { type Repaired, repairJournal } from './repair-journal.js';

const NOT_EMPTY = 'Name a directory that does not exist yet.';

/** Rejects with a JournalError, and writes nothing, if the directory has files. */
export async function refuseFilled(directory: string): Promise<void> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw translateError(error, directory, 'unreadable');
  });
  const [name] = names;
  if (name === undefined) return;
  throw journalError('unwritable', resolve(directory), `it already holds ${JSON.stringify(name)}`, {
    remedy: NOT_EMPTY,
  });
}

/** Everything is on the disk when this resolves. */
export async function writeRepaired(source: CheckedJournal, directory: string): Promise<Repaired> {
  const path = resolve(directory);
  await refuseFilled(path);
  try {
    await makeDirectory(dirname(path));
    const unfinished = await mkdtemp(`${path}-unfinished-`);
    try {
      const repaired = await writeInto(join(unfinished, 'data'), source);
      // An empty directory of that name is removed first.
      await rmdir(path).catch(() => {});
      await rename(join(unfinished, 'data'), path);
      return repaired;
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  } catch (error) {
    throw translateError(error, path, 'unwritable');
  }
}

async function writeInto(directory: string, source: CheckedJournal): Promise<Repaired> {
  await makeDataDirectory(directory);
  const journal = await openJournal({ directory: join(directory, 'journal'), durability: 'fsync' });
  try {
    await journal.recover(() => {});
    return await repairJournal(source, journal);
  } finally {
    await journal.close();
  }
}
