// The certificate authority of this machine: the certificate that programs are told to trust, made for a given key.

import { createHash, createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { asPem, DAY_MS, importKeys, loadX509, SIGNING } from './certificate-x509.js';

export type Authority = { readonly cert: string; readonly key: string };

/** Ten years. */
const LIFE_MS = 3652 * DAY_MS;
/** A clock of a client, or of a virtual machine, may be behind ours. */
export const EARLIER_MS = DAY_MS;
/** Renewed when it is as close to its end as a certificate below it may live. */
const CLOSE_TO_END_MS = 400 * DAY_MS;

/**
 * Of one key all certificates have the same name: who trusts an earlier one accepts what a later one has issued, so that
 * making it anew takes nothing from anybody.
 */
export async function makeAuthorityCertificate(keyPem: string, nowMs: number): Promise<string> {
  const x509 = await loadX509();
  const keys = await importKeys(keyPem);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=Jitney on this machine ${fingerprint(keyPem)}, O=Jitney`,
    notBefore: new Date(nowMs - EARLIER_MS),
    notAfter: new Date(nowMs + LIFE_MS),
    signingAlgorithm: SIGNING,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return asPem(certificate);
}

export type AuthorityState = 'good' | 'damaged' | 'of-another-key' | 'close-to-its-end';

export function judgeAuthority({ cert, key }: Authority, nowMs: number): AuthorityState {
  const certificate = readCertificate(cert);
  if (certificate === undefined) return 'damaged';
  if (!certificate.checkPrivateKey(createPrivateKey(key))) return 'of-another-key';
  return Date.parse(certificate.validTo) - nowMs < CLOSE_TO_END_MS ? 'close-to-its-end' : 'good';
}

/** The first certificate of a text; undefined: there is none. */
export function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function fingerprint(keyPem: string): string {
  const publicBytes = createPublicKey(keyPem).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(publicBytes).digest('hex').slice(0, 8);
}
