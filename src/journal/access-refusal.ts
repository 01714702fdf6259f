// Explains a refused access to the data directory by its owner, as happens in containers, where user ids differ from outside.

import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { JournalError } from './journal-error.js';

/**
 * The same error, or one that says whose the directory is and what to do about it. `top` is the highest directory that is the
 * emulator's own, and `uid` the user of this process.
 */
export async function explainAccess(
  error: JournalError,
  directory: string,
  top: string,
  uid: number | undefined = process.getuid?.(),
): Promise<JournalError> {
  if (error.kind !== 'unreadable' || uid === undefined || !/EACCES|EPERM|denied/i.test(error.seen))
    return error;
  const foreign = await findForeign(directory, uid);
  if (foreign === undefined) return error;
  const { path, owner } = foreign;
  const whose = `${path} belongs to the user with id ${owner}, and this process runs as ${uid}.`;
  // Nobody is to be told to give away a directory such as / or /home.
  const remedy = path.startsWith(top)
    ? `${whose} Give it to that user (chown -R ${uid} ${path}), run as its owner (in a container: --user ${owner}), or choose another directory.`
    : `${whose} Make ${top} for that user first, or choose another directory.`;
  return new JournalError('unreadable', error.place, error.seen, { cause: error, remedy });
}

type Foreign = { readonly path: string; readonly owner: number };

/** The directory, its nearest parent that is there, or else something in it. */
async function findForeign(directory: string, uid: number): Promise<Foreign | undefined> {
  for (let path = directory; ; path = dirname(path)) {
    const owner = await ownerOf(path);
    if (owner === undefined && path !== dirname(path)) continue;
    if (owner !== undefined && owner !== uid) return { path, owner };
    return path === directory ? findForeignIn(directory, uid) : undefined;
  }
}

async function findForeignIn(directory: string, uid: number): Promise<Foreign | undefined> {
  for (const name of await readdir(directory).catch(() => [])) {
    const owner = await ownerOf(join(directory, name));
    if (owner !== undefined && owner !== uid) return { path: directory, owner };
  }
  return undefined;
}

/** Undefined: it is not there, or may not be looked at. */
async function ownerOf(path: string): Promise<number | undefined> {
  return lstat(path).then(
    ({ uid }) => uid,
    () => undefined,
  );
}
