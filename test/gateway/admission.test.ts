// Clients for which there is no room: they are told so in their protocol, or dropped.

import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import type { Room } from '../../src/gateway/descriptors.js';
import { refuseSocket } from '../../src/gateway/http-server.js';
import { GatewayUnderTest, saidBy } from '../support/gateway-under-test.js';

let gateway: GatewayUnderTest;

afterEach(() => gateway.close());

/** A gateway that has this room for each client, one after another. */
async function openWith(...rooms: Room[]): Promise<number[]> {
  const counts: number[] = [];
  gateway = await GatewayUnderTest.open({
    admission: {
      roomFor: (_socket, connectionCount) => {
        counts.push(connectionCount);
        return rooms.shift() ?? 'free';
      },
      amqp: (socket) => socket.end('refused'),
      http: (socket) => refuseSocket(socket, { status: 503, text: 'no room' }),
    },
  });
  return counts;
}

test('an AMQP client for which there is no room is told in AMQP', async () => {
  await openWith('full');
  const client = await gateway.plain();
  client.write('AMQP');
  expect(await saidBy(client)).toBe('refused');
});

test('an HTTP client for which there is no room gets a 503', async () => {
  await openWith('full');
  const client = await gateway.plain();
  client.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const answer = await saidBy(client);
  expect(answer).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
  expect(answer).toMatch(/\r\n\r\nno room\n$/);
});

test.each([
  ['a client with TLS for which there is no room', 'full', Buffer.from('1603010200010001', 'hex')],
  ['a client for which there is not even a descriptor', 'exhausted', Buffer.from('AMQP')],
] as const)('%s is dropped', async (_, room, firstBytes) => {
  await openWith(room);
  const client = await gateway.plain();
  client.write(firstBytes);
  expect(await saidBy(client)).toBe('');
});

test('those who come while there is room again are served', async () => {
  const counts = await openWith('free', 'exhausted');
  const first = await gateway.plain();
  const second = await gateway.plain();
  if (!second.destroyed) await once(second, 'close');
  expect(await gateway.isServing()).toBe(true);
  expect(counts.slice(0, 2)).toEqual([1, 2]);
  first.destroy();
});
