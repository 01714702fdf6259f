// What only bytes can say: paths that lead elsewhere, hosts that are none, verbs for proxies, and headers beyond ASCII.

import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Engine } from '../../src/engine/engine.js';
import { HttpServer } from '../../src/gateway/http-server.js';
import { Port } from '../../src/gateway/port.js';
import { createHttpHandler } from '../../src/http/http-handler.js';
import { Authorizer } from '../../src/security/authorizer.js';
import { EntraTokens } from '../../src/security/entra-token.js';
import { writeSasToken } from '../../src/security/sas-token.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { CONTROL } from './support/control-under-test.js';
import { contextUnderTest } from './support/http-context.js';

let emulator: EmulatorUnderTest;
let door: HttpServer;
let port: Port;
let faults: readonly unknown[];
const clients: Socket[] = [];

beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: ['orders'] });
  const under = contextUnderTest(emulator.engine);
  faults = under.faults;
  door = new HttpServer(createHttpHandler(() => undefined, under.context));
  port = await Port.open({ host: '127.0.0.1', port: 0 }, (socket) => door.take(socket));
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await Promise.all([door.close(0), port.close(0)]);
  await emulator.stop();
  expect(faults).toEqual([]);
});

/** Everything that is answered to these bytes, until the connection ends. */
async function send(head: readonly string[], body = '', to = port): Promise<string> {
  const client = connect({ host: '127.0.0.1', port: to.port });
  clients.push(client);
  client.write(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1');
  return (await client.setEncoding('latin1').toArray()).join('');
}

function asking(line: string, ...headers: string[]): string[] {
  const known = ['Host: localhost', 'Authorization: SharedAccessSignature x', 'Connection: close'];
  return [`${line} HTTP/1.1`, ...known, ...headers];
}

test.each(['/zzz/../orders', '/zzz/%2e%2e/orders', '/./orders', '/zzz/..%2forders', '/zzz\\..\\orders'])(
  '%s is refused without effect, because it could address another path',
  async (path) => {
    expect(await send(asking(`DELETE ${path}`))).toMatch(
      /^HTTP\/1\.1 400 .*(?:is not the path of anything|Backslash in request path)/s,
    );
    const info = await emulator.engine.ask({ kind: 'get-entity', entityPath: 'orders' });
    expect(info.kind).toBe('entity-info');
  },
);

test('the body of a request is read from its socket', async () => {
  const handler = createHttpHandler(() => undefined, contextUnderTest(emulator.engine).context);
  const readCounts: number[] = [];
  const watching = new HttpServer((request, response) => {
    const iterator = vi.spyOn(request, 'iterator');
    response.once('finish', () => readCounts.push(iterator.mock.calls.length));
    handler(request, response);
  });
  const other = await Port.open({ host: '127.0.0.1', port: 0 }, (socket) => watching.take(socket));
  try {
    expect(await send(asking('POST /orders/messages', 'Content-Length: 5'), 'hello', other)).toMatch(
      /^HTTP\/1\.1 201 /,
    );
    expect(readCounts).toEqual([1]);
  } finally {
    await Promise.all([watching.close(0), other.close(0)]);
  }
});

test('a message is stored that was complete when its client went, before its body was read', async () => {
  const asked = new EventEmitter();
  const gone = once(asked, 'gone');
  const ask: Engine['ask'] = async (command) => {
    if (command.kind === 'find-entity') {
      asked.emit('started');
      await gone;
    }
    return emulator.engine.ask(command);
  };
  const slow = new Proxy(emulator.engine, {
    get: (engine, name: keyof Engine) => (name === 'ask' ? ask : engine[name]),
  });
  const waiting = new HttpServer(createHttpHandler(() => undefined, contextUnderTest(slow).context));
  const other = await Port.open({ host: '127.0.0.1', port: 0 }, (socket) => {
    socket.once('close', () => asked.emit('gone'));
    waiting.take(socket);
  });
  try {
    const started = once(asked, 'started');
    const client = connect({ host: '127.0.0.1', port: other.port });
    clients.push(client);
    client.write(`${asking('POST /orders/messages', 'Content-Length: 5').join('\r\n')}\r\n\r\nhello`);
    await started;
    client.resetAndDestroy();
    await vi.waitFor(async () => {
      const found = await emulator.engine.ask({ kind: 'get-entity', entityPath: 'orders' });
      expect(found).toMatchObject({ entity: { counts: { active: 1 } } });
    });
  } finally {
    await Promise.all([waiting.close(0), other.close(0)]);
  }
});

test('the rest of a body that is too large is discarded, and the next request of its connection answered', async () => {
  const head = [
    'POST /orders/messages HTTP/1.1',
    'Host: localhost',
    'Authorization: SharedAccessSignature x',
  ];
  const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
  const next = `${asking('GET /orders').join('\r\n')}\r\n\r\n`;
  const body = `${chunk.repeat(5)}0\r\n\r\n${next}`;
  const answers = await send([...head, 'Transfer-Encoding: chunked'], body);
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403', 'HTTP/1.1 200']);
});

test('a body that is refused is read on after the answer, and its connection is not reset', async () => {
  const bytes = 4_000_000;
  const client = connect({ host: '127.0.0.1', port: port.port, allowHalfOpen: true });
  clients.push(client);
  client.write(`${asking('POST /orders/messages', `Content-Length: ${bytes}`).join('\r\n')}\r\n\r\nx`);
  const [answer] = await once(client, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 403 /);
  const closed = once(client.resume(), 'close');
  client.end('x'.repeat(bytes - 1));
  // Rejects where a reset has come.
  expect(await closed).toEqual([false]);
});

test('a body that is refused and does not come ends its connection', async () => {
  const answer = await send(asking('POST /orders/messages', 'Content-Length: 4000000'), 'x');
  expect(answer).toMatch(/^HTTP\/1\.1 403 /);
});

test('a stream of events ends with its client', async () => {
  const { activity } = emulator;
  const observe = activity.observe.bind(activity);
  let watchers = 0;
  vi.spyOn(activity, 'observe').mockImplementation((observer) => {
    const stop = observe(observer);
    watchers += 1;
    return () => {
      watchers -= 1;
      stop();
    };
  });
  const { context } = contextUnderTest(emulator.engine, { control: { ...CONTROL, activity } });
  const events = new HttpServer(createHttpHandler(() => undefined, context));
  const other = await Port.open({ host: '127.0.0.1', port: 0 }, (socket) => events.take(socket));
  try {
    const client = connect({ host: '127.0.0.1', port: other.port });
    clients.push(client);
    client.write(`${asking('GET /$jitney/v1/events').join('\r\n')}\r\n\r\n`);
    await once(client, 'data');
    expect(watchers).toBe(1);
    client.destroy();
    await vi.waitFor(() => expect(watchers).toBe(0));
  } finally {
    await Promise.all([events.close(0), other.close(0)]);
  }
});

test('the absolute form of a target is a path too', async () => {
  expect(await send(asking('GET http://localhost/orders'))).toMatch(/^HTTP\/1\.1 200 /);
  expect(await send(asking('GET http://localhost/x/../orders'))).toMatch(/^HTTP\/1\.1 400 /);
});

test.each(['a b', '[', 'foo:99999', 'user@localhost', 'localhost/orders?', 'localhost#'])(
  'an invalid host is refused with the reason: %s',
  async (host) => {
    const answer = await send(['GET /orders HTTP/1.1', `Host: ${host}`, 'Connection: close']);
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*<Code>400<\/Code><Detail>This request cannot be/s);
  },
);

test('HTTP/1.0 without a host is answered', async () => {
  const answer = await send(['GET /orders HTTP/1.0', 'Authorization: SharedAccessSignature x']);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
});

test('the status line has the text that the service puts there', async () => {
  const policy = { keyName: 'reader', key: 'secret', rights: ['Listen'] } as const;
  const authorizer = new Authorizer({
    mode: 'strict',
    policies: [{ ...policy, primaryKey: policy.key }],
    entityPolicies: async () => [],
    entraTokens: new EntraTokens(),
    onHint: () => {},
  });
  const { context } = contextUnderTest(emulator.engine, { authorizer, now: () => 0 });
  const strict = new HttpServer(createHttpHandler(() => undefined, context));
  const strictPort = await Port.open({ host: '127.0.0.1', port: 0 }, (socket) => strict.take(socket));
  const token = writeSasToken({ ...policy, audience: 'http://localhost/', expiresAtMs: 60_000 });
  const head = [
    'GET /news/Subscriptions/all%C3%BC?api-version=2021-05 HTTP/1.1',
    'Host: localhost',
    `Authorization: ${token}`,
    'Connection: close',
  ];
  const answer = await send(head, '', strictPort);
  await Promise.all([strict.close(0), strictPort.close(0)]);
  expect(answer.split('\r\n')[0]).toBe(
    "HTTP/1.1 401 SubCode=40100: Unauthorized : Unauthorized access for 'GetSubscription' operation on endpoint " +
      "'sb://localhost/news/Subscriptions/all%C3%BC?api-version=2021-05'.",
  );
});

test('verbs that a Request refuses are answered: for proxies, for the server itself, and TRACE', async () => {
  expect(await send(asking('CONNECT localhost:443'))).toMatch(/^HTTP\/1\.1 405 /);
  expect(await send(asking('TRACE /orders'))).toMatch(/^HTTP\/1\.1 405 /);
  expect(await send(asking('OPTIONS *'))).toMatch(/^HTTP\/1\.1 4\d\d /);
});

test('a text beyond ASCII goes out as it came in', async () => {
  for (const text of ['ü', Buffer.from('中').toString('latin1')]) {
    const sent = asking('POST /orders/messages', `note: "${text}"`, 'Content-Length: 0');
    expect(await send(sent)).toMatch(/^HTTP\/1\.1 201 /);
    const answer = await send(asking('DELETE /orders/messages/head?timeout=0'));
    expect(answer).toContain(`note: "${text}"\r\n`);
  }
});
