// Names in certificates: the names with which programs on this machine and in containers reach us, and names that only a client knows.

import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { ServerCertificate } from './certificate-authority.js';
import { memoizeAsync } from './memoize-async.js';

/** Names in every certificate. Some clients accept `*.localhost`; many want two labels after the star. */
const ALWAYS: readonly string[] = [
  ...['localhost', '*.localhost', '127.0.0.1', '::1'],
  ...[
    'host.docker.internal',
    'host.containers.internal',
    'servicebus-emulator',
    'sb-emulator',
    '*.servicebus.windows.net',
  ],
];
/** Valid names for a certificate. The name of a machine may be invalid. */
const NAME = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/;

const PORT = /^(?<host>[^*]+):\d{1,5}$/;
/** The most certificates in the cache. Making another one costs only one signature. */
const MAX_CACHED = 100;
/** Suffixes that no public name has: for this machine, for this machine seen from a container, and for services in Kubernetes. */
const LOCAL_SUFFIXES: readonly string[] = ['.localhost', '.docker.internal', '.svc', '.svc.cluster.local'];

/** The fixed names, this machine's name and the given names, in lower case and without duplicates. */
export function certificateNames(given: readonly string[]): readonly string[] {
  const names = [...ALWAYS, hostname(), ...given].map((name) => name.toLowerCase());
  // The Go SDK looks for the name with its port; all other clients look for the name alone.
  return [...new Set(names.flatMap((name) => [withoutPort(name), name]).filter(isCertificateName))];
}

/** Whether a text is a DNS name, in which the first label may be `*`, or an IP address without brackets; each with or without a port. */
export function isCertificateName(name: string): boolean {
  const host = withoutPort(name);
  return isIP(host) !== 0 || (host.length <= 253 && NAME.test(host.toLowerCase()));
}

/** Cuts off the port and the brackets: `[::1]:5672` becomes `::1`. */
export function withoutPort(name: string): string {
  if (isIP(name) !== 0) return name;
  const { host = name } = PORT.exec(name)?.groups ?? {};
  return host === name ? name : host.replace(/^\[(.*)\]$/, '$1');
}

type ByNameOptions = {
  /** The names of the default certificate. */
  readonly names: () => readonly string[];
  readonly make: (names: readonly string[]) => Promise<ServerCertificate>;
  readonly isExpired: (made: ServerCertificate) => boolean;
};

/**
 * Certificates for names that only a client knows: names in its local network or cluster, names below `localhost`, and names
 * with the port that it connects to. Undefined when the default certificate covers the name.
 */
export function certificatesByName({ names, make, isExpired }: ByNameOptions) {
  const cached = new Map<string, () => Promise<ServerCertificate>>();
  return async (servername: string): Promise<ServerCertificate | undefined> => {
    const name = servername.toLowerCase();
    const covered = names();
    if (covered.includes(name) || !isCertificateName(name)) return undefined;
    // The Go SDK asks for `localhost:5672` and looks for that text in the certificate. The port may not be ours: a container may publish
    // another one.
    const host = withoutPort(name);
    if (!isLocal(host) && (host === name || !covers(covered, host))) return undefined;
    let get = cached.get(name);
    if (get === undefined) {
      get = memoizeAsync(() => make([...new Set([host, name])]), isExpired);
      cached.set(name, get);
      const [oldest] = cached.keys();
      if (cached.size > MAX_CACHED && oldest !== undefined) cached.delete(oldest);
    }
    return get();
  };
}

function covers(names: readonly string[], host: string): boolean {
  return names.includes(host) || names.includes(host.replace(/^[^.]+/, '*'));
}

/** Whether a name needs its own certificate: clients reject `*.localhost` and `*.svc`, and `*` matches only one label. */
function isLocal(name: string): boolean {
  if (!name.includes('.')) return true;
  return !name.startsWith('*') && LOCAL_SUFFIXES.some((suffix) => name.endsWith(suffix));
}
