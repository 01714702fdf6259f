// One port for every protocol: the first byte decides, and nothing of what was sent is lost.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { HttpServer } from '../../src/gateway/http-server.js';
import { Port } from '../../src/gateway/port.js';
import { ProtocolSniffer } from '../../src/gateway/protocol-sniffer.js';

const opened: { close(graceMs?: number): unknown }[] = [];
const clients: Socket[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await Promise.all(opened.splice(0).map((one) => one.close(0)));
});

/** AMQP is answered with what was heard of it, HTTP with the path and the body. */
async function open(silenceMs?: number): Promise<{ sniffer: ProtocolSniffer; port: number }> {
  const door = new HttpServer(async (request, response) => {
    const body = (await request.setEncoding('utf8').toArray()).join('');
    response.end(`http ${request.url} ${body}`);
  });
  const amqp = (socket: Socket) => {
    socket.setEncoding('latin1').on('data', (text) => socket.write(`amqp ${text}`));
  };
  const sniffer = new ProtocolSniffer({ amqp, http: (socket) => door.take(socket) }, silenceMs);
  const port = await Port.open({ host: '127.0.0.1', port: 0 }, sniffer.accept);
  opened.push(door, { close: () => sniffer.close() }, port);
  return { sniffer, port: port.port };
}

async function come(port: number): Promise<Socket> {
  const client = connect({ host: '127.0.0.1', port, noDelay: true });
  clients.push(client);
  await once(client, 'connect');
  return client;
}

async function say(port: number, text: string): Promise<string> {
  const client = await come(port);
  client.write(text, 'latin1');
  const [answer] = await once(client, 'data');
  return String(answer);
}

test('what begins like AMQP, or like nothing that is known, is for the AMQP side', async () => {
  const { port } = await open();
  expect(await say(port, 'AMQP\x00\x01\x00\x00')).toBe('amqp AMQP\x00\x01\x00\x00');
  expect(await say(port, '\x16\x03\x01')).toBe('amqp \x16\x03\x01');
  expect(await say(port, 'ftp')).toBe('amqp ftp');
});

test('a request is answered on the same port, body and all', async () => {
  const { port } = await open();
  const request = 'POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello';
  expect(await say(port, request)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*http \/orders hello/s);
});

test('of a body that is not read, only the first read comes into memory', async () => {
  const requests: IncomingMessage[] = [];
  const server = new HttpServer((request) => requests.push(request));
  const sniffer = new ProtocolSniffer({ amqp: () => {}, http: (socket) => server.take(socket) });
  const port = await Port.open({ host: '127.0.0.1', port: 0 }, sniffer.accept);
  opened.push(server, { close: () => sniffer.close() }, port);
  const client = await come(port.port);
  const body = Buffer.alloc(8_000_000);
  client.write(`POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`);
  client.write(body);
  while (requests.length === 0) await new Promise(setImmediate);
  for (let turn = 0; turn < 2000; turn++) await new Promise(setImmediate);
  const [request] = requests;
  expect(request?.readableLength).toBeLessThan(200_000);
  let bytes = 0;
  for await (const piece of request ?? []) bytes += piece.length;
  expect(bytes).toBe(body.length);
});

test('a request that comes byte by byte is understood', async () => {
  const { port } = await open();
  const client = await come(port);
  const answer = once(client, 'data');
  for (const letter of 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n') {
    client.write(letter);
    await new Promise(setImmediate);
  }
  expect(String(await answer)).toMatch(/http \/slow/);
});

test('several requests on one connection are all answered', async () => {
  const { port } = await open();
  const client = await come(port);
  const texts: string[] = [];
  client.setEncoding('utf8').on('data', (text: string) => texts.push(text));
  client.write('GET /a HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(client, 'data');
  client.write('GET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await once(client, 'close');
  expect(texts.join('')).toMatch(/http \/a .*http \/b /s);
});

test('a client that disconnects silently, or is reset, does no harm', async () => {
  const { port } = await open();
  (await come(port)).end();
  (await come(port)).resetAndDestroy();
  expect(await say(port, 'AMQP')).toBe('amqp AMQP');
});

test('a client that says nothing is not waited for', async () => {
  const { port } = await open(1);
  const client = await come(port);
  await once(client.resume(), 'close');
});

test('closing drops clients that are still silent', async () => {
  const { sniffer, port } = await open();
  const silent = await come(port);
  // Connections are accepted in their order.
  await say(port, 'AMQP');
  const gone = once(silent.resume(), 'close');
  sniffer.close();
  await gone;
});

test('the new owner of a socket may pause it at once', async () => {
  let heard = '';
  const sniffer = new ProtocolSniffer({
    amqp: (socket) => {
      socket.setEncoding('latin1').on('data', (text) => {
        heard += text;
      });
      socket.pause();
      setImmediate(() => {
        socket.write(`paused with "${heard}"`);
        socket.resume();
        setImmediate(() => socket.end(`, then heard "${heard}"`));
      });
    },
    http: () => {},
  });
  const port = await Port.open({ host: '127.0.0.1', port: 0 }, sniffer.accept);
  opened.push(port);
  const client = await come(port.port);
  client.write('AMQP');
  expect((await client.setEncoding('utf8').toArray()).join('')).toBe('paused with "", then heard "AMQP"');
});
