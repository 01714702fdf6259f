// Creates the data directory, which holds the journal and other files of an emulator: for its owner only, and ignored by git.

import type { Dirent } from 'node:fs';
import { mkdir, readdir, readlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { journalError, translateError } from './journal-error.js';

const OWNER_ONLY = 0o700;
/** The directory may lie in a project, and a developer's messages must not be committed with it. */
const IGNORE_ALL = '*\n';
/** The journal's own folder in the data directory, which also holds certificates. */
export const JOURNAL_FOLDER = 'journal';

/** Creates the directory. An existing one stays unchanged; one with links in it is refused. Rejects with a JournalError. */
export async function makeDataDirectory(directory: string): Promise<void> {
  const path = resolve(directory);
  try {
    if (await makeDirectory(path, OWNER_ONLY)) {
      await writeFile(join(path, '.gitignore'), IGNORE_ALL, { flag: 'wx' });
    } else await refuseLinks(path);
  } catch (error) {
    throw translateError(error, path, 'unreadable');
  }
}

/** Refuses links: a downloaded project may contain a data directory with a link to a file of the user, which would be overwritten. */
async function refuseLinks(directory: string): Promise<void> {
  await refuseLinkIn(directory, await entriesIn(directory));
  await refuseLinkIn(directory, await entriesIn(join(directory, JOURNAL_FOLDER), { recursive: true }));
}

async function refuseLinkIn(directory: string, entries: readonly Dirent[]): Promise<void> {
  const link = entries.find((entry) => entry.isSymbolicLink());
  if (link === undefined) return;
  const path = join(link.parentPath, link.name);
  throw journalError('linked', directory, `${path} leads to ${await readlink(path)}`);
}

async function entriesIn(folder: string, { recursive = false } = {}): Promise<Dirent[]> {
  return readdir(folder, { recursive, withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

/**
 * Creates a directory and its parents, which get the default mode. Resolves with false if the directory exists. Node 20's own `recursive`
 * never returns in places where nothing can be created, such as /proc.
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
