// AMQP over WebSockets, in TLS and without: who gets one, what a frame is, and that neither side outruns the other.

import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { EventContext } from 'rhea';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { type GatewayOptions, GatewayUnderTest, nextOf, saidBy } from '../support/gateway-under-test.js';
import { next, rheaConnect, turns, until } from '../support/rhea-client.js';

const PATH = '/$servicebus/websocket';
const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

async function open(options?: GatewayOptions): Promise<GatewayUnderTest> {
  const gateway = await GatewayUnderTest.open(options);
  opened.push(gateway);
  return gateway;
}

type Asking = {
  readonly scheme?: 'ws' | 'wss';
  readonly path?: string;
  readonly subprotocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
};

function ask(gateway: GatewayUnderTest, asking: Asking = {}): WebSocket {
  const { scheme = 'ws', path = PATH, subprotocols = ['AMQPWSB10'], headers = {} } = asking;
  const url = `${scheme}://127.0.0.1:${gateway.port}${path}`;
  const socket = new WebSocket(url, [...subprotocols], { ca: gateway.ca, headers });
  opened.push({ close: async () => socket.terminate() });
  return socket;
}

async function connect(gateway: GatewayUnderTest, asking?: Asking): Promise<WebSocket> {
  const socket = ask(gateway, asking);
  await once(socket, 'open');
  return socket;
}

/** The status and the text of a refusal. */
async function refusal(gateway: GatewayUnderTest, asking: Asking): Promise<[number, string]> {
  const socket = ask(gateway, asking).on('error', () => {});
  const [, response] = await once(socket, 'unexpected-response');
  return [response.statusCode, (await response.setEncoding('utf8').toArray()).join('')];
}

async function nextFrame(socket: WebSocket): Promise<string> {
  const [data] = await once(socket, 'message');
  return String(data);
}

/** A gateway that shows the stream it has made of the WebSocket. */
async function openWithStream(): Promise<{ socket: WebSocket; stream: Duplex }> {
  const streams: Duplex[] = [];
  const gateway = await open({ amqp: (stream) => streams.push(stream) });
  const socket = await connect(gateway);
  await until(() => streams.length > 0, 'the stream is there');
  const [stream] = streams;
  if (stream === undefined) throw new Error('there is a stream');
  return { socket, stream };
}

test.each([
  ['ws', PATH],
  ['ws', `${PATH}/`],
  ['wss', PATH],
  ['wss', `${PATH}/?sb-trace=1`],
] as const)('AMQP is spoken over %s at %s', async (scheme, path) => {
  const socket = await connect(await open(), { scheme, path });
  expect(socket.protocol).toBe('AMQPWSB10');
  socket.send(Buffer.from('AMQP'));
  expect(await nextFrame(socket)).toBe('amqp AMQP');
});

test('the first known subprotocol is chosen, and none need be requested', async () => {
  const gateway = await open();
  expect((await connect(gateway, { subprotocols: ['mqtt', 'amqp', 'AMQPWSB10'] })).protocol).toBe('amqp');
  expect((await connect(gateway, { subprotocols: [] })).protocol).toBe('');
});

test('other paths and subprotocols are refused, with the ones that exist', async () => {
  const gateway = await open();
  const [noPath, pathText] = await refusal(gateway, { path: '/socket' });
  expect(noPath).toBe(404);
  expect(pathText).toContain("no WebSocket at '/socket': connect to /$servicebus/websocket");
  const [noProtocol, protocolText] = await refusal(gateway, { subprotocols: ['mqtt'] });
  expect(noProtocol).toBe(400);
  expect(protocolText).toContain("'mqtt'");
});

test('pages of strangers, and names that are not ours, are refused a WebSocket', async () => {
  const gateway = await open({ originCheck: { origins: ['https://app.example.com'] } });
  const evil = { headers: { origin: 'https://evil.example' } };
  expect(await refusal(gateway, evil)).toEqual([403, expect.stringContaining('--cors https://evil.example')]);
  const rebound = { headers: { host: 'evil.example:5672' } };
  expect(await refusal(gateway, rebound)).toEqual([
    403,
    expect.stringContaining('--allow-host evil.example'),
  ]);
  for (const origin of ['https://app.example.com', 'http://localhost:3000']) {
    expect((await connect(gateway, { headers: { origin } })).readyState).toBe(WebSocket.OPEN);
  }
});

test("what comes with the request, and a client's bytes one by one, are understood", async () => {
  const gateway = await open();
  const request =
    `GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n';
  // One frame with AMQP in it, masked with zeros.
  const frame = Buffer.from([0x82, 0x84, 0, 0, 0, 0, 0x41, 0x4d, 0x51, 0x50]);
  const bytes = Buffer.concat([Buffer.from(request), frame]);
  for (const pieces of [[bytes], [...bytes].map((byte) => Buffer.of(byte))]) {
    const client = await gateway.plain();
    let said = '';
    client.setEncoding('latin1').on('data', (text) => {
      said += text;
    });
    for (const piece of pieces) client.write(piece);
    await until(() => said.includes('amqp'), 'it has answered');
    expect(said).toMatch(/^HTTP\/1\.1 101 .*\r\n\r\n.{2}amqp AMQP$/s);
  }
});

test("rhea's client sends and receives over a WebSocket", async () => {
  const emulator = await openEmulatorUnderTest({ queues: ['orders'] });
  const gateway = await open({
    amqp: (stream) => {
      const inside = emulator.connect();
      stream.pipe(inside).pipe(stream);
    },
  });
  const { createWebSocketStream } = await import('ws');
  const connection = rheaConnect(createWebSocketStream(await connect(gateway, { scheme: 'wss' })));
  const sender = connection.open_sender('orders');
  await next(sender, 'sendable');
  const body = Buffer.alloc(200_000, 7);
  for (let count = 0; count < 10; count++) sender.send({ body });
  const receiver = connection.open_receiver('orders');
  const bodies: unknown[] = [];
  receiver.on('message', ({ message }: EventContext) => bodies.push(message?.body));
  await until(() => bodies.length === 10, 'all have come', 1_000_000);
  for (const received of bodies) expect(body.equals(received as Buffer)).toBe(true);
  connection.close();
  await next(connection, 'connection_close');
  await emulator.stop();
  expect(emulator.faults).toEqual([]);
});

test('what is written in one turn is one frame', async () => {
  const { socket, stream } = await openWithStream();
  const frames: string[] = [];
  socket.on('message', (data) => frames.push(String(data)));
  stream.cork();
  for (const part of ['one ', 'two ', 'three']) stream.write(part);
  stream.uncork();
  await nextFrame(socket);
  expect(frames).toEqual(['one two three']);
});

test('a client that is not read from is held back, and read from again later', async () => {
  const { socket, stream } = await openWithStream();
  const chunk = Buffer.alloc(64 * 1024, 1);
  stream.pause();
  const sent = Array.from({ length: 500 }, () => new Promise((resolve) => socket.send(chunk, resolve)));
  await until(() => stream.readableLength > 0, 'something has come');
  await turns(500);
  expect(stream.readableLength).toBeLessThan(1024 * 1024);
  expect(socket.bufferedAmount).toBeGreaterThan(0);
  let receivedBytes = 0;
  stream.on('data', (data: Buffer) => {
    receivedBytes += data.length;
  });
  stream.resume();
  await Promise.all(sent);
  await until(() => receivedBytes === 500 * chunk.length, 'everything has come');
});

test('a client that does not read holds back what is written to it', async () => {
  const { socket, stream } = await openWithStream();
  socket.pause();
  const chunk = Buffer.alloc(1024 * 1024, 1);
  let written = 0;
  for (let count = 0; count < 50; count++) stream.write(chunk, () => written++);
  await turns(500);
  expect(written).toBeLessThan(50);
  expect(stream.writableNeedDrain).toBe(true);
  const drained = once(stream, 'drain');
  socket.resume();
  await drained;
  expect(written).toBe(50);
});

test('a text frame is not AMQP and closes with 1003', async () => {
  const socket = await connect(await open());
  socket.send('AMQP');
  expect((await once(socket, 'close'))[0]).toBe(1003);
});

test('a frame that is too large closes with 1009, before it has come', async () => {
  const gateway = await open();
  const socket = await connect(gateway);
  socket.on('error', () => {});
  socket.send(Buffer.alloc(4 * 1024 * 1024 + 1));
  expect((await once(socket, 'close'))[0]).toBe(1009);
  expect(await gateway.isServing()).toBe(true);
});

test('a frame of several parts is one, and a ping is answered', async () => {
  const socket = await connect(await open());
  const pong = once(socket, 'pong');
  socket.ping('there?');
  expect(String((await pong)[0])).toBe('there?');
  socket.send(Buffer.from('AM'), { fin: false });
  socket.send(Buffer.from('QP'), { fin: true });
  expect(await nextFrame(socket)).toBe('amqp AMQP');
});

test('either side may end it, and the other one learns of it', async () => {
  const first = await openWithStream();
  const ended = once(first.stream.resume(), 'end');
  first.socket.close();
  await ended;
  const second = await openWithStream();
  const closed = once(second.socket, 'close');
  second.stream.end('goodbye');
  expect(await nextFrame(second.socket)).toBe('goodbye');
  expect((await closed)[0]).toBe(1000);
});

test('a client that is gone without a word ends the stream', async () => {
  const { socket, stream } = await openWithStream();
  const closed = once(stream.resume(), 'close');
  socket.terminate();
  await closed;
});

test('a request for HTTP/2 on the same connection is answered as one in HTTP/1.1, body and all', async () => {
  const gateway = await open();
  const client = await gateway.plain();
  const head = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n` +
    'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\nContent-Length: 5\r\n\r\n';
  client.write(`${head('/pieces')}hel`);
  // The gateway has read that much once it has answered somebody else.
  await gateway.isServing();
  client.write('lo');
  expect(await nextOf(client)).toMatch(/^HTTP\/1\.1 200 .*http \/pieces hello/s);
  client.write(`${head('/whole')}hello`);
  expect(await nextOf(client)).toMatch(/^HTTP\/1\.1 200 .*http \/whole hello/s);
  client.write('GET /next HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(await saidBy(client)).toMatch(/http \/next /);
});

test.each(['CONNECT localhost:1', `GET ${PATH}`, 'GET /orders'])(
  '%s for a WebSocket, with a body that a reset cuts off, does no harm',
  async (start) => {
    const gateway = await open();
    const client = await gateway.plain();
    client.write(
      `${start} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 5\r\n\r\nhel`,
    );
    client.resetAndDestroy();
    expect(await gateway.isServing()).toBe(true);
  },
);

test('closing lets an open WebSocket send its last bytes', async () => {
  const streams: Duplex[] = [];
  const gateway = await open({ amqp: (stream) => streams.push(stream) });
  const socket = await connect(gateway);
  await until(() => streams.length > 0, 'the stream is there');
  const stopped = gateway.stop();
  const closed = once(socket, 'close');
  for (const stream of streams) stream.end('goodbye');
  expect(await nextFrame(socket)).toBe('goodbye');
  expect((await closed)[0]).toBe(1000);
  await stopped;
});
