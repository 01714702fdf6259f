// Files of certificates and keys: read if they are there, and placed whole, so that nobody ever reads half of one.

import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { CertificateError, codeOf } from './certificate-error.js';

const OWNER_ONLY = 0o600;
const READABLE = 0o644;
/** What file systems without hard links answer. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

export type NewFile = { readonly path: string; readonly text: string; readonly isSecret: boolean };

/** Everybody may look into it: whom to trust is no secret, and each secret file is its owner's alone. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    throw new CertificateError(
      'certificate-unwritable',
      path,
      `The folder ${path} for certificates cannot be made: ${error}`,
      error,
    );
  }
}

/** undefined: it is not there. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new CertificateError('certificate-unreadable', path, `${path} cannot be read: ${error}`, error);
  }
}

/** Of several processes that place a file at once, one does; all of them get what it has placed. */
export async function placeFirst(file: NewFile): Promise<string> {
  const draft = await writeDraft(file);
  try {
    await linkOrWrite(draft, file);
    return file.text;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unwritable(file.path, error);
    return (await readIfThere(file.path)) ?? placeFirst(file);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Takes the place of what is there. */
export async function replace(file: NewFile): Promise<void> {
  const draft = await writeDraft(file);
  try {
    await rename(draft, file.path);
  } catch (error) {
    await rm(draft, { force: true });
    throw unwritable(file.path, error);
  }
}

async function linkOrWrite(draft: string, { path, text, isSecret }: NewFile): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (!NO_LINKS.includes(codeOf(error))) throw error;
    await writeFile(path, text, { flag: 'wx', mode: modeOf(isSecret) });
  }
}

/** On the disk when this resolves: a name must never stand for a file whose bytes a power cut has taken. */
async function writeDraft({ path, text, isSecret }: NewFile): Promise<string> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    const file = await open(draft, 'wx', modeOf(isSecret));
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    return draft;
  } catch (error) {
    throw unwritable(path, error);
  }
}

function modeOf(isSecret: boolean): number {
  return isSecret ? OWNER_ONLY : READABLE;
}

function unwritable(path: string, error: unknown): CertificateError {
  return new CertificateError('certificate-unwritable', path, `${path} cannot be written: ${error}`, error);
}
