// Started by npm and stopped as a script stops it: by the process it knows, which is npm's.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './support/temporary-directory.js';
import { until } from './support/until.js';

const OPTIONS = ['--memory', '--port', '0', '--http-port', '0'];
const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** A folder in which `npm start` and `npx jitney` start the built product. */
async function npmFolder() {
  const directory = await temporaryDirectory();
  const node = `'${process.execPath}' '${CLI}'`;
  const scripts = { start: `${node} ${OPTIONS.join(' ')}` };
  await writeFile(join(directory.path, 'package.json'), JSON.stringify({ name: 'app', scripts }));
  const programs = join(directory.path, 'node_modules/.bin');
  await mkdir(programs, { recursive: true });
  await writeFile(join(programs, 'jitney'), `#!/bin/sh\nexec ${node} "$@"\n`, { mode: 0o755 });
  return directory;
}

async function endsWith(command: string, words: readonly string[], signal: NodeJS.Signals): Promise<void> {
  await using directory = await npmFolder();
  const npm = spawn(command, words, { cwd: directory.path, stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  npm.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await until('it is up', () => output.includes('Emulator Service is Successfully Up!'), 30_000);
  const health = output.match(/http:\/\/\S+\/health/)?.[0] ?? '';
  const answer = () =>
    fetch(health).then(
      ({ status }) => status,
      () => 'gone',
    );
  expect(await answer()).toBe(200);
  npm.kill(signal);
  await once(npm, 'exit');
  await expect.poll(answer, { timeout: 60_000 }).toBe('gone');
}

// On Windows a process keeps the id of a parent that has ended, and npm passes no signal on.
test.skipIf(process.platform === 'win32')('a program started by npm ends when npm is told to end', () =>
  endsWith('npm', ['start'], 'SIGTERM'),
);

test.skipIf(process.platform !== 'linux').each([
  ['npm', ['start']],
  ['npx', ['jitney', ...OPTIONS]],
])('a program started by %s ends when that is killed', (command, words) =>
  endsWith(command, words, 'SIGKILL'),
);
