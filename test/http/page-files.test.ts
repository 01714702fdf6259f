// The files of the dashboard: who gets them, with which headers, and no file of another directory.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHttpHandler } from '../../src/http/http-handler.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { contextUnderTest } from './support/http-context.js';

const AS_BROWSER = { accept: 'text/html' };

let root: string;
let emulator: EmulatorUnderTest;
let server: Server;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'jitney-page-'));
  await mkdir(join(root, 'dashboard'));
  await writeFile(join(root, 'package.json'), 'secret');
  await writeFile(join(root, 'dashboard', 'index.html'), '<!doctype html><title>Page</title>');
  await writeFile(join(root, 'dashboard', 'page.js'), 'start();');
  emulator = await openEmulatorUnderTest({ queues: ['orders'] });
});
afterEach(async () => {
  server.close();
  await emulator.stop();
  await rm(root, { recursive: true });
});

async function serve(directory: string | undefined): Promise<string> {
  const { context } = contextUnderTest(emulator.engine);
  const start = {
    version: '1.2.3',
    maskedPolicy: undefined,
    host: 'localhost',
    hasAuthority: false,
    connectionString: () => 'Endpoint=sb://localhost',
  };
  server = createServer(createHttpHandler(() => undefined, context, { start, directory }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a browser at / gets the dashboard, which may run its own script and speak with this server alone', async () => {
  const response = await fetch(await serve(join(root, 'dashboard')), { headers: AS_BROWSER });
  expect(await response.text()).toContain('<title>Page</title>');
  const policy = response.headers.get('content-security-policy');
  expect(policy?.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  });
});

test('a file that the browser has is not sent again', async () => {
  const address = `${await serve(join(root, 'dashboard'))}/$jitney/page/page.js`;
  const first = await fetch(address);
  expect(await first.text()).toBe('start();');
  const tag = first.headers.get('etag') ?? '';
  expect((await fetch(address, { headers: { 'if-none-match': tag } })).status).toBe(304);
  expect((await fetch(address, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
});

test.each([
  'package.json',
  '../package.json',
  '%2e%2e/package.json',
  '..%2fpackage.json',
  'page.js/../package.json',
  'constructor',
  '__proto__',
])('no path leads out of the directory: %s', async (name) => {
  const response = await fetch(`${await serve(join(root, 'dashboard'))}/$jitney/page/${name}`);
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(await response.text()).not.toContain('secret');
});

test('an SDK at / gets the list of entities as before', async () => {
  const headers = { ...AS_BROWSER, authorization: 'SharedAccessSignature any' };
  const response = await fetch(await serve(join(root, 'dashboard')), { headers });
  expect(response.headers.get('content-type')).toContain('application/atom+xml');
});

test('with --ui off the files are not there, and / has the connection string', async () => {
  const origin = await serve(undefined);
  expect(await (await fetch(origin, { headers: AS_BROWSER })).text()).toContain('Endpoint=sb://localhost');
  expect((await fetch(`${origin}/$jitney/page/page.js`)).status).toBe(404);
});
