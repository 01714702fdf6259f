// Stores our certificate authority and its certificate in a folder that several processes share. Files are written atomically.

import { createPrivateKey, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JitneyError } from '../jitney-error.js';
import {
  type Authority,
  checkAuthority,
  isUsable,
  makeAuthorityCertificate,
  makeLeaf,
  newKeyPem,
  type ServerCertificate,
} from './certificate-authority.js';

export const AUTHORITY_FILE = 'ca.pem';
const AUTHORITY_KEY_FILE = 'ca-key.pem';
/** One file for key and certificate, so that they are replaced together. */
const LEAF_FILE = 'leaf.pem';
const OWNER_ONLY = 0o600;
const READABLE = 0o644;
/** Error codes of file systems without hard links. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

type Store = {
  readonly directory: string;
  readonly names: () => readonly string[];
  readonly now: () => number;
  /** Reports files that were damaged and have been replaced. */
  readonly warn: (text: string) => void;
};

/** Opens or makes the authority. Throws a JitneyError if a new one would break programs that trust the old one. */
export async function openAuthority({ directory, now, warn }: Store): Promise<Authority> {
  await makeFolder(directory);
  const path = join(directory, AUTHORITY_FILE);
  // The certificate is read first, and the key is written first. So a certificate without a key is an error, not a race.
  const found = await readIfPresent(path);
  const key = await openKey(directory, found !== undefined);
  if (found === undefined) {
    const made = await makeAuthorityCertificate(key, now());
    return { cert: await createFile({ path, text: made, isSecret: false }), key };
  }
  const state = checkAuthority({ cert: found, key }, now());
  switch (state) {
    case 'good':
      return { cert: found, key };
    case 'of-another-key':
      throw new JitneyError(
        'authority-incomplete',
        `${path} does not belong to ${AUTHORITY_KEY_FILE} beside it. Restore the right one, or delete both and let programs trust the new ${AUTHORITY_FILE}`,
      );
    case 'damaged':
    case 'close-to-its-end': {
      const cert = await makeAuthorityCertificate(key, now());
      await replaceFile({ path, text: cert, isSecret: false });
      warn(`${path} was ${state.replaceAll('-', ' ')} and has been replaced, with the same key`);
      return { cert, key };
    }
    default: {
      const never: never = state;
      return never;
    }
  }
}

/** The stored certificate if it is usable, otherwise a new one, which clients trust through the authority. */
export async function openLeaf(authority: Authority, store: Store): Promise<ServerCertificate> {
  const { now, warn } = store;
  const names = store.names();
  const path = join(store.directory, LEAF_FILE);
  const text = await readIfPresent(path);
  const found = text === undefined ? undefined : splitLeaf(text);
  if (found !== undefined && isUsable(found, { authority, names, nowMs: now() })) return found;
  const made = await makeLeaf(authority, names, now());
  // This process can serve the certificate even if it cannot be written.
  await replaceFile({ path, text: `${made.key}${made.cert}`, isSecret: true }).catch((error: JitneyError) =>
    warn(error.message),
  );
  return made;
}

async function openKey(directory: string, hasCertificate: boolean): Promise<string> {
  const path = join(directory, AUTHORITY_KEY_FILE);
  const found = await readIfPresent(path);
  if (found === undefined && hasCertificate) {
    throw new JitneyError(
      'authority-incomplete',
      `${path} is missing, and without it ${AUTHORITY_FILE} beside it is useless. Restore it, or delete ${AUTHORITY_FILE} and let programs trust the new one`,
    );
  }
  const key = found ?? (await createFile({ path, text: newKeyPem(), isSecret: true }));
  try {
    createPrivateKey(key);
    return key;
  } catch (error) {
    throw new JitneyError(
      'authority-incomplete',
      `${path} is damaged: it holds no private key in PEM. Restore it, or delete it together with ${AUTHORITY_FILE} and let programs trust the new one`,
      { cause: error },
    );
  }
}

function splitLeaf(text: string): ServerCertificate | undefined {
  const start = text.indexOf('-----BEGIN CERTIFICATE-----');
  return start < 0 ? undefined : { key: text.slice(0, start), cert: text.slice(start) };
}

type NewFile = { readonly path: string; readonly text: string; readonly isSecret: boolean };

/** Makes a folder that everyone can read, because certificates are public. Only the owner can read a secret file in it. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    throw new JitneyError(
      'certificate-unwritable',
      `The folder ${path} for certificates cannot be created: ${error}`,
      { cause: error },
    );
  }
}

export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new JitneyError('certificate-unreadable', `${path} cannot be read: ${error}`, { cause: error });
  }
}

/** Creates a file that does not exist. If several processes create it at once, one wins and all return its text. */
export async function createFile(file: NewFile): Promise<string> {
  const draft = await writeDraft(file);
  try {
    await linkOrWrite(draft, file);
    return file.text;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unwritable(file.path, error);
    return (await readIfPresent(file.path)) ?? createFile(file);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Creates a file, or replaces it. */
export async function replaceFile(file: NewFile): Promise<void> {
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

/** Writes a draft and syncs it to the disk before it gets its name, so that no file is empty or incomplete after a power cut. */
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

function unwritable(path: string, error: unknown): JitneyError {
  return new JitneyError('certificate-unwritable', `${path} cannot be written: ${error}`, { cause: error });
}

/** The system's error code, such as ENOENT. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
