// `npm run thorough`: the tests that could go on for ever, and do little in `npm test`, do more. Further words go to vitest.
// @ts-check

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const project = resolve(import.meta.dirname, '..');
const tests = ['test', 'compat-tests'].flatMap((folder) =>
  readdirSync(join(project, folder), { encoding: 'utf8', recursive: true })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join(folder, path))
    .filter((path) => readFileSync(join(project, path), 'utf8').includes('countFor(')),
);
const vitest = join(project, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', ...tests, ...process.argv.slice(2)], {
  cwd: project,
  env: { ...process.env, JITNEY_THOROUGH: '1' },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
