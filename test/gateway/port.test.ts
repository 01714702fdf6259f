// The TCP port: who is let in, what is said when it cannot be opened, and how it closes.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { Port } from '../../src/gateway/port.js';
import { translateListenError } from '../../src/gateway/port-error.js';
import { loopbackAddresses } from '../support/loopback.js';

const opened: { close(): unknown }[] = [];
const clients: Socket[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await Promise.all(opened.splice(0).map((port) => port.close()));
});

async function open(
  host: string,
  port = 0,
  onConnection: (stream: Duplex) => void = () => {},
): Promise<Port> {
  const result = await Port.open({ host, port }, onConnection);
  opened.push(result);
  return result;
}

async function connectTo(host: string, port: number): Promise<Socket> {
  const client = connect({ host, port });
  clients.push(client);
  await once(client, 'connect');
  return client;
}

test('a client is handed on as a stream of bytes in both directions', async () => {
  const port = await open('127.0.0.1', 0, (stream) => stream.pipe(stream));
  const client = await connectTo('127.0.0.1', port.port);
  client.write('hello');
  const [echo] = await once(client, 'data');
  expect(String(echo)).toBe('hello');
});

test('localhost is served on every loopback address with one port', async () => {
  const port = await open('localhost', 0, (stream) => stream.end('here'));
  for (const host of loopbackAddresses()) {
    const [greeting] = await once(await connectTo(host, port.port), 'data');
    expect(String(greeting)).toBe('here');
  }
});

test('a port that is in use is an error that names it', async () => {
  const { port } = await open('127.0.0.1');
  await expect(open('127.0.0.1', port)).rejects.toMatchObject({
    name: 'JitneyError',
    kind: 'in-use',
    cause: { port },
    message: `Port ${port} on 127.0.0.1 is in use`,
  });
});

test('an address that this machine does not have is an error that names it', async () => {
  await expect(open('192.0.2.1')).rejects.toMatchObject({
    kind: 'bad-address',
    message: 'Host 192.0.2.1 is not an address of this machine',
  });
});

test('a port that needs a permission is an error that says so', () => {
  const denied = Object.assign(new Error('listen EACCES'), { code: 'EACCES' });
  expect(translateListenError(denied, '127.0.0.1', 80)).toMatchObject({
    kind: 'not-permitted',
    message: 'Port 80 on 127.0.0.1 cannot be opened, because this user has no permission',
    cause: denied,
  });
});

test('an error of another kind is left as it is', () => {
  const error = new Error('out of memory');
  expect(translateListenError(error, '127.0.0.1', 80)).toBe(error);
});

test('a client that resets its connection does no harm', async () => {
  let gone: Promise<unknown> = Promise.resolve();
  const port = await open('127.0.0.1', 0, (stream) => {
    gone = new Promise((resolve) => stream.once('close', resolve));
    stream.write('hello');
  });
  const client = await connectTo('127.0.0.1', port.port);
  await once(client, 'data');
  client.resetAndDestroy();
  await gone;
  await connectTo('127.0.0.1', port.port);
});

test('closing waits for sockets that end by themselves', async () => {
  const streams: Duplex[] = [];
  const port = await open('127.0.0.1', 0, (stream) => streams.push(stream));
  const client = await connectTo('127.0.0.1', port.port);
  const closed = port.close(60_000);
  await expect(connectTo('127.0.0.1', port.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  for (const stream of streams) stream.end('bye');
  const [goodbye] = await once(client, 'data');
  expect(String(goodbye)).toBe('bye');
  await closed;
});

test('closing destroys sockets that are still open after the grace', async () => {
  const port = await open('localhost', 0, (stream) => stream.write('hello'));
  const client = await connectTo('127.0.0.1', port.port);
  await once(client, 'data');
  await Promise.all([port.close(0), once(client, 'close')]);
});

test('a port can be closed twice', async () => {
  const port = await open('127.0.0.1');
  await Promise.all([port.close(), port.close()]);
});
