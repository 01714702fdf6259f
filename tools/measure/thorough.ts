// The tests that could go on for ever, and do little in `npm test`, do more. Further words go to vitest.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../bench/built-programs.js';
import { listTestFiles, PROJECT } from '../rules/project-files.js';

const tests = listTestFiles(PROJECT).filter((path) => PROJECT.read(path).includes('countFor('));
const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', ...tests, ...process.argv.slice(2)], {
  cwd: ROOT,
  env: { ...process.env, JITNEY_THOROUGH: '1' },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
