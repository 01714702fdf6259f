// Whether `dist` is older than anything it is built from, by the times of the files.
// @ts-check

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = ['src', 'tools/build.mjs', 'package.json', 'package-lock.json'];
/** It carries the time at which its build began. */
const BUILT = 'dist/cli/main.js';

/** @param {string} root the folder of the project */
export function isStale(root) {
  const builtAt = statSync(join(root, BUILT), { throwIfNoEntry: false })?.mtimeMs;
  return builtAt === undefined || SOURCES.some((source) => hasNewer(join(root, source), builtAt));
}

/**
 * A directory is newer when something in it was added, removed or renamed, also by git on its way to another branch.
 *
 * @param {string} path
 * @param {number} builtAt
 * @returns {boolean}
 */
function hasNewer(path, builtAt) {
  const entry = statSync(path);
  if (entry.mtimeMs >= builtAt) return true;
  return entry.isDirectory() && readdirSync(path).some((name) => hasNewer(join(path, name), builtAt));
}
