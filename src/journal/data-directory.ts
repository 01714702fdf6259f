// The data directory, in which the journal and other things of an emulator lie: made for its owner alone, and unseen by git.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { explainAccess } from './access-refusal.js';
import { translateError } from './journal-error.js';

const OWNER_ONLY = 0o700;
/** Messages of a developer's machine are no part of the project that the directory happens to lie in. */
const IGNORE_ALL = '*\n';

/** Leaves a directory that is there as it is. Rejects with a JournalError. */
export async function makeDataDirectory(directory: string): Promise<void> {
  const path = resolve(directory);
  try {
    if (await makeDirectory(path, OWNER_ONLY)) await writeFile(join(path, '.gitignore'), IGNORE_ALL);
  } catch (error) {
    throw await explainAccess(translateError(error, path, 'unreadable'), path, path);
  }
}

/**
 * Resolves with false when it is there already; its parents get the usual mode. Node 20's own `recursive` never returns in
 * places where nothing can be made, such as /proc.
 */
export async function makeDirectory(directory: string, mode = 0o777): Promise<boolean> {
  const parent = dirname(directory);
  try {
    await mkdir(directory, mode);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') return false;
    if (code !== 'ENOENT' || parent === directory) throw error;
  }
  await makeDirectory(parent);
  await mkdir(directory, mode);
  return true;
}
