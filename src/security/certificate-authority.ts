// Makes and checks certificates with @peculiar/x509: our own authority, which programs trust, and the certificates that it issues.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  webcrypto,
  X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';

/** A self-signed certificate and its key, both in PEM. */
export type Authority = { readonly cert: string; readonly key: string };

/** The certificate chain and the key that `node:tls` serves, both in PEM. */
export type ServerCertificate = { readonly cert: string; readonly key: string };

type X509 = typeof import('./x509.js');
type KeyPair = {
  readonly privateKey: webcrypto.CryptoKey;
  readonly publicKey: webcrypto.CryptoKey;
};

const SIGNING = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Ten years. */
const AUTHORITY_LIFE_MS = 3652 * DAY_MS;
/** Certificates are valid from a day before now, because the clock of a client or a virtual machine may be behind ours. */
const BACKDATED_MS = DAY_MS;
/** The authority is renewed so early that it outlives every certificate that it has issued. */
const AUTHORITY_RENEWAL_MS = 400 * DAY_MS;
/** Apple's systems and others refuse certificates that are valid for more than 398 days. */
const LEAF_LIFE_MS = 397 * DAY_MS;
const LEAF_RENEWAL_MS = 30 * DAY_MS;

/**
 * A self-signed certificate whose name depends only on the key. So a renewal breaks no client: one that trusts an earlier certificate
 * of this key also accepts certificates that a later one has issued.
 */
export async function makeAuthorityCertificate(keyPem: string, nowMs: number): Promise<string> {
  const x509 = await loadX509();
  const keys = await importKeys(keyPem);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=Jitney on this machine ${fingerprint(keyPem)}, O=Jitney`,
    notBefore: new Date(nowMs - BACKDATED_MS),
    notAfter: new Date(nowMs + AUTHORITY_LIFE_MS),
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

type AuthorityState = 'good' | 'damaged' | 'of-another-key' | 'close-to-its-end';

export function checkAuthority({ cert, key }: Authority, nowMs: number): AuthorityState {
  const certificate = readCertificate(cert);
  if (certificate === undefined) return 'damaged';
  if (!certificate.checkPrivateKey(createPrivateKey(key))) return 'of-another-key';
  return Date.parse(certificate.validTo) - nowMs < AUTHORITY_RENEWAL_MS ? 'close-to-its-end' : 'good';
}

/** The first certificate in a text; undefined if there is none. */
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

/** The certificate that TLS clients see: issued by our authority, for a year, for these names. */
export async function makeLeaf(
  authority: Authority,
  names: readonly string[],
  nowMs: number,
): Promise<ServerCertificate> {
  const x509 = await loadX509();
  const key = newKeyPem();
  const [issuer, keys] = await Promise.all([importKeys(authority.key), importKeys(key)]);
  const notBefore = nowMs - BACKDATED_MS;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: 'CN=localhost, O=Jitney',
    issuer: new x509.X509Certificate(authority.cert).subjectName,
    notBefore: new Date(notBefore),
    notAfter: new Date(notBefore + LEAF_LIFE_MS),
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

/** Whether a stored certificate can still be served: it is valid for 30 more days, issued by this authority, and has all these names. */
export function isUsable(
  leaf: ServerCertificate,
  { authority, names, nowMs }: { authority: Authority; names: readonly string[]; nowMs: number },
): boolean {
  const certificate = readCertificate(leaf.cert);
  const issuer = readCertificate(authority.cert);
  if (certificate === undefined || issuer === undefined) return false;
  if (Date.parse(certificate.validTo) - nowMs < LEAF_RENEWAL_MS) return false;
  if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) return false;
  if (!isKeyOf(leaf)) return false;
  const dnsNames = new Set((certificate.subjectAltName ?? '').toLowerCase().split(', '));
  return names.every((name) =>
    isIP(name) === 0 ? dnsNames.has(`dns:${name}`) : certificate.checkIP(name) !== undefined,
  );
}

/** When the certificate must be replaced, 30 days before its end. */
export function renewalTime({ cert }: ServerCertificate): number {
  const certificate = readCertificate(cert);
  return certificate === undefined ? 0 : Date.parse(certificate.validTo) - LEAF_RENEWAL_MS;
}

function isKeyOf({ cert, key }: ServerCertificate): boolean {
  try {
    return readCertificate(cert)?.checkPrivateKey(createPrivateKey(key)) === true;
  } catch {
    return false;
  }
}

/** A serial number. It begins with 4a, because the first bit of a positive number must be 0. */
function serialNumber(): string {
  return `4a${randomBytes(15).toString('hex')}`;
}

/** A new private key, ECDSA on P-256. */
export function newKeyPem(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

async function loadX509(): Promise<X509> {
  const x509 = await import('./x509.js');
  x509.cryptoProvider.set(webcrypto);
  return x509;
}

async function importKeys(keyPem: string): Promise<KeyPair> {
  const key = createPrivateKey(keyPem);
  const publicBytes = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const privateBytes = key.export({ type: 'pkcs8', format: 'der' });
  const [privateKey, publicKey] = await Promise.all([
    webcrypto.subtle.importKey('pkcs8', privateBytes, SIGNING, false, ['sign']),
    webcrypto.subtle.importKey('spki', publicBytes, SIGNING, true, ['verify']),
  ]);
  return { privateKey, publicKey };
}

/** PEM that ends with one line feed, so that certificates can be concatenated. */
function asPem(certificate: { toString(format: 'pem'): string }): string {
  return `${certificate.toString('pem').trim()}\n`;
}
