// GET /health, /livez and /readyz, answered in the words of the official emulator.

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HttpServer } from '../../src/gateway/http-server.js';
import { Port } from '../../src/gateway/port.js';
import { answerHealth, isAboutHealth } from '../../src/http/health.js';

let trouble: string | undefined;
let door: HttpServer;
let server: Port;

beforeEach(async () => {
  trouble = undefined;
  door = new HttpServer((request, response) => answerHealth(request, response, () => trouble));
  server = await Port.open({ host: '127.0.0.1', port: 0 }, (socket) => door.take(socket));
});
afterEach(() => Promise.all([door.close(0), server.close(0)]));

async function ask(method: string, path: string, body = '') {
  const client = request({ host: '127.0.0.1', port: server.port, method, path, agent: false });
  client.end(body);
  const [response]: IncomingMessage[] = await once(client, 'response');
  const text = (await response?.setEncoding('utf8').toArray())?.join('');
  return { status: response?.statusCode, headers: response?.headers, text };
}

test.each(['/health', '/livez', '/readyz'])('a healthy emulator answers 200 at %s', async (path) => {
  const { status, headers, text } = await ask('GET', path);
  expect({ status, text }).toEqual({
    status: 200,
    text: '{"status":"healthy","message":"Service is healthy."}',
  });
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
});

test('an emulator in trouble answers 503 and says why', async () => {
  trouble = 'The journal cannot be written';
  const { status, text } = await ask('GET', '/health');
  expect(status).toBe(503);
  expect(text).toBe('{"status":"unhealthy","message":"The journal cannot be written"}');
});

test('a query after the path makes no difference', async () => {
  expect((await ask('GET', '/health?verbose=1')).status).toBe(200);
});

test('HEAD is answered like GET, without the body', async () => {
  const { status, headers, text } = await ask('HEAD', '/health');
  expect({ status, length: headers?.['content-length'], text }).toEqual({
    status: 200,
    length: '52',
    text: '',
  });
});

test('other verbs are not allowed', async () => {
  const { status, headers, text } = await ask('POST', '/health', 'x'.repeat(100_000));
  expect({ status, allow: headers?.allow }).toEqual({ status: 405, allow: 'GET, HEAD' });
  expect(text).toBe('{"status":"method-not-allowed","message":"/health answers GET and HEAD, not POST."}');
  expect((await ask('POST', '/livez?x')).text).toContain('"/livez answers GET and HEAD, not POST."');
});

test.each(['/health', '/livez', '/readyz'])(
  'a call of the SDKs to %s does not ask for health, for a queue may have that name',
  (path) => {
    const isAbout = (url: string, headers = {}) => isAboutHealth({ url, headers } as IncomingMessage);
    expect([path, `${path}?verbose=1`].map((url) => isAbout(url))).toEqual([true, true]);
    expect(['/', `${path}y`, `${path}/`, `${path}?api-version=2021-05`].map((url) => isAbout(url))).toEqual(
      Array(4).fill(false),
    );
    expect(isAbout(path, { authorization: 'SharedAccessSignature sr=x' })).toBe(false);
  },
);
