// `jitney healthcheck` against a real health endpoint.

import { afterEach, expect, test } from 'vitest';
import { runHealthcheck, type WaitFlags } from '../../../src/cli/control/healthcheck-command.js';
import type { Environment, Flags } from '../../../src/config/environment.js';
import { HttpServer } from '../../../src/gateway/http-server.js';
import { Port } from '../../../src/gateway/port.js';
import { answerHealth } from '../../../src/http/health.js';

const opened: (HttpServer | Port)[] = [];

afterEach(() => Promise.all(opened.splice(0).map((port) => port.close(0))));

async function serve(trouble?: string, wanted = 0): Promise<string> {
  const door = new HttpServer((request, response) => answerHealth(request, response, () => trouble));
  const port = await Port.open({ host: '127.0.0.1', port: wanted }, (socket) => door.take(socket));
  opened.push(door, port);
  return String(port.port);
}

type Waiting = { readonly onSleep?: (count: number) => Promise<void>; readonly isRunning?: () => boolean };

/** Time passes only in `sleep`. */
async function check(
  flags: Flags & WaitFlags,
  environment: Environment = {},
  { onSleep = async () => {}, isRunning = () => true }: Waiting = {},
) {
  const written = { stdout: '', stderr: '' };
  let now = 0;
  let sleepCount = 0;
  const exitCode = await runHealthcheck(flags, {
    environment,
    stdout: (text) => {
      written.stdout += text;
    },
    stderr: (text) => {
      written.stderr += text;
    },
    now: () => now,
    sleep: async (milliseconds) => {
      now += milliseconds;
      await onSleep(++sleepCount);
    },
    isRunning,
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
  const httpPort = await closedPort();
  const { exitCode, stderr } = await check({ httpPort });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`✖ JIT3004  Nothing answers at http://localhost:${httpPort}/health: `);
  expect(stderr).toContain('ECONNREFUSED');
  expect(stderr).toContain(`  Start it:  jitney start --http-port ${httpPort}\n`);
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

async function closedPort(): Promise<string> {
  const httpPort = await serve();
  await Promise.all(opened.splice(0).map((port) => port.close(0)));
  return httpPort;
}

test('a wait is silent until the emulator is healthy', async () => {
  const httpPort = await closedPort();
  const onSleep = async (count: number) => void (count === 3 && (await serve(undefined, Number(httpPort))));
  const healthy = { exitCode: 0, stdout: 'healthy\n', stderr: '' };
  expect(await check({ httpPort, wait: '60' }, {}, { onSleep })).toEqual(healthy);
});

test('a wait ends with one report when the time is over, and at once when the process has ended', async () => {
  const httpPort = await closedPort();
  let sleepCount = 0;
  const onSleep = async (count: number) => {
    sleepCount = count;
  };
  const late = await check({ httpPort, wait: 'PT1S' }, {}, { onSleep });
  expect(sleepCount).toBe(5);
  expect(late.exitCode).toBe(1);
  expect(late.stderr.match(/JIT3004/g)).toHaveLength(1);

  const isRunning = () => sleepCount < 2;
  sleepCount = 0;
  const gone = await check({ httpPort, wait: '60', pid: '77' }, {}, { onSleep, isRunning });
  expect(gone.stderr).toContain('✖ JIT3004  Process 77 has ended, so nothing will answer at ');
});

test.each([
  [{ wait: 'soon' }, '--wait must be a duration such as PT20S, or a number of seconds, not "soon"'],
  [{ pid: 'x' }, '--pid must be the id of a process, such as $!, not "x"'],
])('%j is refused', async (flags, text) => {
  expect(await check(flags)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(text) });
});
