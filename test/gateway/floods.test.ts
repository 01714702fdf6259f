// Clients that come in crowds, say half of something, or never stop: they are bounded, and others are served.

import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { afterEach, expect, test } from 'vitest';
import {
  type GatewayOptions,
  GatewayUnderTest,
  nextOf,
  openSslCheck,
  saidBy,
} from '../support/gateway-under-test.js';
import { loopbackAddresses } from '../support/loopback.js';

const opened: GatewayUnderTest[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

async function open(options?: GatewayOptions): Promise<GatewayUnderTest> {
  const gateway = await GatewayUnderTest.open(options);
  opened.push(gateway);
  return gateway;
}

test('three hundred clients that say one byte and no more cost little, and others are served', async () => {
  const gateway = await open();
  await gateway.secure();
  const before = process.memoryUsage();
  const crowd = await Promise.all(
    Array.from({ length: 300 }, async (_, index) => {
      const client = await gateway.plain();
      // The first of AMQP, of HTTP, of TLS, and of nothing.
      client.write(Buffer.of([0x41, 0x47, 0x16, 0x00][index % 4] ?? 0));
      return client;
    }),
  );
  expect(await gateway.isServing()).toBe(true);
  expect((await gateway.secure()).authorized).toBe(true);
  const after = process.memoryUsage();
  // Both sides of each of them, and rubbish that is not yet collected.
  expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(30 * 1024 * 1024);
  for (const client of crowd) client.destroy();
  expect(await gateway.isServing()).toBe(true);
});

/** A request whose head does not end. */
function headOf(bytes: number): string {
  return `GET / HTTP/1.1\r\nHost: localhost\r\n${`x: ${'y'.repeat(1000)}\r\n`.repeat(bytes / 1000)}`;
}

test.each(['plain', 'secure'] as const)('a head of 200 KB is answered 431, %s', async (way) => {
  const gateway = await open();
  const client = await gateway[way]();
  client.write(headOf(200_000));
  // All of it is read, so that the answer comes whichever side is quicker.
  expect(await saidBy(client)).toMatch(/^HTTP\/1\.1 431 /);
  expect(await gateway.isServing()).toBe(true);
});

function* endlessHead(): Generator<string> {
  yield headOf(1000);
  for (;;) yield `x: ${'y'.repeat(10_000)}\r\n`;
}

test.each(['plain', 'secure'] as const)('a head that never ends is cut off, %s', async (way) => {
  const gateway = await open({ limits: { lingerMs: 1 } });
  const client = (await gateway[way]()).resume();
  // The end of the answer does not stop it.
  client.allowHalfOpen = true;
  await expect(pipeline(endlessHead, client)).rejects.toThrow();
  expect(await gateway.isServing()).toBe(true);
});

test.each(['plain', 'secure'] as const)(
  'a request that comes too slowly is answered 408, %s',
  async (way) => {
    const timeouts = { headersTimeout: 1, requestTimeout: 1, connectionsCheckingInterval: 1 };
    const gateway = await open({ limits: timeouts });
    const client = await gateway[way]();
    client.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n');
    expect(await saidBy(client)).toMatch(/^HTTP\/1\.1 408 /);
  },
);

test('clients that have closed their side alone are answered and let go', async () => {
  const gateway = await open();
  const half = await gateway.plain();
  half.end('GET /half HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(await saidBy(half)).toMatch(/http \/half /);
  const silent = await gateway.plain();
  silent.end();
  expect(await saidBy(silent)).toBe('');
  const secure = await gateway.secure();
  secure.end('GET /half HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(await saidBy(secure)).toMatch(/http \/half /);
});

test.each(loopbackAddresses())('localhost is served at %s, with TLS and without', async (host) => {
  const gateway = await open({ host: 'localhost' });
  const plain = await gateway.plain(host);
  plain.write('AMQP');
  expect(await nextOf(plain)).toBe('amqp AMQP');
  const secure = await gateway.secure({ host, checkServerIdentity: openSslCheck });
  secure.write('GET /orders HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect(await nextOf(secure)).toMatch(/http \/orders /);
});

test('sixty handshakes at once are all finished', async () => {
  const gateway = await open();
  const clients = await Promise.all(Array.from({ length: 60 }, () => gateway.secure()));
  const answers = clients.map((client) => once(client, 'data'));
  for (const client of clients) client.write('AMQP');
  expect((await Promise.all(answers)).map(String)).toEqual(clients.map(() => 'amqp AMQP'));
});
