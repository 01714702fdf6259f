// Where TLS gets its certificate from: a folder, the memory of this process, or the user's own files. Nothing is made before it is needed.

import { join } from 'node:path';
import { type Authority, makeAuthorityCertificate } from './certificate-authority.js';
import { certificatesByName } from './certificate-by-name.js';
import { type GivenCertificate, readGiven } from './certificate-given.js';
import { makeLeaf, renewalTime, type ServerCertificate } from './certificate-leaf.js';
import { certificateNames } from './certificate-names.js';
import { AUTHORITY_FILE, openAuthority, openLeaf } from './certificate-store.js';
import { newKeyPem } from './certificate-x509.js';
import { renewed } from './renewed.js';

export type CertificateOptions = {
  /** The folder of our authority; undefined: one of this process alone, in memory. */
  readonly directory?: string | undefined;
  /** Names and addresses besides those that are always in the certificate; each may have a port. */
  readonly hosts?: readonly string[];
  readonly given?: GivenCertificate | undefined;
  /** Told what was damaged and has been made anew. */
  readonly tell?: (text: string) => void;
  readonly now?: () => number;
};

export type Certificates = {
  /** The file that programs are told to trust; undefined: there is none on disk, or none of ours. */
  readonly authorityPath: string | undefined;
  /** What stands in it; undefined where the user's own certificate is served. Throws a CertificateError. */
  readonly authority: () => Promise<string | undefined>;
  /** The same object until it is renewed. Throws a CertificateError, and tries again when asked again. */
  readonly server: () => Promise<ServerCertificate>;
  /** For a name that a client asks for; undefined: that of `server` is the one. Throws a CertificateError. */
  readonly serverFor: (name: string) => Promise<ServerCertificate | undefined>;
};

/** Throws a CertificateError for certificates that were given; all others are made when they are asked for. */
export async function openCertificates(options: CertificateOptions): Promise<Certificates> {
  const { directory, hosts = [], given, tell = () => {}, now = Date.now } = options;
  if (given !== undefined) {
    const server = await readGiven(given, now());
    return {
      authorityPath: undefined,
      authority: async () => undefined,
      server: async () => server,
      serverFor: async () => undefined,
    };
  }
  const names = certificateNames(hosts);
  const store = directory === undefined ? undefined : { directory, names, now, tell };
  const authority = renewed(() => (store === undefined ? makeAuthority(now()) : openAuthority(store)));
  const isOver = (made: ServerCertificate) => renewalTime(made) <= now();
  const makeServer = async (): Promise<ServerCertificate> => {
    const issuer = await authority();
    return store === undefined ? makeLeaf(issuer, names, now()) : openLeaf(issuer, store);
  };
  return {
    authorityPath: directory === undefined ? undefined : join(directory, AUTHORITY_FILE),
    authority: async () => (await authority()).cert,
    server: renewed(makeServer, isOver),
    serverFor: certificatesByName({
      names,
      make: async (wanted) => makeLeaf(await authority(), wanted, now()),
      isOver,
    }),
  };
}

async function makeAuthority(nowMs: number): Promise<Authority> {
  const key = newKeyPem();
  return { key, cert: await makeAuthorityCertificate(key, nowMs) };
}
