// Resets the directory of a journal: renames it as a whole under LevelDB's lock, and then removes it.

import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describeForeignRow, FORMER_FOLDER } from './format.js';
import { type JournalError, journalError, translateError } from './journal-error.js';
import { SEGMENT_NAME, SEGMENTS_FOLDER } from './log/segment.js';
import { loadLevel } from './table/leveldb/load-level.js';
import { refuseLocked } from './table/leveldb/lock.js';
import { inspectStore, isStoreFile, isUnusedStore } from './table/leveldb/store-files.js';
import { FORMAT_KEY } from './table/rows/keys.js';

/** The folders of logs, and the names of files in them. */
const LOGS = [
  { folder: SEGMENTS_FOLDER, name: SEGMENT_NAME },
  { folder: FORMER_FOLDER, name: /^\d{8}\.ahead$/ },
] as const;

/**
 * Removes the directory. A kill at any moment leaves either the whole journal or nothing of it, and the next start removes the renamed
 * directory. Throws a JournalError and removes nothing if another process has the journal open, or the directory has files that no
 * emulator wrote. A journal that is damaged, or has another format, is removed like any other.
 */
export async function resetDirectory(directory: string): Promise<void> {
  const found = await lstat(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isDirectory()) throw foreign(directory, 'it is not a directory');
  const names = await readdir(directory);
  if (names.length === 0) return;
  await refuseForeignFiles(directory, names);
  const hasLog = LOGS.some(({ folder }) => names.includes(folder));
  const { damage } = await inspectStore(directory, FORMAT_KEY);
  if (damage === undefined) return putAsideLocked(directory, hasLog);
  await refuseLocked(directory);
  if (!hasLog && !(await isUnusedStore(directory)))
    throw foreign(directory, `${damage}, and no folder ${SEGMENTS_FOLDER}`);
  // No lock is needed, because no process opens a damaged store.
  await putAside(directory);
}

/** Removes the directory that a reset has renamed. Only the holder of the journal's lock may call it. */
export async function removePutAside(directory: string): Promise<void> {
  // Files that cannot be removed now do no harm, and the next start tries again.
  await rm(asideOf(directory), { recursive: true, force: true }).catch(() => {});
}

async function refuseForeignFiles(directory: string, names: readonly string[]): Promise<void> {
  const isOurs = (name: string) => isStoreFile(name) || LOGS.some(({ folder }) => folder === name);
  const strange = names.find((name) => !isOurs(name)) ?? (await findStrangeLog(directory, names));
  if (strange !== undefined) throw foreign(directory, `it holds ${JSON.stringify(strange)}`);
}

async function findStrangeLog(directory: string, names: readonly string[]): Promise<string | undefined> {
  for (const { folder, name } of LOGS) {
    if (!names.includes(folder)) continue;
    const strange = (await readdir(join(directory, folder))).find((each) => !name.test(each));
    if (strange !== undefined) return strange;
  }
  return undefined;
}

async function putAsideLocked(directory: string, hasLog: boolean): Promise<void> {
  const Level = await loadLevel(directory);
  const store = new Level<string, string>(directory);
  try {
    await store.open();
  } catch (error) {
    const refusal = translateError(error, directory, 'unreadable');
    if (refusal.kind !== 'corrupt' || !hasLog) throw refusal;
    return putAside(directory);
  }
  try {
    // A killed process of an earlier version may have left the row with its format in its log, outside the store.
    const row = hasLog ? undefined : await describeForeignRow(store);
    if (row !== undefined) throw foreign(directory, row);
    // Windows does not rename a directory with open files, which protects as well as the lock.
    if (process.platform === 'win32') await store.close();
    await putAside(directory);
  } finally {
    await store.close();
  }
}

/** Renames the directory, for `removePutAside` to remove it. */
export async function putAside(directory: string): Promise<void> {
  await removePutAside(directory);
  await rename(directory, asideOf(directory)).catch((error: unknown) => {
    throw translateError(error, directory, 'unwritable');
  });
}

function asideOf(directory: string): string {
  return `${directory}-removed`;
}

function foreign(directory: string, seen: string): JournalError {
  return journalError('foreign', directory, seen);
}
