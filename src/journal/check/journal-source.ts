// Reads the journal of a data directory for a check, which changes nothing there.

import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { JOURNAL_FOLDER } from '../data-directory.js';
import { refuseFormerFolder } from '../format.js';
import { isJournalError, journalError, translateError } from '../journal-error.js';
import { DiskFiles } from '../log/disk-files.js';
import { SEGMENTS_FOLDER } from '../log/segment.js';
import { refuseLocked } from '../table/leveldb/lock.js';
import { isStoreFile, isUnusedStore, readStoreRows } from '../table/leveldb/store-files.js';
import type { JournalSource } from './check-journal.js';

const NO_JOURNAL = 'Give the data directory of an emulator.';
const IN_USE = 'Stop the emulator that uses it first.';

/** Calls back with the journal of this directory. Rejects with a JournalError if there is none, or an emulator has it open. */
export async function withJournalSource<Result>(
  directory: string,
  use: (source: JournalSource) => Promise<Result>,
): Promise<Result> {
  const location = await findJournal(resolve(directory));
  await refuseInUse(location);
  // A damaged store counts as empty if nothing was ever stored in it: a start would replace it with a new one.
  const isUnused = await isUnusedStore(location);
  const stored = isUnused ? { rows: new Map<string, string>(), damage: [] } : await readStoreRows(location);
  const result = await use({ stored, files: new DiskFiles(join(location, SEGMENTS_FOLDER)), location });
  // Checked again at the end: a journal in use may have changed since the check began.
  await refuseInUse(location);
  return result;
}

async function findJournal(directory: string): Promise<string> {
  const isJournal = basename(directory) === SEGMENTS_FOLDER ? [] : await namesIn(directory);
  const inner = join(directory, JOURNAL_FOLDER);
  if (isJournal.includes(JOURNAL_FOLDER)) return findJournalIn(inner, await namesIn(inner));
  return findJournalIn(directory, isJournal);
}

function findJournalIn(directory: string, names: readonly string[]): string {
  refuseFormerFolder(directory, names);
  const isOurs = names.some((name) => name === SEGMENTS_FOLDER || isStoreFile(name));
  if (isOurs) return directory;
  throw journalError('unreadable', directory, 'there is no journal in it', { remedy: NO_JOURNAL });
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    throw translateError(error, directory, 'unreadable');
  }
}

async function refuseInUse(location: string): Promise<void> {
  try {
    await refuseLocked(location);
  } catch (error) {
    if (!isJournalError(error) || error.kind !== 'locked') throw error;
    throw journalError(error.kind, location, error.seen, { cause: error, remedy: IN_USE });
  }
}
