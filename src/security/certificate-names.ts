// The names and addresses that our certificate is for: those by which programs on this machine and in containers find us.

import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** `*.localhost` is for clients that accept it; many want two labels after the star. */
const ALWAYS: readonly string[] = [
  ...['localhost', '*.localhost', '127.0.0.1', '::1'],
  ...['host.docker.internal', 'servicebus-emulator', 'sb-emulator', '*.servicebus.windows.net'],
];
/** What may stand in a certificate; machines are sometimes called otherwise. */
const NAME = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/;

/** Those that are always there, this machine's own, and those given; in lower case and each once. */
export function certificateNames(given: readonly string[]): readonly string[] {
  const names = [...ALWAYS, hostname(), ...given].map((name) => name.toLowerCase());
  return [...new Set(names.filter(isCertificateName))];
}

/** A DNS name, with a star for its first label at most, or an IP address without brackets. */
export function isCertificateName(name: string): boolean {
  return isIP(name) !== 0 || (name.length <= 253 && NAME.test(name.toLowerCase()));
}
