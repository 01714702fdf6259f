// Creates the data directory, which holds the journal and other files of an emulator: for its owner only, and ignored by git.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { explainAccess } from './access-refusal.js';
import { translateError } from './journal-error.js';

const OWNER_ONLY = 0o700;
/** The directory may lie in a project, and a developer's messages must not be committed with it. */
const IGNORE_ALL = '*\n';

/** Leaves an existing directory unchanged. Rejects with a JournalError. */
export async function makeDataDirectory(directory: string): Promise<void> {
  const path = resolve(directory);
  try {
    if (await makeDirectory(path, OWNER_ONLY)) await writeFile(join(path, '.gitignore'), IGNORE_ALL);
  } catch (error) {
    throw await explainAccess(translateError(error, path, 'unreadable'), path, path);
  }
}

/**
 * Resolves with false when the directory exists. Parents get the default mode. Node 20's own `recursive` never returns where
 * nothing can be created, such as in /proc.
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
