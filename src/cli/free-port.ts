// Finds a free port to suggest instead of one in use, by listening on it for a moment.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { OPTIONS } from '../config/option-table.js';
import { AMQPS_PORT } from '../config/options.js';
import type { Settings } from '../config/settings.js';

const TRIED_COUNT = 20;
const LAST_PORT = 65_535;
const LOOPBACK = ['127.0.0.1', '::1'] as const;

/** The next free port above the one in use, or below it near the end of the range; undefined for other errors, or when none is free. */
export async function freePortInstead(
  error: unknown,
  settings: Settings | undefined,
): Promise<number | undefined> {
  if (!(error instanceof Error) || settings === undefined) return undefined;
  if (!('kind' in error) || error.kind !== 'in-use' || !('port' in error)) return undefined;
  const { host, port, httpPort, tlsPort, httpsPort } = settings;
  // Ports of this start that are not open yet would look free; the default ports may belong to a program that is off now.
  const used: readonly unknown[] = [
    port,
    httpPort,
    tlsPort,
    httpsPort,
    OPTIONS.port.default,
    OPTIONS.httpPort.default,
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
    // Without IPv6 its port does not matter.
    if (code !== undefined && code !== 'EADDRNOTAVAIL' && code !== 'EAFNOSUPPORT') return false;
  }
  return true;
}
