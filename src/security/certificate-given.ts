// A certificate of the user's own, from two files: checked at the start, since no client could be served with a wrong one.

import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readCertificate } from './certificate-authority.js';
import { CertificateError } from './certificate-error.js';
import { readIfThere } from './certificate-files.js';
import type { ServerCertificate } from './certificate-leaf.js';

/** Paths of PEM files; the certificate may be followed by those above it. */
export type GivenCertificate = { readonly cert: string; readonly key: string };

/** Throws a CertificateError. */
export async function readGiven(given: GivenCertificate, nowMs: number): Promise<ServerCertificate> {
  const [cert, key] = await Promise.all([readThere(given.cert), readThere(given.key)]);
  const certificate = readCertificate(cert);
  if (certificate === undefined) {
    throw new CertificateError(
      'certificate-invalid',
      given.cert,
      `${given.cert} is no certificate in PEM: it must have a line -----BEGIN CERTIFICATE-----`,
    );
  }
  if (!certificate.checkPrivateKey(readKey(key, given.key))) {
    throw new CertificateError(
      'certificate-key-mismatch',
      given.key,
      `The key in ${given.key} does not belong to the certificate in ${given.cert}`,
    );
  }
  if (Date.parse(certificate.validTo) <= nowMs) {
    throw new CertificateError(
      'certificate-expired',
      given.cert,
      `The certificate in ${given.cert} was valid until ${certificate.validTo}: renew it`,
    );
  }
  return { cert, key };
}

async function readThere(path: string): Promise<string> {
  const text = await readIfThere(path);
  if (text === undefined) throw new CertificateError('certificate-unreadable', path, `${path} is not there`);
  return text;
}

function readKey(pem: string, path: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new CertificateError(
      'certificate-invalid',
      path,
      `${path} is no private key in PEM, or one with a passphrase, which cannot be asked for: ${error}`,
      error,
    );
  }
}
