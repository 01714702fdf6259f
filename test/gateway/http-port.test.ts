// The HTTP port: requests reach the handler, and closing does not wait for idle or endless ones.

import { once } from 'node:events';
import { Agent, get, type ServerResponse } from 'node:http';
import { createConnection } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { HttpPort, type RequestHandler } from '../../src/gateway/http-port.js';
import { loopbackAddresses } from '../support/loopback.js';

const opened: HttpPort[] = [];
const agent = new Agent({ keepAlive: true });

afterEach(async () => {
  agent.destroy();
  await Promise.all(opened.splice(0).map((port) => port.close(0)));
});

async function open(host: string, handler: RequestHandler, port = 0): Promise<HttpPort> {
  const result = await HttpPort.open({ host, port }, handler);
  opened.push(result);
  return result;
}

async function fetchText(host: string, port: number): Promise<string> {
  const [response] = await once(get({ host, port, agent }), 'response');
  return (await response.setEncoding('utf8').toArray()).join('');
}

test('a request reaches the handler on every loopback address of localhost', async () => {
  const { port } = await open('localhost', (request, response) =>
    response.end(`you asked for ${request.url}`),
  );
  for (const host of loopbackAddresses()) {
    expect(await fetchText(host, port)).toBe('you asked for /');
  }
});

test('a port that is in use is an error that names it', async () => {
  const { port } = await open('127.0.0.1', () => {});
  await expect(open('127.0.0.1', () => {}, port)).rejects.toMatchObject({ kind: 'in-use', port });
});

test('closing does not wait for connections that are kept alive', async () => {
  const port = await open('127.0.0.1', (_, response) => response.end('done'));
  expect(await fetchText('127.0.0.1', port.port)).toBe('done');
  await port.close(60_000);
});

test('closing drops clients that have asked nothing, or only half a question, at once', async () => {
  const port = await open('127.0.0.1', (_, response) => response.end('done'));
  const silent = createConnection({ host: '127.0.0.1', port: port.port });
  const halfway = createConnection({ host: '127.0.0.1', port: port.port });
  const ends = [silent, halfway].map((socket) => {
    socket.on('error', () => {});
    return once(socket.resume(), 'close');
  });
  halfway.write('GET / HTTP/1.1\r\nHost: x\r\n');
  await Promise.all([once(silent, 'connect'), once(halfway, 'connect')]);
  // Connections are accepted in their order.
  expect(await fetchText('127.0.0.1', port.port)).toBe('done');
  await Promise.all([port.close(60_000), ...ends]);
});

test('closing lets a request under way have its answer, and then drops its connection', async () => {
  const waiting: ServerResponse[] = [];
  const port = await open('127.0.0.1', (_, response) => waiting.push(response));
  const text = fetchText('127.0.0.1', port.port);
  while (waiting.length === 0) await new Promise(setImmediate);
  const closed = port.close(60_000);
  for (const response of waiting) response.end('after all');
  expect(await text).toBe('after all');
  await closed;
});

test('closing ends requests that are still not answered after the grace', async () => {
  const port = await open('127.0.0.1', () => {});
  const request = get({ host: '127.0.0.1', port: port.port, agent });
  const failure = once(request, 'response').catch((error: unknown) => error);
  await once(request, 'socket');
  await port.close(0);
  expect(await failure).toMatchObject({ code: 'ECONNRESET' });
});
