// Empties the directory of a journal when its user asks for it: renamed as a whole under its lock, and removed afterwards.

import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AHEAD_FOLDER, SEGMENT_NAME } from './ahead/ahead-log.js';
import { describeForeignRow } from './format.js';
import { JournalError, translateError } from './journal-error.js';
import { checkDirectory, isStoreFile } from './leveldb/check-directory.js';
import { refuseLocked } from './leveldb/lock.js';

/**
 * Afterwards the directory is not there. A kill at any moment leaves the whole journal or none of it, and the next start
 * removes what has been put aside. Throws a JournalError, and has removed nothing, when another process has it open or it
 * holds what an emulator does not write. A damaged journal, or one of a later version, is removed like any other.
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
  const hasAhead = names.includes(AHEAD_FOLDER);
  const damage = await checkDirectory(directory);
  if (damage === undefined) return putAsideLocked(directory, hasAhead);
  await refuseLocked(directory);
  if (!hasAhead) throw foreign(directory, `${damage}, and no folder ${AHEAD_FOLDER}`);
  // A damaged store is opened by nobody.
  await putAside(directory);
}

/** Removes what a reset has put aside; only the holder of the journal's lock may call it. */
export async function removePutAside(directory: string): Promise<void> {
  // Files that cannot be removed now are in nobody's way, and the next start tries again.
  await rm(asideOf(directory), { recursive: true, force: true }).catch(() => {});
}

async function refuseForeignFiles(directory: string, names: readonly string[]): Promise<void> {
  const inAhead = names.includes(AHEAD_FOLDER) ? await readdir(join(directory, AHEAD_FOLDER)) : [];
  const strange =
    names.find((name) => name !== AHEAD_FOLDER && !isStoreFile(name)) ??
    inAhead.find((name) => !SEGMENT_NAME.test(name));
  if (strange !== undefined) throw foreign(directory, `it holds ${JSON.stringify(strange)}`);
}

async function putAsideLocked(directory: string, hasAhead: boolean): Promise<void> {
  const { Level } = await import('level');
  const store = new Level<string, Buffer>(directory, { keyEncoding: 'utf8', valueEncoding: 'buffer' });
  try {
    await store.open();
  } catch (error) {
    const refusal = translateError(error, directory, 'unreadable');
    if (refusal.kind !== 'corrupt' || !hasAhead) throw refusal;
    return putAside(directory);
  }
  try {
    // A killed process may have left the row that tells the format in the log in front.
    const row = hasAhead ? undefined : await describeForeignRow(store);
    if (row !== undefined) throw foreign(directory, row);
    // Windows renames nothing that is open, which is the same protection.
    if (process.platform === 'win32') await store.close();
    await putAside(directory);
  } finally {
    await store.close();
  }
}

async function putAside(directory: string): Promise<void> {
  await removePutAside(directory);
  await rename(directory, asideOf(directory)).catch((error: unknown) => {
    throw translateError(error, directory, 'unwritable');
  });
}

function asideOf(directory: string): string {
  return `${directory}-removed`;
}

function foreign(directory: string, seen: string): JournalError {
  return new JournalError('foreign', directory, seen);
}
