// The HTTP server behind the ports: requests reach the handler, slow ones end, and closing does not wait for idle or endless ones.

import { once } from 'node:events';
import { Agent, get, type ServerResponse } from 'node:http';
import { createConnection } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { ByteBudget } from '../../src/budget/byte-budget.js';
import { type HttpLimits, HttpServer, type RequestHandler } from '../../src/gateway/http-server.js';
import { Port } from '../../src/gateway/port.js';

const opened: { close(graceMs?: number): Promise<void> }[] = [];
const agent = new Agent({ keepAlive: true });

afterEach(async () => {
  agent.destroy();
  await Promise.all(opened.splice(0).map((one) => one.close(0)));
});

async function open(
  handler: RequestHandler,
  {
    onHint,
    budget,
    ...limits
  }: Partial<HttpLimits> & { onHint?: (hint: string) => void; budget?: ByteBudget } = {},
): Promise<{ door: HttpServer; port: number }> {
  const door = new HttpServer(handler, limits, undefined, onHint, budget);
  const port = await Port.open({ host: '127.0.0.1', port: 0 }, (socket) => door.take(socket));
  opened.push(door, port);
  return { door, port: port.port };
}

async function fetchText(port: number): Promise<string> {
  const [response] = await once(get({ host: '127.0.0.1', port, agent }), 'response');
  return (await response.setEncoding('utf8').toArray()).join('');
}

test('a request reaches the handler', async () => {
  const { port } = await open((request, response) => response.end(`you asked for ${request.url}`));
  expect(await fetchText(port)).toBe('you asked for /');
});

test('a request that takes too long to say what it wants is answered 408 and dropped', async () => {
  const { port } = await open((_, response) => response.end('done'), {
    headersTimeout: 1,
    requestTimeout: 1,
    connectionsCheckingInterval: 1,
  });
  const slow = createConnection({ host: '127.0.0.1', port });
  slow.write('GET / HTTP/1.1\r\nHost: x\r\n');
  const answer = (await slow.setEncoding('utf8').toArray()).join('');
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});

test('a request that was answered 408 is not carried out when its other half comes', async () => {
  const asked: string[] = [];
  const { port } = await open(
    ({ method = '' }, response) => {
      asked.push(method);
      response.end('done');
    },
    { headersTimeout: 1, requestTimeout: 1, connectionsCheckingInterval: 1 },
  );
  const slow = createConnection({ host: '127.0.0.1', port, allowHalfOpen: true });
  slow.write('POST /orders/messages HTTP/1.1\r\nHost: x\r\n');
  const [answer] = await once(slow, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 408 /);
  const ended = once(slow.resume(), 'close');
  slow.end('Content-Length: 1\r\n\r\nx');
  expect(await ended).toEqual([false]);
  expect(asked).toEqual([]);
});

test.each([
  ['what is no request', 'junk\r\n\r\n'],
  ['a head that is too large', `GET / HTTP/1.1\r\nHost: x\r\nx: ${'y'.repeat(2000)}`],
])('%s behind a request that waits for its answer ends both without a word', async (_, text) => {
  const asked: ServerResponse[] = [];
  const { port } = await open((_request, response) => asked.push(response), { maxHeaderSize: 1024 });
  const client = createConnection({ host: '127.0.0.1', port }).on('error', () => {});
  client.write('DELETE /orders/messages/head?timeout=20 HTTP/1.1\r\nHost: x\r\n\r\n');
  while (asked.length === 0) await new Promise(setImmediate);
  const [ended] = asked.map((response) => once(response, 'close'));
  let heard = '';
  client.setEncoding('utf8').on('data', (part: string) => {
    heard += part;
  });
  client.write(text);
  // This tells its handler that no one would receive a message.
  await ended;
  if (!client.closed) await once(client, 'close');
  expect(heard).toBe('');
  expect(asked[0]?.writableFinished).toBe(false);
});

test('a head that is too large is answered 431', async () => {
  const { port } = await open((_, response) => response.end('done'), { maxHeaderSize: 1024 });
  const client = createConnection({ host: '127.0.0.1', port });
  client.write(`GET / HTTP/1.1\r\nHost: x\r\nx: ${'y'.repeat(2000)}\r\n\r\n`);
  expect((await client.setEncoding('utf8').toArray()).join('')).toMatch(/^HTTP\/1\.1 431 /);
});

test('a client that goes on sending after its answer is read, and not reset', async () => {
  const { port } = await open((_, response) => response.end('done'), { maxHeaderSize: 1024 });
  const client = createConnection({ host: '127.0.0.1', port, allowHalfOpen: true });
  client.write(`GET / HTTP/1.1\r\nHost: x\r\nx: ${'y'.repeat(2000)}`);
  const [answer] = await once(client, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 431 /);
  await once(client.resume(), 'end');
  const ended = once(client, 'close');
  client.write('y'.repeat(2000), () => client.end('y'));
  // Rejects where a reset has come.
  expect(await ended).toEqual([false]);
});

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

test('requests of a connection are carried out one after the other, each when the answer before it has gone', async () => {
  const responses: ServerResponse[] = [];
  const { port } = await open((_, response) => responses.push(response));
  const client = createConnection({ host: '127.0.0.1', port });
  client.write(REQUEST.repeat(3));
  while (responses.length === 0) await new Promise(setImmediate);
  let heard = '';
  client.setEncoding('utf8').on('data', (text: string) => {
    heard += text;
  });
  for (let count = 1; count <= 3; count++) {
    expect(responses).toHaveLength(count);
    responses[count - 1]?.end(`answer ${count}`);
    while (!heard.endsWith(`answer ${count}`) || responses.length === count) {
      if (count === 3 && heard.endsWith('answer 3')) break;
      await new Promise(setImmediate);
    }
  }
  client.destroy();
});

test('a client that does not read its answers gets one made at a time, and the others once it reads', async () => {
  const budget = new ByteBudget();
  const answer = 'x'.repeat(10_000_000);
  let requestCount = 0;
  const { port } = await open(
    (_, response) => {
      requestCount += 1;
      response.end(answer);
    },
    { budget },
  );
  const client = createConnection({ host: '127.0.0.1', port });
  client.pause();
  client.write(REQUEST.repeat(5));
  while (requestCount === 0) await new Promise(setImmediate);
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  expect(requestCount).toBe(1);
  expect(budget.sum).toBeGreaterThan(5 * 8 * 1024);
  expect(budget.sum).toBeLessThan(answer.length + 100_000);
  let bytes = 0;
  client.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  client.resume();
  while (bytes < 5 * answer.length) await new Promise(setImmediate);
  client.destroy();
  while (budget.sum > 0) await new Promise(setImmediate);
});

test('a client that sends requests until there is no memory for more is closed, which is said once', async () => {
  const hints: string[] = [];
  const budget = new ByteBudget({ limitBytes: 400_000 });
  let requestCount = 0;
  const { port } = await open(
    () => {
      requestCount += 1;
    },
    { budget, onHint: (hint) => hints.push(hint) },
  );
  for (let client = 1; client <= 2; client++) {
    const greedy = createConnection({ host: '127.0.0.1', port });
    greedy.on('error', () => {});
    greedy.write(REQUEST.repeat(20));
    greedy.write(REQUEST.repeat(20));
    await once(greedy.resume(), 'close');
    expect(requestCount).toBe(client);
  }
  expect(hints).toEqual([expect.stringContaining('until there was no memory for more')]);
  while (budget.sum > 0) await new Promise(setImmediate);
});

test('a request waits while there is no room for its answer', async () => {
  const budget = new ByteBudget({ limitBytes: 100_000 });
  const other = budget.open(() => {});
  other.add(100_000);
  // The turn is another's.
  other.wait({ goOn: () => other.add(1) });
  await new Promise(setImmediate);
  const { port } = await open((_, response) => response.end('done'), { budget });
  const states = { isAnswered: false };
  const text = fetchText(port).then((answer) => {
    states.isAnswered = true;
    return answer;
  });
  while (budget.sum === 100_001) await new Promise(setImmediate);
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  expect(states.isAnswered).toBe(false);
  other.close();
  expect(await text).toBe('done');
});

test('a client that wants a proxy is answered and dropped, though it never closes its side', async () => {
  const door = new HttpServer(() => {});
  const gone: Promise<unknown>[] = [];
  const port = await Port.open({ host: '127.0.0.1', port: 0 }, (socket) => {
    gone.push(once(socket, 'close'));
    door.take(socket);
  });
  opened.push(door, port);
  const client = createConnection({ host: '127.0.0.1', port: port.port, allowHalfOpen: true });
  client.on('error', () => {});
  client.write('CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n\r\n');
  const [answer] = await once(client, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 405 /);
  await Promise.all(gone);
  client.destroy();
});

test('closing does not wait for connections that are kept alive', async () => {
  const { door, port } = await open((_, response) => response.end('done'));
  expect(await fetchText(port)).toBe('done');
  await door.close(60_000);
});

test('closing drops at once clients that have sent no request, or half of one', async () => {
  const { door, port } = await open((_, response) => response.end('done'));
  const silent = createConnection({ host: '127.0.0.1', port });
  const halfway = createConnection({ host: '127.0.0.1', port });
  const ends = [silent, halfway].map((socket) => {
    socket.on('error', () => {});
    return once(socket.resume(), 'close');
  });
  halfway.write('GET / HTTP/1.1\r\nHost: x\r\n');
  await Promise.all([once(silent, 'connect'), once(halfway, 'connect')]);
  // Connections are accepted in their order.
  expect(await fetchText(port)).toBe('done');
  await Promise.all([door.close(60_000), ...ends]);
});

test('closing lets a request under way have its answer, and then drops its connection', async () => {
  const waiting: ServerResponse[] = [];
  const { door, port } = await open((_, response) => waiting.push(response));
  const text = fetchText(port);
  while (waiting.length === 0) await new Promise(setImmediate);
  const closed = door.close(60_000);
  for (const response of waiting) response.end('after all');
  expect(await text).toBe('after all');
  await closed;
});

test('closing ends requests that are still not answered after the grace', async () => {
  const { door, port } = await open(() => {});
  const request = get({ host: '127.0.0.1', port, agent });
  const failure = once(request, 'response').catch((error: unknown) => error);
  await once(request, 'socket');
  await door.close(0);
  expect(await failure).toMatchObject({ code: 'ECONNRESET' });
});
