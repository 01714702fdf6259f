// Listening on localhost, which is two addresses on most machines and one on some.

import { once } from 'node:events';
import { connect, createServer, type ListenOptions, type Server, Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { listen } from '../../src/gateway/listen.js';

const made: Server[] = [];

afterEach(() => {
  for (const server of made.splice(0)) server.close();
});

/** Real servers for 127.0.0.1; listening on ::1 ends as told, one outcome after another. */
function serversWhose(outcomesOnIPv6: string[]): () => Server {
  return () => {
    const server = createServer();
    made.push(server);
    const listenForReal = server.listen.bind(server);
    const listenAsTold = (options: ListenOptions, onListening: () => void) => {
      if (options.host !== '::1') return listenForReal(options, onListening);
      const code = outcomesOnIPv6.shift();
      if (code === 'listening') queueMicrotask(onListening);
      else queueMicrotask(() => server.emit('error', Object.assign(new Error(`listen ${code}`), { code })));
      return server;
    };
    return Object.assign(server, { listen: listenAsTold });
  };
}

test('localhost is both loopback addresses', async () => {
  const { servers } = await listen({ host: 'localhost', port: 0 }, serversWhose(['listening']));
  expect(servers).toHaveLength(2);
});

test.each(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])(
  'where there is no IPv6 (%s), localhost is 127.0.0.1',
  async (code) => {
    const { servers } = await listen({ host: 'localhost', port: 0 }, serversWhose([code]));
    expect(servers).toHaveLength(1);
  },
);

test('thousands of clients may connect before the first of them is accepted', async () => {
  const server = createServer();
  made.push(server);
  const listening = vi.spyOn(server, 'listen');
  await listen({ host: '127.0.0.1', port: 0 }, () => server);
  const [options] = listening.mock.calls[0] ?? [];
  expect(options).toMatchObject({ backlog: 4096 });
});

test('any free port is one that is free on both addresses', async () => {
  const outcomes = ['EADDRINUSE', 'EADDRINUSE', 'listening'];
  const { servers } = await listen({ host: 'localhost', port: 0 }, serversWhose(outcomes));
  expect(servers).toHaveLength(2);
  expect(outcomes).toEqual([]);
});

test('a port that stays in use on the second address is given up in the end', async () => {
  const always = Array.from({ length: 100 }, () => 'EADDRINUSE');
  await expect(listen({ host: 'localhost', port: 0 }, serversWhose(always))).rejects.toMatchObject({
    kind: 'in-use',
    message: expect.stringContaining('on ::1'),
  });
});

/** A client that comes to the first address while the second one is being tried. */
function serversWithEarlyClient(outcomeOnIPv6: string, served: Socket[]) {
  const make = serversWhose([outcomeOnIPv6]);
  let client: Socket | undefined;
  let first: Server | undefined;
  const makeServer = () => {
    const server = make().on('connection', (socket: Socket) => served.push(socket));
    if (first === undefined) {
      first = server;
      return server;
    }
    const listenAsTold = server.listen.bind(server);
    const listenOnceSomebodyCame = (options: ListenOptions, onListening: () => void) => {
      const address = first?.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      client = connect({ host: '127.0.0.1', port: port ?? 0 }).on('error', () => {});
      first?.once('connection', () => listenAsTold(options, onListening));
      return server;
    };
    return Object.assign(server, { listen: listenOnceSomebodyCame });
  };
  return { makeServer, clientEnd: () => once(client ?? new Socket(), 'close') };
}

test('a client that comes before both addresses are there is served once they are', async () => {
  const served: Socket[] = [];
  const { makeServer } = serversWithEarlyClient('listening', served);
  await listen({ host: 'localhost', port: 0 }, makeServer);
  expect(served).toHaveLength(1);
  for (const socket of served) socket.destroy();
});

test('a client that comes before the second address fails is not served, and does not hold the first', async () => {
  const served: Socket[] = [];
  const { makeServer, clientEnd } = serversWithEarlyClient('EACCES', served);
  await expect(listen({ host: 'localhost', port: 0 }, makeServer)).rejects.toMatchObject({
    kind: 'not-permitted',
  });
  await clientEnd();
  expect(served).toEqual([]);
  expect(made.some((server) => server.listening)).toBe(false);
});

test('localhost is not half taken when the second address is in use', async () => {
  const { servers, port } = await listen({ host: '127.0.0.1', port: 0 }, serversWhose([]));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  const taken = listen({ host: 'localhost', port }, serversWhose(['EADDRINUSE']));
  await expect(taken).rejects.toMatchObject({ kind: 'in-use', message: `Port ${port} on ::1 is in use` });
  // The first address has been given back.
  await listen({ host: '127.0.0.1', port }, serversWhose([]));
});
