// Our certificate authority and its certificate in a folder: made when first asked for, shared by all who use the folder.

import { createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import { type Authority, judgeAuthority, makeAuthorityCertificate } from './certificate-authority.js';
import { CertificateError } from './certificate-error.js';
import { makeFolder, placeFirst, readIfThere, replace } from './certificate-files.js';
import { isUsable, makeLeaf, type ServerCertificate } from './certificate-leaf.js';
import { newKeyPem } from './certificate-x509.js';

export const AUTHORITY_FILE = 'ca.pem';
const AUTHORITY_KEY_FILE = 'ca-key.pem';
/** Key and certificate in one file: they can only be replaced together. */
const LEAF_FILE = 'leaf.pem';

export type Store = {
  readonly directory: string;
  readonly names: readonly string[];
  readonly now: () => number;
  /** Told what was damaged and has been made anew. */
  readonly tell: (text: string) => void;
};

/** Throws a CertificateError where making it anew would take from programs what they trust. */
export async function openAuthority({ directory, now, tell }: Store): Promise<Authority> {
  await makeFolder(directory);
  const path = join(directory, AUTHORITY_FILE);
  // In this order: the key is placed first, so that who finds the certificate must find the key as well.
  const found = await readIfThere(path);
  const key = await openKey(directory, found !== undefined);
  if (found === undefined) {
    const made = await makeAuthorityCertificate(key, now());
    return { cert: await placeFirst({ path, text: made, isSecret: false }), key };
  }
  const state = judgeAuthority({ cert: found, key }, now());
  switch (state) {
    case 'good':
      return { cert: found, key };
    case 'of-another-key':
      throw new CertificateError(
        'authority-incomplete',
        path,
        `${path} does not belong to ${AUTHORITY_KEY_FILE} beside it. Put back the one that does, or delete both and let programs trust the new ${AUTHORITY_FILE}`,
      );
    case 'damaged':
    case 'close-to-its-end': {
      const cert = await makeAuthorityCertificate(key, now());
      await replace({ path, text: cert, isSecret: false });
      tell(`${path} was ${state.replaceAll('-', ' ')} and has been made anew with the same key`);
      return { cert, key };
    }
    default: {
      const never: never = state;
      return never;
    }
  }
}

/** That of the folder where it serves, else a new one, which nobody needs to trust anew. */
export async function openLeaf(authority: Authority, store: Store): Promise<ServerCertificate> {
  const { names, now, tell } = store;
  const path = join(store.directory, LEAF_FILE);
  const text = await readIfThere(path);
  const found = text === undefined ? undefined : splitLeaf(text);
  if (found !== undefined && isUsable(found, { authority, names, nowMs: now() })) return found;
  const made = await makeLeaf(authority, names, now());
  // It serves for this process even where nothing can be kept.
  await replace({ path, text: `${made.key}${made.cert}`, isSecret: true }).catch((error: CertificateError) =>
    tell(error.message),
  );
  return made;
}

async function openKey(directory: string, isCertificateThere: boolean): Promise<string> {
  const path = join(directory, AUTHORITY_KEY_FILE);
  const found = await readIfThere(path);
  if (found === undefined && isCertificateThere) {
    throw new CertificateError(
      'authority-incomplete',
      path,
      `${path} is missing, without which ${AUTHORITY_FILE} beside it is of no use. Put it back, or delete ${AUTHORITY_FILE} and let programs trust the new one`,
    );
  }
  const key = found ?? (await placeFirst({ path, text: newKeyPem(), isSecret: true }));
  try {
    createPrivateKey(key);
    return key;
  } catch (error) {
    throw new CertificateError(
      'authority-incomplete',
      path,
      `${path} is damaged: it holds no private key in PEM. Put it back, or delete it together with ${AUTHORITY_FILE} and let programs trust the new one`,
      error,
    );
  }
}

function splitLeaf(text: string): ServerCertificate | undefined {
  const start = text.indexOf('-----BEGIN CERTIFICATE-----');
  return start < 0 ? undefined : { key: text.slice(0, start), cert: text.slice(start) };
}
