// `jitney snapshot` against an emulator in this process: what it saves and restores, what it prints, and what it refuses.

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator.js';
import { runCommand } from './control-program.js';

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ queues: ['orders'], seed: [{ entity: 'orders', body: 'a' }], tls: 'off' });
});
afterAll(() => emulator.stop());

const run = (...words: readonly string[]) =>
  runCommand(['snapshot', ...words, '--port', String(emulator.port)]);

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'jitney-snapshot-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

test('a snapshot is saved in a file, and restored from there', async () => {
  const directory = await temporaryDirectory();
  const file = join(directory, 'prepared.snapshot');
  const saved = await run('save', file);
  expect(saved).toMatchObject({ exitCode: 0, stderr: '' });
  expect(saved.stdout).toMatch(
    /^Saved a snapshot of http:\/\/localhost:\d+ in .*prepared\.snapshot \(\d+ bytes\)\.\n$/,
  );
  expect(await readdir(directory)).toEqual(['prepared.snapshot']);
  expect(await run('save', file)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--force') });
  expect(await run('save', file, '--force')).toMatchObject({ exitCode: 0 });
  await emulator.queue('orders').purge();
  expect(await run('restore', file)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/Remove 1 entity and 0 messages of the emulator at \S+\? Give --yes/),
  });
  const restored = await run('restore', file, '--yes');
  expect(restored).toMatchObject({ exitCode: 0, stderr: '' });
  expect(restored.stdout).toMatch(
    /^Restored 1 message of .*prepared\.snapshot in the emulator at http:.*\.\n$/,
  );
  expect(await emulator.queue('orders').messages()).toMatchObject([{ body: 'a', sequenceNumber: 1 }]);
  expect((await run('restore', file, '--json', '--yes')).stdout).toBe('{"count":1}\n');
});

test('what is refused says why', async () => {
  const directory = await temporaryDirectory();
  const file = join(directory, 'no.snapshot');
  await writeFile(file, 'no snapshot');
  expect(await run('restore', file, '--yes')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('it begins with "no snapshot", and not with the line of a snapshot'),
  });
  expect((await run('restore', join(directory, 'none'))).stderr).toBe(
    `✖ JIT7006  ${join(directory, 'none')} cannot be read: there is no such file\n`,
  );
  expect((await run('save', join(directory, 'none', 'x'))).stderr).toContain(
    `✖ JIT3008  ${join(directory, 'none', 'x')} cannot be written: there is no directory ${join(directory, 'none')}\n`,
  );
  expect(await run('load', file)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("jitney snapshot takes save or restore, not 'load'"),
  });
});
