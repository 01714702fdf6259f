// The ports of an emulator: held before a start changes anything, then served; one that is only a convenience may be missing.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Gateway } from '../src/gateway/gateway.js';
import { Port } from '../src/gateway/port.js';
import { HeldPorts, openPorts } from '../src/open-ports.js';
import { echo } from './support/gateway-under-test.js';

const opened: { close(): unknown }[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

function make(): Gateway {
  const gateway = new Gateway({ amqp: echo, http: (socket) => socket.destroy() });
  opened.push(gateway);
  return gateway;
}

function hold(): HeldPorts {
  const held = new HeldPorts();
  opened.push(held);
  return held;
}

test('a client that comes while the ports are held waits, and is served with what it has sent', async () => {
  const port = await freePort();
  const options = { host: '127.0.0.1', port, tls: 'off' } as const;
  const held = hold();
  await held.open(options);
  const client = connect(port, '127.0.0.1');
  client.write('AMQP first');
  await once(client, 'connect');
  const gone = connect(port, '127.0.0.1');
  await once(gone, 'connect');
  gone.destroy();
  await expect(hold().open(options)).rejects.toMatchObject({ kind: 'in-use', cause: { port } });

  expect(await openPorts(options, make(), held)).toMatchObject({ port, httpPort: undefined });
  const [echoed] = await once(client, 'data');
  expect(String(echoed)).toBe('amqp AMQP first');
  client.destroy();
});

test('ports that nobody takes are closed', async () => {
  const held = hold();
  const port = await freePort();
  await held.open({ host: '127.0.0.1', port, tls: 'off' });
  await held.close();
  const next = await Port.open({ host: '127.0.0.1', port });
  opened.push({ close: () => next.close(0) });
});

test('a port that is only a convenience and is in use is reported, and missing', async () => {
  // Another program on this machine may have it already.
  const other = createServer();
  await new Promise<void>((resolve) => {
    other.once('error', () => resolve());
    other.listen(5671, '127.0.0.1', resolve);
  });
  opened.push(other);
  const told: string[] = [];
  const log = (_: string, text: string) => told.push(text);
  const ports = await openPorts({ host: '127.0.0.1', tlsPort: 'ifFree', log }, make());
  expect(ports.tlsPort).toBeUndefined();
  expect(told).toEqual([
    expect.stringMatching(
      /^Port 5671 on 127\.0\.0\.1 is in use, so clients .* Choose another with --tls-port, or off$/,
    ),
  ]);
});

async function freePort(): Promise<number> {
  const port = await Port.open({ host: '127.0.0.1', port: 0 });
  await port.close(0);
  return port.port;
}
