// `jitney healthcheck` against a real health endpoint.

import { afterEach, expect, test } from 'vitest';
import { runHealthcheck } from '../../src/cli/healthcheck-command.js';
import type { Environment, Flags } from '../../src/config/environment.js';
import { HttpServer } from '../../src/gateway/http-server.js';
import { Port } from '../../src/gateway/port.js';
import { answerHealth } from '../../src/http/health.js';

const opened: (HttpServer | Port)[] = [];

afterEach(() => Promise.all(opened.splice(0).map((port) => port.close(0))));

async function serve(trouble?: string): Promise<string> {
  const door = new HttpServer((request, response) => answerHealth(request, response, () => trouble));
  const port = await Port.open({ host: '127.0.0.1', port: 0 }, (socket) => door.take(socket));
  opened.push(door, port);
  return String(port.port);
}

async function check(flags: Flags, environment: Environment = {}) {
  const written = { stdout: '', stderr: '' };
  const exitCode = await runHealthcheck(flags, {
    environment,
    stdout: (text) => {
      written.stdout += text;
    },
    stderr: (text) => {
      written.stderr += text;
    },
  });
  return { exitCode, ...written };
}

test('a healthy emulator ends it with 0', async () => {
  expect(await check({ httpPort: await serve() })).toEqual({ exitCode: 0, stdout: 'healthy\n', stderr: '' });
});

test('in a container, host and port come from the variables', async () => {
  const environment = { JITNEY_HOST: '0.0.0.0', EMULATOR_HTTP_PORT: await serve() };
  expect(await check({}, environment)).toMatchObject({ exitCode: 0 });
});

test('an emulator in trouble ends it with 1 and its own words', async () => {
  const httpPort = await serve('The journal cannot be written');
  expect(await check({ httpPort })).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `✖ JIT3003  http://localhost:${httpPort}/health answers 503: {"status":"unhealthy","message":"The journal cannot be written"}\n`,
  });
});

test('where nothing answers it ends with 1', async () => {
  const httpPort = await serve();
  await Promise.all(opened.splice(0).map((port) => port.close(0)));
  const { exitCode, stderr } = await check({ httpPort });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`✖ JIT3004  Nothing answers at http://localhost:${httpPort}/health: `);
  expect(stderr).toContain('ECONNREFUSED');
});

test('the first port is asked where only that is named, by its flag or its variable', async () => {
  const port = await serve();
  expect(await check({ port })).toMatchObject({ exitCode: 0 });
  expect(await check({}, { JITNEY_PORT: port })).toMatchObject({ exitCode: 0 });
  expect(await check({ port: '1', httpPort: port })).toMatchObject({ exitCode: 0 });
  expect(await check({ port: '1' }, { JITNEY_HTTP_PORT: port })).toMatchObject({ exitCode: 0 });
});

test('without a second port the first one is asked', async () => {
  expect(await check({ httpPort: 'off', port: await serve() })).toMatchObject({ exitCode: 0 });
});
