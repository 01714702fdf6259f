// Finds a port to offer in place of one that is taken, by listening on it for a moment.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { AMQPS_PORT } from '../config/options.js';
import { DEFAULTS, type Settings } from '../config/settings.js';

const TRIED_COUNT = 20;
const LAST_PORT = 65_535;
const LOOPBACK = ['127.0.0.1', '::1'] as const;

/** The next free port above one that is in use, or below where none is left; undefined for other errors, and where none is found. */
export async function freePortInstead(
  error: unknown,
  settings: Settings | undefined,
): Promise<number | undefined> {
  if (!(error instanceof Error) || settings === undefined) return undefined;
  if (!('kind' in error) || error.kind !== 'in-use' || !('port' in error)) return undefined;
  const { host, port, httpPort, tlsPort, httpsPort } = settings;
  // Ports of this start that are not open yet would look free; the usual ones are for another program that is off now.
  const used: readonly unknown[] = [
    port,
    httpPort,
    tlsPort,
    httpsPort,
    DEFAULTS.port,
    DEFAULTS.httpPort,
    AMQPS_PORT,
  ];
  const candidates = neighboursOf(Number(error.port)).filter((candidate) => !used.includes(candidate));
  for (const candidate of candidates) {
    if (await isFree(candidate, host)) return candidate;
  }
  return undefined;
}

function neighboursOf(port: number): number[] {
  const step = port + TRIED_COUNT <= LAST_PORT ? 1 : -1;
  return Array.from({ length: TRIED_COUNT }, (_, index) => port + step * (index + 1));
}

async function isFree(port: number, host: string): Promise<boolean> {
  const addresses = host.toLowerCase() === 'localhost' ? LOOPBACK : [host];
  for (const address of addresses) {
    const server = createServer().listen({ port, host: address, exclusive: true });
    const code = await once(server, 'listening').then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    server.close();
    // Where there is no IPv6, its port is no hindrance.
    if (code !== undefined && code !== 'EADDRNOTAVAIL' && code !== 'EAFNOSUPPORT') return false;
  }
  return true;
}
