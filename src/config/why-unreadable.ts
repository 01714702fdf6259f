// Says in words why a file of the user cannot be read.

import { stat } from 'node:fs/promises';

export async function whyUnreadable(file: string, error: unknown): Promise<string> {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a directory';
  if (code !== 'EACCES') return String(error);
  if (process.getuid === undefined) return 'this user may not read it';
  // The usual mistake: the file is mounted into a container, and only its owner may read it.
  const found = await stat(file).catch(() => undefined);
  const mode =
    found === undefined ? '' : `, it has mode ${(found.mode & 0o777).toString(8)} and uid ${found.uid}`;
  return `uid ${process.getuid()} may not read it${mode}. Try: chmod a+r ${file}`;
}
