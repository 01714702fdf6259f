// How a broker program of the benchmark says that it is up and ends: like Jitney, so that one reader fits all.

import type { Server } from 'node:net';
import { formatConnectionString } from '../../../src/config/connection-string.js';

/** The line that Jitney prints when it is ready. */
export const READY_LINE = 'Emulator Service is Successfully Up!';

export function sayUp(server: Server): void {
  process.once('SIGTERM', () => process.exit());
  server.once('listening', () => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
    console.log(`${formatConnectionString('127.0.0.1', address.port)}\n${READY_LINE}`);
  });
}
