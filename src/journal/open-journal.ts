// Opens the journal of an emulator in a directory. An emulator in memory does not load this.

import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeDirectory } from './data-directory.js';
import { DirectoryJournal, type DirectoryJournalOptions } from './directory-journal.js';
import { refuseFormerFolder, refuseOtherFormat } from './format.js';
import { journalError, translateError } from './journal-error.js';
import { DiskFiles } from './log/disk-files.js';
import type { Files } from './log/files.js';
import { SEGMENTS_FOLDER } from './log/segment.js';
import { putAside, removePutAside, resetDirectory } from './reset-directory.js';
import { loadLevel } from './table/leveldb/load-level.js';
import { refuseLocked } from './table/leveldb/lock.js';
import { inspectStore, isUnusedStore } from './table/leveldb/store-files.js';
import type { RowStore } from './table/row-store.js';
import { RowTable } from './table/row-table.js';
import { FORMAT_KEY } from './table/rows/keys.js';

type JournalOptions = {
  readonly directory: string;
  /** `os` (default): appended events survive a killed process. `fsync`: they survive a power cut, too. */
  readonly durability?: 'os' | 'fsync';
  /** Whether to remove everything in the directory first. Default: false. */
  readonly reset?: boolean;
  /** Called with a sentence about damage that does not prevent the start. */
  readonly warn?: (text: string) => void;
};

const LEVELDB_OPTIONS = {
  // Compression costs 2 to 3 µs of processor time for each message, and the tests need the same processors.
  compression: false,
  // Twice LevelDB's default: with fewer files to merge, its thread takes 3 to 4 µs less processor time for each message.
  writeBufferSize: 8 * 1024 * 1024,
  // LevelDB maps its open files into memory, so more of them would count as memory of this process.
  maxOpenFiles: 64,
} as const;

/** Rejects with a JournalError when the directory cannot be used. */
export async function openJournal({
  directory,
  durability = 'os',
  reset = false,
  ...options
}: JournalOptions): Promise<DirectoryJournal> {
  return openDirectory({ ...options, location: resolve(directory), isSynced: durability === 'fsync' }, reset);
}

/** Starts a journal on an open store and the files of its log. Closes the store if it is not a journal. */
export async function startJournal(
  store: RowStore,
  files: Files,
  options: DirectoryJournalOptions,
): Promise<DirectoryJournal> {
  try {
    const table = await RowTable.open(store, options.location);
    return new DirectoryJournal(table, files, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openDirectory(options: DirectoryJournalOptions, reset: boolean): Promise<DirectoryJournal> {
  const { location } = options;
  try {
    // Loaded before anything in the directory is made or removed, because loading can fail.
    await loadLevel(location);
    if (reset) await resetDirectory(location);
    const store = await openLevelDb(location, options.warn);
    await removePutAside(location);
    return await startJournal(store, new DiskFiles(join(location, SEGMENTS_FOLDER)), options);
  } catch (error) {
    throw translateError(error, location, 'unreadable', dirname(location));
  }
}

async function openLevelDb(directory: string, warn?: (text: string) => void): Promise<RowStore> {
  await makeDirectory(directory);
  const damage = await damageOfFormat(directory);
  if (damage !== undefined) {
    await refuseLocked(directory);
    if (!(await isUnusedStore(directory))) throw journalError('corrupt', directory, damage);
    warn?.(
      `The journal in ${directory} was being created when the machine stopped: ${damage}. Nothing was stored in it, so it is created again.`,
    );
    await putAside(directory);
    await makeDirectory(directory);
  }
  return openStore(directory);
}

/**
 * Rejects with a JournalError if the journal in the directory has another format, and changes nothing: LevelDB would write its files anew
 * as soon as it opens them. Resolves for a directory without a journal.
 */
export async function checkFormat(directory: string): Promise<void> {
  try {
    await damageOfFormat(directory);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing) throw translateError(error, directory, 'unreadable', dirname(directory));
  }
}

/** Describes damage to a store of the present format. Throws a JournalError for another format. */
async function damageOfFormat(directory: string): Promise<string | undefined> {
  refuseFormerFolder(directory, await readdir(directory));
  const { damage, value } = await inspectStore(directory, FORMAT_KEY);
  if (value !== undefined) refuseOtherFormat(value, directory);
  return damage;
}

/** Opens LevelDB in a directory that has been checked. */
export async function openStore(directory: string): Promise<RowStore> {
  const Level = await loadLevel(directory);
  const store = new Level<string, string>(directory, LEVELDB_OPTIONS);
  await store.open();
  return store;
}
