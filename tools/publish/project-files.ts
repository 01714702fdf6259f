// The text files of the project that git keeps, without the lock file and what is recorded from others.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TextFile } from './names.js';

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
/** The tests of these tools have names of their own. */
const LEFT_OUT =
  /^(?:package-lock\.json|test\/amqp\/recordings\/|test\/journal\/fixture|tools\/publish\/names\.test\.ts)/;

/** Files that git does not ignore, whether they are added already or not. */
export function readProjectFiles(): TextFile[] {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const listed = execFileSync('git', words, { cwd: PROJECT, encoding: 'utf8' });
  const paths = listed.split('\0').filter((path) => path !== '' && !LEFT_OUT.test(path));
  return paths.sort().flatMap((path) => {
    const text = readText(path);
    return text === undefined || text.includes('\0') ? [] : [{ path, text }];
  });
}

/** Undefined for a file that is deleted, but not yet in git. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(join(PROJECT, path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
