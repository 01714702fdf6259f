// Loads @peculiar/x509 when the first certificate is made, and hands keys to it: as PEM outside, for Web Crypto inside.

import { createPrivateKey, createPublicKey, generateKeyPairSync, webcrypto } from 'node:crypto';

type X509 = typeof import('@peculiar/x509');
export type KeyPair = {
  readonly privateKey: webcrypto.CryptoKey;
  readonly publicKey: webcrypto.CryptoKey;
};

export const SIGNING = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

export const DAY_MS = 24 * 60 * 60 * 1000;

export async function loadX509(): Promise<X509> {
  // It refuses to be loaded without.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto);
  return x509;
}

/** A new private key, ECDSA on P-256. */
export function newKeyPem(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

export async function importKeys(keyPem: string): Promise<KeyPair> {
  const key = createPrivateKey(keyPem);
  const publicBytes = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const privateBytes = key.export({ type: 'pkcs8', format: 'der' });
  const [privateKey, publicKey] = await Promise.all([
    webcrypto.subtle.importKey('pkcs8', privateBytes, SIGNING, false, ['sign']),
    webcrypto.subtle.importKey('spki', publicBytes, SIGNING, true, ['verify']),
  ]);
  return { privateKey, publicKey };
}

/** One certificate below the other, each on lines of its own. */
export function asPem(certificate: { toString(format: 'pem'): string }): string {
  return `${certificate.toString('pem').trim()}\n`;
}
