// Writes a result to the file that the user names: whole or not at all, and over an existing file only with `--force`.

import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { JitneyError } from '../../jitney-error.js';
import { usageError } from './error-report.js';
import { oneLine } from './one-line.js';

/** Throws a JitneyError if there is such a file. Devices and pipes, such as `/dev/stdout`, are no files that could be lost. */
export async function refuseExistingFile(file: string, isForced: boolean): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory()) throw unwritable(file, 'it is a directory');
  if (found?.isFile() && !isForced)
    throw usageError(`${oneLine(file)} is there already. To overwrite it:  --force`);
}

/** The file has its name only once it is whole. Throws a JitneyError. */
export async function writeOutputFile(file: string, content: Uint8Array | string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  const isPlain = found === undefined || found.isFile();
  // A symbolic link stays one.
  const target = isPlain ? await realpath(file).catch(() => file) : file;
  const part = `${target}.${process.pid}.part`;
  try {
    await writeFile(isPlain ? part : target, content);
    if (isPlain) await rename(part, target);
  } catch (cause) {
    if (isPlain) await rm(part, { force: true }).catch(() => {});
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? `there is no directory ${dirname(file)}` : message;
    throw unwritable(file, why, cause);
  }
}

function unwritable(file: string, why: string, cause?: unknown): JitneyError {
  const text = `${oneLine(file)} cannot be written: ${oneLine(why)}`;
  return new JitneyError('output-unwritable', text, { cause });
}
