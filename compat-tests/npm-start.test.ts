// Started by npm and stopped as a script stops it: by the process it knows, which is npm's.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './support/temporary-directory.js';
import { until } from './support/until.js';

const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

// On Windows a process keeps the id of a parent that has ended, and npm passes no signal on.
test.skipIf(process.platform === 'win32')(
  'a program started by npm ends when npm is told to end',
  async () => {
    await using directory = await temporaryDirectory();
    const cwd = directory.path;
    const start = `node ${JSON.stringify(CLI)} --memory --port 0 --http-port 0`;
    await writeFile(join(cwd, 'package.json'), JSON.stringify({ scripts: { start } }));
    const npm = spawn('npm', ['start'], { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
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
    npm.kill('SIGTERM');
    await once(npm, 'exit');
    await expect.poll(answer, { timeout: 60_000 }).toBe('gone');
  },
);
