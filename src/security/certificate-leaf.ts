// The certificate that a TLS client is shown: issued by our authority, for a year, for the names of this machine.

import { createPrivateKey, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { type Authority, EARLIER_MS, readCertificate } from './certificate-authority.js';
import { asPem, DAY_MS, importKeys, loadX509, newKeyPem, SIGNING } from './certificate-x509.js';

/** What `node:tls` serves: the certificate with those above it, and its key, both in PEM. */
export type ServerCertificate = { readonly cert: string; readonly key: string };

/** Apple's systems and others refuse certificates for more than 398 days. */
const LIFE_MS = 397 * DAY_MS;
const CLOSE_TO_END_MS = 30 * DAY_MS;

export async function makeLeaf(
  authority: Authority,
  names: readonly string[],
  nowMs: number,
): Promise<ServerCertificate> {
  const x509 = await loadX509();
  const key = newKeyPem();
  const [issuer, keys] = await Promise.all([importKeys(authority.key), importKeys(key)]);
  const notBefore = nowMs - EARLIER_MS;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: 'CN=localhost, O=Jitney',
    issuer: new x509.X509Certificate(authority.cert).subjectName,
    notBefore: new Date(notBefore),
    notAfter: new Date(notBefore + LIFE_MS),
    signingAlgorithm: SIGNING,
    publicKey: keys.publicKey,
    signingKey: issuer.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { cert: asPem(certificate), key };
}

/** Whether it can be served for these names for some time to come. */
export function isUsable(
  leaf: ServerCertificate,
  { authority, names, nowMs }: { authority: Authority; names: readonly string[]; nowMs: number },
): boolean {
  const certificate = readCertificate(leaf.cert);
  const issuer = readCertificate(authority.cert);
  if (certificate === undefined || issuer === undefined) return false;
  if (Date.parse(certificate.validTo) - nowMs < CLOSE_TO_END_MS) return false;
  if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) return false;
  if (!isKeyOf(leaf)) return false;
  const dnsNames = new Set((certificate.subjectAltName ?? '').toLowerCase().split(', '));
  return names.every((name) =>
    isIP(name) === 0 ? dnsNames.has(`dns:${name}`) : certificate.checkIP(name) !== undefined,
  );
}

/** When it should be looked at again. */
export function renewalTime({ cert }: ServerCertificate): number {
  const certificate = readCertificate(cert);
  return certificate === undefined ? 0 : Date.parse(certificate.validTo) - CLOSE_TO_END_MS;
}

function isKeyOf({ cert, key }: ServerCertificate): boolean {
  try {
    return readCertificate(cert)?.checkPrivateKey(createPrivateKey(key)) === true;
  } catch {
    return false;
  }
}

/** Positive, as it must be, whatever the first bit would be. */
function serialNumber(): string {
  return `4a${randomBytes(15).toString('hex')}`;
}
