// Ports of the loopback interface: one that is free, and the moment somebody listens on it.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export const HOST = '127.0.0.1';

const AMQP_HEADER = Buffer.from('AMQP\0\x01\0\0', 'latin1');
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

/** Resolves when the port answers these first bytes, which are those of AMQP unless told; to false when it has not after a minute. */
export async function isListening(port: number, greeting = AMQP_HEADER): Promise<boolean> {
  for (const giveUpAt = performance.now() + LIMIT_MS; performance.now() < giveUpAt; await sleep(RETRY_MS)) {
    const socket = connect({ host: HOST, port });
    // A socket may be given that very port as its own, and connects to itself then.
    socket.once('connect', () => (socket.localPort === port ? socket.destroy() : socket.write(greeting)));
    // A start tries its ports and closes them again, so a connection alone says nothing.
    const isUp = await Promise.race([
      once(socket, 'data').then(
        () => true,
        () => false,
      ),
      once(socket, 'close').then(
        () => false,
        () => false,
      ),
    ]);
    socket.destroy();
    if (isUp) return true;
  }
  return false;
}
