// The certificates for TLS: from a folder, from the memory of this process, or from the user's own files. Made at first use.

import { createPrivateKey, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { JitneyError } from '../jitney-error.js';
import {
  type Authority,
  makeAuthorityCertificate,
  makeLeaf,
  newKeyPem,
  readCertificate,
  renewalTime,
  type ServerCertificate,
} from './certificate-authority.js';
import { certificateNames, certificatesByName } from './certificate-names.js';
import { AUTHORITY_FILE, openAuthority, openLeaf, readIfPresent } from './certificate-store.js';
import { memoizeAsync } from './memoize-async.js';

/** Paths of PEM files; the certificate file may hold the whole chain. */
type GivenCertificate = { readonly cert: string; readonly key: string };

export type CertificateOptions = {
  /** The folder of our authority. Without it, the authority is kept in the memory of this process. */
  readonly directory?: string | undefined;
  /** Host names and addresses in addition to the fixed ones; each may have a port. */
  readonly hosts?: readonly string[];
  readonly given?: GivenCertificate | undefined;
  /** Reports files that were damaged and have been replaced. */
  readonly warn?: (text: string) => void;
  readonly now?: () => number;
};

export type Certificates = {
  /** The file for programs to trust; undefined without a folder, and for the user's own certificate. */
  readonly authorityPath: string | undefined;
  /** The authority's certificate in PEM; undefined for the user's own certificate. Throws a JitneyError. */
  readonly authority: () => Promise<string | undefined>;
  /** The default certificate: always the same object until it is renewed. Throws a JitneyError; the next call tries again. */
  readonly server: () => Promise<ServerCertificate>;
  /** The certificate for a name that a client requests; undefined if the one of `server` covers it. Throws a JitneyError. */
  readonly serverFor: (name: string) => Promise<ServerCertificate | undefined>;
};

/** Checks a user's own certificate at once and throws a JitneyError. Other certificates are made at first use. */
export async function openCertificates(options: CertificateOptions): Promise<Certificates> {
  const { directory, hosts = [], given, warn = () => {}, now = Date.now } = options;
  if (given !== undefined) {
    const server = await readGiven(given, now());
    return {
      authorityPath: undefined,
      authority: async () => undefined,
      server: async () => server,
      serverFor: async () => undefined,
    };
  }
  let known: readonly string[] | undefined;
  // Not before a client needs them: Node takes milliseconds to compile its pattern of IPv6 addresses, to which they are held.
  const names = () => {
    known ??= certificateNames(hosts);
    return known;
  };
  const store = directory === undefined ? undefined : { directory, names, now, warn };
  const authority = memoizeAsync(() => (store === undefined ? makeAuthority(now()) : openAuthority(store)));
  const isExpired = (made: ServerCertificate) => renewalTime(made) <= now();
  const makeServer = async (): Promise<ServerCertificate> => {
    const issuer = await authority();
    return store === undefined ? makeLeaf(issuer, names(), now()) : openLeaf(issuer, store);
  };
  return {
    authorityPath: directory === undefined ? undefined : join(directory, AUTHORITY_FILE),
    authority: async () => (await authority()).cert,
    server: memoizeAsync(makeServer, isExpired),
    serverFor: certificatesByName({
      names,
      make: async (wanted) => makeLeaf(await authority(), wanted, now()),
      isExpired,
    }),
  };
}

async function makeAuthority(nowMs: number): Promise<Authority> {
  const key = newKeyPem();
  return { key, cert: await makeAuthorityCertificate(key, nowMs) };
}

/** Reads and checks the user's own certificate. Throws a JitneyError. */
async function readGiven(given: GivenCertificate, nowMs: number): Promise<ServerCertificate> {
  const [cert, key] = await Promise.all([readRequired(given.cert), readRequired(given.key)]);
  const certificate = readCertificate(cert);
  if (certificate === undefined) {
    throw new JitneyError(
      'certificate-invalid',
      `${given.cert} is not a certificate in PEM: it must have a line -----BEGIN CERTIFICATE-----`,
    );
  }
  if (!certificate.checkPrivateKey(readKey(key, given.key))) {
    throw new JitneyError(
      'certificate-key-mismatch',
      `The key in ${given.key} does not belong to the certificate in ${given.cert}`,
    );
  }
  if (Date.parse(certificate.validTo) <= nowMs) {
    throw new JitneyError(
      'certificate-expired',
      `The certificate in ${given.cert} was valid until ${certificate.validTo}: renew it`,
    );
  }
  return { cert, key };
}

async function readRequired(path: string): Promise<string> {
  const text = await readIfPresent(path);
  if (text === undefined) throw new JitneyError('certificate-unreadable', `${path} does not exist`);
  return text;
}

function readKey(pem: string, path: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new JitneyError(
      'certificate-invalid',
      `${path} is not a private key in PEM, or has a passphrase, which cannot be entered here: ${error}`,
      { cause: error },
    );
  }
}
