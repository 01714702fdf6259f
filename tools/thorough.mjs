// `npm run thorough`: the tests that could go on for ever, and do little in `npm test`, do more. Further words go to vitest.
// @ts-check

import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const TESTS = ['kill-nine', 'session-load', 'simulation', 'fuzz', 'random-expressions'];

const project = resolve(import.meta.dirname, '..');
const vitest = join(project, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', ...TESTS, ...process.argv.slice(2)], {
  cwd: project,
  env: { ...process.env, JITNEY_THOROUGH: '1' },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
