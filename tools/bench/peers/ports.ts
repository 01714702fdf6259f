// Ports of the loopback interface: one that is free, and the moment somebody listens on it.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export const HOST = '127.0.0.1';

const RETRY_MS = 5;
const LIMIT_MS = 60_000;

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Resolves when the port takes a connection; to false when it has not after a minute. */
export async function isListening(port: number): Promise<boolean> {
  for (const giveUpAt = performance.now() + LIMIT_MS; performance.now() < giveUpAt; await sleep(RETRY_MS)) {
    if (await takesConnection(port)) return true;
  }
  return false;
}

function takesConnection(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: HOST, port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
