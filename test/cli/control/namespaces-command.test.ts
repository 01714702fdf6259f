// `jitney namespaces` and `--namespace` against an emulator in this process.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator.js';
import { runCommand } from './control-program.js';

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ queues: ['orders'], namespaces: ['a'], tls: 'off' });
});
afterAll(() => emulator.stop());

const run = (...words: readonly string[]) => runCommand([...words, '--port', String(emulator.port)]);

test('namespaces are added, listed and removed', async () => {
  expect(await run('namespaces', 'add', 'tests-1')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Added 'tests-1': {2}Endpoint=.*RootManageSharedAccessKey@tests-1;/),
  });
  expect((await run('namespaces')).stdout).toBe(
    [
      'NAME     ENTITIES  ACTIVE  DEAD  CONNECTIONS  PORT  MADE BY',
      'default         1       0     0            0',
      'a               1       0     0            0',
      'tests-1         1       0     0            0',
      '',
    ].join('\n'),
  );
  expect((await run('namespaces', 'remove', 'tests-1')).exitCode).toBe(0);
  const { stdout } = await run('namespaces', '--json');
  expect(stdout.split('\n').filter(Boolean)).toHaveLength(2);
  expect(await run('namespaces', 'remove', 'tests-1')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("There is no namespace 'tests-1'"),
  });
  expect(await run('namespaces', 'drop', 'a')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("'drop' is not something to do with namespaces: give add or remove"),
  });
});

test('--namespace chooses one, and so does the name of the key', async () => {
  const a = await emulator.namespace('a');
  await a.createQueue('only-a');
  expect((await run('ls', '--namespace', 'A')).stdout).toContain('only-a');
  expect((await run('ls')).stdout).not.toContain('only-a');
  const byKey = await runCommand(['ls', '--connection-string', a.connectionString]);
  expect(byKey.stdout).toContain('only-a');
  expect((await run('reset', '--all', '--yes', '--namespace', 'a')).exitCode).toBe(0);
  expect((await run('ls', '--namespace', 'a')).stdout).not.toContain('only-a');
  expect(await run('ls', '--namespace', 'none')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("There is no namespace 'none'; there are 'default', 'a'."),
  });
});
