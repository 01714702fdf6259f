// What `npm test` does before the tests, side by side: builds `dist` unless it is new, and checks style and types.
// @ts-check

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const STEPS = [
  ['tools/build-if-stale.mjs', '--whole', '--unchecked'],
  ['node_modules/@biomejs/biome/bin/biome', 'check', '.'],
  ['tools/types.mjs'],
];

const ends = STEPS.map(async (step) => {
  const [code] = await once(spawn(process.execPath, step, { cwd: ROOT, stdio: 'inherit' }), 'exit');
  return code;
});
if ((await Promise.all(ends)).some((code) => code !== 0)) process.exitCode = 1;
