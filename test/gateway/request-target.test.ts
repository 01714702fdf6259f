// Requests in absolute form, as Java's WebSocket client sends them: the URI says which host is asked for, whatever Host says.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { GatewayUnderTest, nextOf, saidBy } from '../support/gateway-under-test.js';

const WEBSOCKET = '/$servicebus/websocket';

let gateway: GatewayUnderTest;

beforeEach(async () => {
  gateway = await GatewayUnderTest.open({ originCheck: { hosts: ['bus.test'] } });
});

afterEach(() => gateway.close());

/** The answer to a request for a WebSocket, with the headers and in the order of azure-core-amqp for Java. */
async function upgrade(target: string, host = 'localhost'): Promise<string> {
  const client = await gateway.plain();
  client.write(
    `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade,Keep-Alive\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: AMQPWSB10\r\n\r\n',
  );
  return nextOf(client);
}

async function ask(target: string, headers = 'Host: localhost\r\n'): Promise<string> {
  const client = await gateway.plain();
  client.write(`GET ${target} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
  return saidBy(client);
}

test.each([
  `https://localhost${WEBSOCKET}`,
  `http://127.0.0.1:5672${WEBSOCKET}/?x=1`,
  `HTTPS://[::1]:443${WEBSOCKET}`,
  `https://my-bus.servicebus.windows.net${WEBSOCKET}`,
])('a WebSocket is opened for %s', async (target) => {
  expect(await upgrade(target)).toMatch(/^HTTP\/1\.1 101 .*\r\nSec-WebSocket-Protocol: AMQPWSB10\r\n/s);
});

test.each([
  ['http://localhost/orders?x=1', '/orders?x=1'],
  ['https://bus.test:5672/a%2Fb', '/a%2Fb'],
  ['http://localhost', '/'],
  ['http://localhost?x', '/?x'],
])('a request for %s is answered like one for %s', async (target, path) => {
  expect(await ask(target)).toContain(`http ${path} `);
});

test('the host of the URI counts, and the Host header does not', async () => {
  expect(await ask('http://bus.test/orders', 'Host: evil.example\r\n')).toContain('http /orders ');
  for (const target of ['http://evil.example/orders', 'http://evil.example:5672/orders']) {
    expect(await ask(target)).toMatch(/^HTTP\/1\.1 403 .*--allow-host evil\.example/s);
  }
  expect(await upgrade(`https://evil.example${WEBSOCKET}`)).toMatch(/^HTTP\/1\.1 403 /);
  expect(await upgrade(`https://localhost${WEBSOCKET}`, 'evil.example')).toMatch(/^HTTP\/1\.1 101 /);
});

test('the host of a page is compared with the URI of its request, not with the Host header', async () => {
  const headers = (host: string) => `Host: ${host}\r\nOrigin: https://bus.test\r\n`;
  expect(await ask('http://bus.test/orders', headers('localhost'))).toContain('http /orders ');
  expect(await ask('http://localhost/orders', headers('bus.test'))).toMatch(/^HTTP\/1\.1 403 /);
});

test.each([
  ...['ftp://localhost/orders', 'ws://localhost/orders', 'file:///orders', 'http:///orders'],
  ...['http://localhost@evil.example/orders', 'http://user:password@localhost/orders'],
  ...['http://localhost\\@evil.example/orders', 'http://%6cocalhost/orders', 'https:localhost/orders'],
])('%s is refused as the target of a request and of a WebSocket', async (target) => {
  for (const answer of [await ask(target), await upgrade(target)]) {
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).not.toContain('http /');
  }
});

test('a path of more than 8,192 characters is refused with 414, also that of a WebSocket, and a long query is not', async () => {
  const longest = `/${'2525'.repeat(2047)}252`;
  expect(await ask(longest)).toContain(`http ${longest} `);
  expect(await ask(`/orders?${'x'.repeat(20_000)}`)).toContain('http /orders?');
  for (const target of [`${longest}5`, `https://localhost${longest}`, `/${'2525'.repeat(27_500)}?x`]) {
    for (const answer of [await ask(target), await upgrade(target)]) {
      expect(answer).toMatch(/^HTTP\/1\.1 414 .* characters; 8192 is the limit\n/s);
      expect(answer.length).toBeLessThan(1000);
    }
  }
});

test('a URI without a path has no WebSocket', async () => {
  expect(await upgrade('https://localhost')).toMatch(/^HTTP\/1\.1 404 .*no WebSocket at '\/'/s);
});

test('a request for HTTP/2 keeps the host of its URI when it is answered in HTTP/1.1', async () => {
  const client = await gateway.plain();
  client.write(
    'GET http://evil.example/orders HTTP/1.1\r\nHost: localhost\r\nConnection: close, Upgrade, HTTP2-Settings\r\n' +
      'Upgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n\r\n',
  );
  expect(await nextOf(client)).toMatch(/^HTTP\/1\.1 403 /);
});
