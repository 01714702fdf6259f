// The key that the emulator's own Entra tokens are signed with: made when it is first needed, and kept where there is a place for it.

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export type SigningKey = { readonly privateKey: KeyObject; readonly publicKey: KeyObject };

/** Nobody but the owner may read it. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** `file`: where it is kept, for tokens to outlive the emulator; undefined: in memory alone. */
export async function openSigningKey(file: string | undefined): Promise<SigningKey> {
  if (file === undefined) return withPublicKey(makeKey());
  const kept = await keptKey(file);
  if (kept !== undefined) return withPublicKey(readKey(kept, file));
  await keep(makeKey(), file);
  return withPublicKey(readKey(await readFile(file, 'utf8'), file));
}

function readKey(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new Error(`${file} is not the key it was. Delete it: tokens already given are then refused`, {
      cause,
    });
  }
}

/** Whole or not at all; where another emulator has just kept one, that is the one. */
async function keep(key: KeyObject, file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: FOLDER_MODE });
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, key.export({ type: 'pkcs8', format: 'pem' }), { mode: FILE_MODE, flag: 'wx' });
    await link(draft, file);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function makeKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

function withPublicKey(privateKey: KeyObject): SigningKey {
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

async function keptKey(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
