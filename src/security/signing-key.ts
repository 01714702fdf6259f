// The key that the emulator's own Entra tokens are signed with: made when it is first needed, and kept where there is a place for it.

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { dirname } from 'node:path';
import { CertificateError } from './certificate-error.js';
import { makeFolder, placeFirst, readIfThere } from './certificate-files.js';
import { newKeyPem } from './certificate-x509.js';

export type SigningKey = { readonly privateKey: KeyObject; readonly publicKey: KeyObject };

/** `file`: where it is kept, for tokens to outlive the emulator; undefined: in memory alone, as where it cannot be written. */
export async function openSigningKey(
  file: string | undefined,
  tell: (text: string) => void = () => {},
): Promise<SigningKey> {
  const pem = file === undefined ? newKeyPem() : ((await readIfThere(file)) ?? (await keep(file, tell)));
  const privateKey = readKey(pem, file);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** Where another emulator has just kept one, that is the one. */
async function keep(file: string, tell: (text: string) => void): Promise<string> {
  const text = newKeyPem();
  try {
    await makeFolder(dirname(file));
    return await placeFirst({ path: file, text, isSecret: true });
  } catch (error) {
    if (!(error instanceof CertificateError) || error.kind !== 'certificate-unwritable') throw error;
    tell(`Tokens end with this process: ${error.message}`);
    return text;
  }
}

function readKey(pem: string, file: string | undefined): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new Error(`${file} is not the key it was. Delete it: tokens already given are then refused`, {
      cause,
    });
  }
}
