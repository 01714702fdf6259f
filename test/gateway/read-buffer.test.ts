// Tests of the one buffer into which plain AMQP sockets are read: it is used, and a socket that is read into it behaves like any other.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ProtocolSniffer } from '../../src/gateway/protocol-sniffer.js';
import { ReadBuffer } from '../../src/gateway/read-buffer.js';
import { GatewayUnderTest } from '../support/gateway-under-test.js';
import { turns, until } from '../support/rhea-client.js';

/** What has been read on each connection: the bytes, and the memory that they came in. */
let streams: { readonly stream: Duplex; readonly texts: string[]; readonly memories: ArrayBufferLike[] }[];
let gateway: GatewayUnderTest;
beforeEach(async () => {
  streams = [];
  gateway = await GatewayUnderTest.open({
    amqp: (stream) => {
      const seen = { stream, texts: [] as string[], memories: [] as ArrayBufferLike[] };
      streams.push(seen);
      stream.on('error', () => {});
      stream.on('data', (read: Buffer) => {
        seen.texts.push(String(read));
        seen.memories.push(read.buffer);
        stream.write(read);
      });
    },
  });
});
afterEach(() => gateway.close());

/** Both ends of a connection, before anyone reads from it. */
async function connectedPair() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepting = once(server, 'connection');
  const client = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, noDelay: true });
  const [accepted] = (await accepting) as [Socket];
  server.close();
  return { client, accepted };
}

async function say(client: Duplex, text: string): Promise<void> {
  client.write(text);
  await once(client, 'data');
}

test('every read of every plain client but its first goes into the same memory, and one of TLS does not', async () => {
  const [one, other, secure] = [await gateway.plain(), await gateway.plain(), await gateway.secure()];
  for (const client of [one, other, secure]) await say(client, 'AMQP');
  for (const client of [one, other, one, secure, secure]) await say(client, 'more');
  const memories = streams.map((each) => each.memories.slice(1));
  const [first] = memories[0] ?? [];
  expect(memories[0]).toEqual([first, first]);
  expect(memories[1]).toEqual([first]);
  expect(memories[2]?.includes(first as ArrayBufferLike)).toBe(false);
  // So `compacted` copies every piece of it.
  expect(first?.byteLength).toBeGreaterThan(2 * 65_536);
});

test('a read takes what has come while the stream was paused, and then the end', async () => {
  const client = await gateway.plain();
  await say(client, 'AMQP');
  const { stream, texts } = streams[0] as (typeof streams)[0];
  stream.pause();
  client.end('late');
  await turns(20);
  expect(texts).toEqual(['AMQP']);
  const ended = once(stream, 'end');
  stream.resume();
  await ended;
  expect(texts).toEqual(['AMQP', 'late']);
});

test('a client that resets its connection ends the stream, and a stream that is destroyed ends the client', async () => {
  const [resetting, dropped] = [await gateway.plain(), await gateway.plain()];
  for (const client of [resetting, dropped]) await say(client, 'AMQP');
  resetting.resetAndDestroy();
  await until(() => streams[0]?.stream.closed === true, 'the stream has closed');
  streams[1]?.stream.destroy();
  await once(dropped, 'close');
});

test('the port counts the client until it has gone, and closes one that stays', async () => {
  const client = await gateway.plain();
  await say(client, 'AMQP');
  const closed = once(client, 'close');
  await gateway.stop();
  await closed;
  expect(streams[0]?.stream.destroyed).toBe(true);
});

test.each([
  ['goes on', (client: Socket) => client.write('last'), 'AMQPmorelast'],
  ['has gone', () => {}, 'AMQPmore'],
])('all that a client has sent while its port waited comes, when it %s', async (_, then, all) => {
  const { client, accepted } = await connectedPair();
  client.write('AMQP');
  await until(() => accepted.readableLength === 4, 'the first segment has come');
  client.write('more');
  await until(() => accepted.readableLength === 8, 'the second segment has come');
  if (all === 'AMQPmore') {
    client.end();
    await turns(20);
  }
  const buffer = new ReadBuffer();
  let text = '';
  let hasEnded = false;
  const amqp = (socket: Socket) =>
    buffer
      .adopt(socket)
      .on('data', (read) => {
        text += read;
      })
      .on('end', () => {
        hasEnded = true;
      });
  new ProtocolSniffer({ amqp, http: () => {} }).accept(accepted);
  await until(() => text !== '', 'the beginning has come');
  then(client);
  client.end();
  await until(() => hasEnded && accepted.closed, 'the client has gone');
  expect(text).toBe(all);
});

test('a socket that cannot be read in this way is returned as it is', () => {
  const socket = new Socket();
  expect(new ReadBuffer().adopt(socket)).toBe(socket);
});
