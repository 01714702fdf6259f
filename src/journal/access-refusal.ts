// Explains refused access to the data directory when another user owns it, as happens in containers with their own user ids.

import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { JournalError } from './journal-error.js';

/**
 * Returns the same error, or one that names the owner of the directory and a remedy. `top` is the highest directory that
 * belongs to the emulator, and `uid` the user of this process.
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
  // Never suggests chown for a directory above `top`, such as / or /home.
  const remedy = path.startsWith(top)
    ? `${whose} Give it to that user (chown -R ${uid} ${path}), run as its owner (in a container: --user ${owner}), or choose another directory.`
    : `${whose} Make ${top} for that user first, or choose another directory.`;
  return new JournalError('unreadable', error.place, error.seen, { cause: error, remedy });
}

type Foreign = { readonly path: string; readonly owner: number };

/** Finds a foreign owner of the directory, of its nearest existing parent, or else of an entry in the directory. */
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

/** Undefined when the path does not exist or cannot be read. */
async function ownerOf(path: string): Promise<number | undefined> {
  return lstat(path).then(
    ({ uid }) => uid,
    () => undefined,
  );
}
