// Whether `dist` is older than anything it is built from, by the times of the files.
// @ts-check

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = ['src', 'tools/build.mjs', 'package.json', 'package-lock.json'];
/** It carries the time at which its build began. */
const WHAT_RUNS = 'dist/cli/main.js';
/** What `npm start` does not build. */
const DECLARATIONS = 'dist/emulator.d.ts';

/**
 * @param {string} root the folder of the project
 * @param {boolean} withDeclarations whether the declarations must be as new
 */
export function isStale(root, withDeclarations = false) {
  const built = withDeclarations ? [WHAT_RUNS, DECLARATIONS] : [WHAT_RUNS];
  const times = built.map((path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const builtAt = Math.min(...times);
  return builtAt === 0 || SOURCES.some((source) => hasNewer(join(root, source), builtAt));
}

/**
 * A directory is newer when something in it was added, removed or renamed, also by git on its way to another branch.
 *
 * @param {string} path
 * @param {number} builtAt
 * @returns {boolean}
 */
function hasNewer(path, builtAt) {
  if (path.endsWith('.test.ts')) return false;
  const entry = statSync(path);
  if (entry.mtimeMs >= builtAt) return true;
  return entry.isDirectory() && readdirSync(path).some((name) => hasNewer(join(path, name), builtAt));
}
