// The JavaScript example as a reader runs it, and whether the page of the examples has the commands of all languages; `npm run languages` runs the others.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readExample } from './languages/examples.js';
import { findLanguages } from './languages/language.js';
import { PROJECT } from './support/documentation.js';
import { LAST_LIMIT_MS, RunningProcess } from './support/running-process.js';

test('the program prints what the page says', async () => {
  const { printed } = await readExample('javascript');
  const program = new RunningProcess(
    [
      join(PROJECT, 'dist/cli/main.js'),
      'exec',
      '--config',
      'examples/Config.json',
      '--',
      process.execPath,
      'examples/javascript/shop.mjs',
    ],
    { workingDirectory: PROJECT },
  );
  const exit = await program.endedWithin(LAST_LIMIT_MS);
  expect(exit, program.output).toEqual({ code: 0, signal: null });
  expect(program.stdout).toBe(printed);
});

test('each folder of the examples is a language that `npm run languages` runs', async () => {
  const entries = await readdir(join(PROJECT, 'examples'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const run = findLanguages().flatMap(({ description: { example } }) => example ?? []);
  expect(run.sort()).toEqual(folders.filter((name) => name !== 'node_modules').sort());
  for (const folder of run) await readExample(folder);
});
