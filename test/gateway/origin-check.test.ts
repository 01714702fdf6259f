// Which pages may speak with the emulator, by which names it may be called, and what a browser is told.

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isAboutHealth } from '../../src/http/health.js';
import { GatewayUnderTest } from '../support/gateway-under-test.js';

let gateway: GatewayUnderTest;

beforeEach(async () => {
  gateway = await GatewayUnderTest.open({
    originCheck: { hosts: ['Bus.Example.test', '*.inside.test'], origins: ['https://app.example.com/'] },
  });
});

afterEach(() => gateway.close());

type Answer = Pick<IncomingMessage, 'statusCode' | 'headers'> & { readonly text: string };

async function ask(headers: Record<string, string>, method = 'GET', path = '/orders'): Promise<Answer> {
  const asking = request({ host: '127.0.0.1', port: gateway.port, path, method, headers, agent: false });
  asking.end();
  const [response] = await once(asking, 'response');
  const text = (await response.setEncoding('utf8').toArray()).join('');
  return { statusCode: response.statusCode, headers: response.headers, text };
}

test.each([
  ...[
    'localhost',
    'LOCALHOST:5672',
    'localhost.',
    'my-bus.localhost',
    '127.0.0.1:80',
    '192.168.1.2',
    '[::1]:1',
  ],
  ...['bus.example.TEST', 'a.b.inside.test'],
  ...['my-bus.servicebus.windows.net', 'my-bus.ServiceBus.Windows.net.:5671'],
])('it may be called %s', async (host) => {
  expect((await ask({ host })).statusCode).toBe(200);
});

test.each([
  ...['emulator', 'host.docker.internal:5300', 'host.containers.internal:5300'],
  ...['jitney.default.svc:5672', 'jitney-0.jitney.default.svc.cluster.local'],
])('it may be called %s where other machines come, and not where only this one does', async (host) => {
  expect((await ask({ host })).statusCode).toBe(403);
  await gateway.close();
  gateway = await GatewayUnderTest.open({ originCheck: { isReached: true } });
  expect((await ask({ host })).statusCode).toBe(200);
  expect((await ask({ host: 'evil.example' })).statusCode).toBe(403);
});

test.each([
  ...[
    'evil.example',
    'localhost.evil.example',
    'evil.localhost.com',
    '127.0.0.1.evil.example',
    'inside.test',
  ],
  ...['xbus.example.test', 'servicebus.windows.net.evil.example', 'evilservicebus.windows.net'],
  ...['servicebus.windows.net', 'my-bus.windows.net'],
  ...['host.containers.internal.evil.example', 'evil.svc.example', 'cluster.local', 'evilsvc.cluster.local'],
])('it may not be called %s, which could be a page that has come by another name', async (host) => {
  const { statusCode, text } = await ask({ host });
  expect(statusCode).toBe(403);
  expect(text).toContain(`--allow-host ${host}`);
});

test.each([
  ...[
    'svc',
    'svc.cluster.local',
    'evil-svc.cluster.local',
    'default.svc.evil.example',
    'evil.pod.cluster.local',
  ],
  ...['evil.containers.internal', 'containers.internal'],
])('nor may it be called %s where other machines come, unless it is a single label', async (host) => {
  await gateway.close();
  gateway = await GatewayUnderTest.open({ originCheck: { isReached: true } });
  expect((await ask({ host })).statusCode).toBe(host.includes('.') ? 403 : 200);
});

test('health, and nothing else, is answered for every host name', async () => {
  await gateway.close();
  gateway = await GatewayUnderTest.open({ originCheck: { isForEveryHost: isAboutHealth } });
  const host = 'probe.example';
  const statusOf = async (path: string, headers = {}) =>
    (await ask({ host, ...headers }, 'GET', path)).statusCode;
  for (const path of ['/health', '/livez', '/readyz']) {
    expect(await statusOf(path)).toBe(200);
    expect(await statusOf(path, { origin: 'https://evil.example' })).toBe(403);
    expect(await statusOf(path, { authorization: 'SharedAccessSignature x' })).toBe(403);
  }
  expect(await statusOf('/orders')).toBe(403);
});

test('a host that is refused is logged once, with the option that lets it in', async () => {
  await gateway.close();
  const log: string[] = [];
  gateway = await GatewayUnderTest.open({ originCheck: { warn: (text) => log.push(text) } });
  for (const host of ['bus.test:5672', 'BUS.test:5300', 'localhost']) await ask({ host });
  await ask({ host: 'localhost', origin: 'https://app.test' });
  await ask({ host: 'localhost', origin: 'https://app.test' });
  expect(log).toEqual([
    "A request was refused: The host 'bus.test:5672' is not known here. If it is a name of this machine, start with --allow-host bus.test",
    "A request was refused: Pages of 'https://app.test' may not use this emulator. If they are yours, start with --cors https://app.test",
  ]);
});

test('made-up names do not fill the log', async () => {
  await gateway.close();
  const log: string[] = [];
  gateway = await GatewayUnderTest.open({ originCheck: { warn: (text) => log.push(text) } });
  for (let number = 0; number < 30; number += 1) await ask({ host: `n${number}.evil.example` });
  expect(log).toHaveLength(21);
  expect(log[19]).toContain('--allow-host n19.evil.example');
  expect(log[20]).toBe('More hosts and origins are refused, but no longer logged');
});

test('programs, which send no Origin, get no CORS headers', async () => {
  const { statusCode, headers } = await ask({ host: 'localhost' });
  expect(statusCode).toBe(200);
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  expect(headers.vary).toBeUndefined();
});

test.each([
  ...['http://localhost:3000', 'https://my-app.localhost', 'http://127.0.0.1:8080', 'http://[::1]:3000'],
  ...['https://app.example.com', 'http://bus.example.test:1234'],
])('pages of %s may speak with it', async (origin) => {
  const { statusCode, headers, text } = await ask({ host: 'bus.example.test:1234', origin });
  expect(statusCode).toBe(200);
  expect(text).toBe('http /orders ');
  expect(headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': '*',
    vary: 'Origin',
  });
});

test.each([
  ...['https://evil.example', 'null', 'http://localhost.evil.example', 'https://app.example.com:444'],
  ...['http://app.example.com', 'file://localhost', 'http://127.evil.example', 'nonsense'],
])('pages of %s may not', async (origin) => {
  const { statusCode, headers, text } = await ask({ host: 'localhost', origin });
  expect(statusCode).toBe(403);
  expect(text).toContain(`--cors ${origin}`);
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

test('a page of a namespace in Azure may not, though its name is one that is answered', async () => {
  const origin = 'https://evil.servicebus.windows.net';
  for (const host of ['localhost', 'my-bus.servicebus.windows.net']) {
    expect((await ask({ host, origin })).statusCode).toBe(403);
  }
});

test('a preflight is answered with what the page may do, and has no effect', async () => {
  const { statusCode, headers, text } = await ask(
    {
      host: 'localhost',
      origin: 'http://localhost:3000',
      'access-control-request-method': 'DELETE',
      'access-control-request-headers': 'authorization,brokerproperties',
      'access-control-request-private-network': 'true',
    },
    'OPTIONS',
  );
  expect([statusCode, text]).toEqual([204, '']);
  expect(headers).toMatchObject({
    'access-control-allow-origin': 'http://localhost:3000',
    'access-control-allow-methods': expect.stringContaining('DELETE'),
    'access-control-allow-headers': 'authorization,brokerproperties',
    'access-control-allow-private-network': 'true',
    'access-control-max-age': '7200',
  });
});

test('a preflight for a refused page is refused', async () => {
  const headers = {
    host: 'localhost',
    origin: 'https://evil.example',
    'access-control-request-method': 'DELETE',
  };
  expect((await ask(headers, 'OPTIONS')).statusCode).toBe(403);
});

test('every page may, if one says so', async () => {
  const open = await GatewayUnderTest.open({ originCheck: { origins: ['*'] } });
  await gateway.close();
  gateway = open;
  expect((await ask({ host: 'localhost', origin: 'https://any.example' })).statusCode).toBe(200);
});

test('a refusal does not put markup of the client into the answer', async () => {
  const { text } = await ask({ host: 'localhost', origin: 'http://<script>&' });
  expect(text).toContain('http://&lt;script&gt;&amp;');
});

test('the certificate to trust is at /ca.pem, unless an SDK requests a queue of that name', async () => {
  const { statusCode, headers, text } = await ask({ host: 'localhost' }, 'GET', '/ca.pem');
  expect(statusCode).toBe(200);
  expect(headers['content-type']).toBe('application/x-pem-file');
  expect(text).toBe(gateway.ca);
  expect(text).not.toContain('PRIVATE');
  for (const [asked, path] of [
    [{ authorization: 'SharedAccessSignature x' }, '/ca.pem'],
    [{}, '/ca.pem?api-version=2021-05'],
  ] as const) {
    expect((await ask({ host: 'localhost', ...asked }, 'GET', path)).text).toBe(`http ${path} `);
  }
});
