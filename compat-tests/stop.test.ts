// Stopping while there are clients that neither say anything nor go.

import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';

const STOP_LIMIT_MS = 2000;
const AMQP_HEADER = Buffer.from('AMQP\x00\x01\x00\x00', 'latin1');
const HEALTH = /http:\/\/localhost:(\d+)\/health/;

// Windows has no SIGTERM.
test.skipIf(process.platform === 'win32')(
  'SIGTERM ends it within two seconds with exit code 0 although no client closes its side',
  async () => {
    // Of two flags the last one counts.
    const jitney = await Jitney.start({ queues: ['orders'], extraArguments: ['--http-port', '0'] });
    const healthPort = Number(HEALTH.exec(jitney.process.output)?.[1]);
    const onHealth = await connectTo(healthPort);
    const onAmqp = await connectTo(jitney.address.port);
    onAmqp.write(AMQP_HEADER);
    // Answered, so the connection is served; the peer then never says a word, and does not end its side either.
    await once(onAmqp, 'data');

    const stopAt = Date.now();
    const exit = await jitney.stop();

    expect(exit).toEqual({ code: 0, signal: null });
    expect(Date.now() - stopAt).toBeLessThan(STOP_LIMIT_MS);
    for (const socket of [onHealth, onAmqp]) socket.destroy();
  },
);

async function connectTo(port: number): Promise<Socket> {
  const socket = createConnection({ host: '127.0.0.1', port, allowHalfOpen: true });
  await once(socket, 'connect');
  return socket.on('error', () => {});
}
