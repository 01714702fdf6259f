// `jitney check` in process: what it prints for journals that are intact, damaged, in use and not there, and its exit codes.

import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CheckFlags, runCheck } from '../../../src/cli/files/check-command.js';
import { openJournal } from '../../../src/journal/open-journal.js';
import { openHistory, writeHistory } from '../../support/history-journal.js';
import { makeTemporaryDirectory } from '../../support/journal-places.js';

async function run(directory: string, flags: CheckFlags = {}, isTerminal = false) {
  let stdout = '';
  let stderr = '';
  const exitCode = await runCheck(directory, flags, {
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
    isTerminal,
  });
  return { exitCode, stdout, stderr };
}

async function dataDirectory(): Promise<string> {
  const directory = await makeTemporaryDirectory();
  await writeHistory(join(directory, 'journal'), { seed: 5, runs: 1 });
  return directory;
}

test('an intact directory ends with 0, and shows its progress only on a terminal', async () => {
  const directory = await dataDirectory();
  const { exitCode, stdout, stderr } = await run(directory);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(
    /^.*journal: 2 queues, 1 topic, 2 subscriptions, \d+ messages, \d+ bytes in \d+ segments\nIt is intact\.\n$/,
  );
  expect((await run(directory, {}, true)).stderr).toMatch(/checking 0000000\d\.segment, 1 of \d/);
});

test('a damaged directory ends with 1, lists what is lost, and offers a repair', async () => {
  const directory = await dataDirectory();
  const [segment = ''] = readdirSync(join(directory, 'journal', 'segments')).sort();
  rmSync(join(directory, 'journal', 'segments', segment));
  const { exitCode, stdout } = await run(directory);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/\nlost: \S+, message \d+.*: its content is missing\n/);
  expect(stdout).toContain('An emulator starts with it.');
  expect(stdout).toContain(`jitney check ${join(directory, 'journal')} --repair <new directory>\n`);

  const repaired = join(directory, 'repaired');
  const repair = await run(directory, { repair: repaired });
  expect(repair.exitCode).toBe(1);
  expect(repair.stdout).toMatch(
    /Written to .*: \d+ messages unchanged, \d+ as dead letters without a body\.\n/,
  );
  expect(await run(repaired)).toMatchObject({ exitCode: 0 });
});

test('--json prints one object', async () => {
  const { stdout } = await run(await dataDirectory(), { json: true });
  expect(JSON.parse(stdout)).toMatchObject({ isIntact: true, queueCount: 2, damage: [], lost: [] });
});

test('a store in which nothing was ever stored is intact, as it is for a start', async () => {
  const directory = await makeTemporaryDirectory();
  await (await openJournal({ directory })).close();
  writeFileSync(join(directory, 'CURRENT'), '');
  expect(await run(directory)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(': 0 queues,') });
});

test('a directory in use, one without a journal and a repair into files are refused with a code', async () => {
  const directory = await dataDirectory();
  const journal = await openHistory(join(directory, 'journal'));
  expect(await run(directory)).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/^✖ JIT4001/),
  });
  await journal.close();
  const empty = await makeTemporaryDirectory();
  expect(await run(empty)).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^✖ JIT4002/) });
  const filled = await run(directory, { repair: directory });
  expect(filled).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringMatching(/^✖ JIT4005/) });
});
