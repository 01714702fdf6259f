// The names and addresses that our certificate is for: those by which programs on this machine and in containers find us.

import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** `*.localhost` is for clients that accept it; many want two labels after the star. */
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
/** What may stand in a certificate; machines are sometimes called otherwise. */
const NAME = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/;

const PORT = /^(?<host>[^*]+):\d{1,5}$/;

/** Those that are always there, this machine's own, and those given; in lower case and each once. */
export function certificateNames(given: readonly string[]): readonly string[] {
  const names = [...ALWAYS, hostname(), ...given].map((name) => name.toLowerCase());
  // A name with a port is for Go; all other clients of that port look for the name alone.
  return [...new Set(names.flatMap((name) => [withoutPort(name), name]).filter(isCertificateName))];
}

/** A DNS name, with a star for its first label at most, or an IP address without brackets; or one of them with a port. */
export function isCertificateName(name: string): boolean {
  const host = withoutPort(name);
  return isIP(host) !== 0 || (host.length <= 253 && NAME.test(host.toLowerCase()));
}

/** `[::1]:5672` is the address `::1`. */
export function withoutPort(name: string): string {
  if (isIP(name) !== 0) return name;
  const { host = name } = PORT.exec(name)?.groups ?? {};
  return host === name ? name : host.replace(/^\[(.*)\]$/, '$1');
}
