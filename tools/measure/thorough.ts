// The tests that do little in `npm test` do more: those that could go on for ever, and those of which it has a short version. Further
// words go to vitest.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../bench/built-programs.js';
import { listTestFiles, PROJECT } from '../rules/project-files.js';

const tests = [...listTestFiles(PROJECT), 'tools/rules/rule-breaker.test.ts'].filter((path) =>
  /\b(countFor\(|IS_THOROUGH\b)/.test(PROJECT.read(path)),
);
const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', ...tests, ...process.argv.slice(2)], {
  cwd: ROOT,
  env: { ...process.env, JITNEY_THOROUGH: '1' },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
