// Opens the journal of a data directory for a check, which changes nothing there: LevelDB, which writes with every start, gets a copy
// of its files.

import { cp, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { JOURNAL_FOLDER } from '../data-directory.js';
import { takeLeftBehind, WRITE_AHEAD_FOLDER } from '../earlier/left-behind.js';
import { JournalError, translateError } from '../journal-error.js';
import { checkDirectory, isStoreFile, isUnusedStore } from '../leveldb/check-directory.js';
import { loadLevel } from '../leveldb/load-level.js';
import { refuseLocked } from '../leveldb/lock.js';
import { DiskFiles } from '../log/disk-files.js';
import { SEGMENTS_FOLDER } from '../log/segment.js';
import { openStore } from '../open-journal.js';
import type { RowStore } from '../row-store.js';
import type { JournalSource } from './check-journal.js';

const NO_JOURNAL = 'Give the data directory of an emulator.';
const IN_USE = 'Stop the emulator that uses it first.';

/** Calls back with the journal of this directory. Rejects with a JournalError when there is none, or an emulator has it open. */
export async function withJournalSource<Result>(
  directory: string,
  use: (source: JournalSource) => Promise<Result>,
): Promise<Result> {
  const location = await findJournal(resolve(directory));
  await refuseInUse(location);
  const copy = await mkdtemp(join(tmpdir(), 'jitney-check-'));
  try {
    // If nothing was ever stored, a start replaces the store by a new one.
    const isNew = await isUnusedStore(location);
    const storeDamage = isNew ? undefined : await checkDirectory(location);
    if (!isNew) await copyStore(location, copy);
    const opened = await openCopy(copy, location, storeDamage);
    try {
      const files = new DiskFiles(join(location, SEGMENTS_FOLDER));
      const result = await use({ ...opened, files, location });
      // A journal in use is not as it was when the check began.
      await refuseInUse(location);
      return result;
    } finally {
      await opened.store.close();
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function findJournal(directory: string): Promise<string> {
  const isJournal = basename(directory) === SEGMENTS_FOLDER ? [] : await namesIn(directory);
  const inner = join(directory, JOURNAL_FOLDER);
  if (isJournal.includes(JOURNAL_FOLDER)) return findJournalIn(inner, await namesIn(inner));
  return findJournalIn(directory, isJournal);
}

function findJournalIn(directory: string, names: readonly string[]): string {
  const isOurs = names.some((name) => name === SEGMENTS_FOLDER || isStoreFile(name));
  if (isOurs) return directory;
  throw new JournalError('unreadable', directory, 'there is no journal in it', { remedy: NO_JOURNAL });
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
    if (!(error instanceof JournalError) || error.kind !== 'locked') throw error;
    throw new JournalError(error.kind, location, error.seen, { cause: error, remedy: IN_USE });
  }
}

/** Copies all but the log, which is only read. */
async function copyStore(location: string, copy: string): Promise<void> {
  for (const name of await readdir(location)) {
    if (!isStoreFile(name) && name !== WRITE_AHEAD_FOLDER) continue;
    const isFolder = (await lstat(join(location, name))).isDirectory();
    if (isFolder === (name === WRITE_AHEAD_FOLDER)) {
      await cp(join(location, name), join(copy, name), { recursive: true });
    }
  }
}

type Opened = { readonly store: RowStore; readonly storeDamage: string | undefined };

/** Opens the copy; a damaged one once LevelDB has brought together what it can read. */
async function openCopy(copy: string, location: string, found: string | undefined): Promise<Opened> {
  let storeDamage = found;
  if (storeDamage === undefined) {
    try {
      return { store: await openTaken(copy), storeDamage };
    } catch (error) {
      const { kind, seen } = translateError(error, location, 'unreadable');
      if (kind !== 'corrupt') throw error;
      storeDamage = seen;
    }
  }
  await repairStore(copy);
  return { store: await openStore(copy), storeDamage };
}

async function openTaken(copy: string): Promise<RowStore> {
  const store = await openStore(copy);
  try {
    await takeLeftBehind(store, copy);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** LevelDB's own repair, which the types of `level` leave out. */
async function repairStore(directory: string): Promise<void> {
  const Level = await loadLevel(directory);
  if ('repair' in Level && typeof Level.repair === 'function') await Level.repair(directory);
}
