// Reads a user's Config.json from its file, and says why when that cannot be.

import { readFile, stat } from 'node:fs/promises';
import { ConfigError } from './config-error.js';
import { type ReadConfig, readConfigText } from './config-text.js';
import { decodeText } from './decode-text.js';

/** Throws a ConfigError. */
export async function readConfigFile(file: string): Promise<ReadConfig> {
  return readConfigText({ name: file, text: await readText(file), isFile: true });
}

async function readText(file: string): Promise<string> {
  try {
    return decodeText(await readFile(file));
  } catch (error) {
    const why = await whyUnreadable(file, error);
    throw new ConfigError('config-file-unreadable', `Cannot read the config file ${file}: ${why}`, [], error);
  }
}

export async function whyUnreadable(file: string, error: unknown): Promise<string> {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a directory';
  if (code !== 'EACCES') return String(error);
  // Mounted into a container, a file that only its owner may read is the usual mistake.
  const found = await stat(file).catch(() => undefined);
  const mode =
    found === undefined ? '' : `, it has mode ${(found.mode & 0o777).toString(8)} and uid ${found.uid}`;
  return `uid ${process.getuid?.()} may not read it${mode}. Try: chmod a+r ${file}`;
}
