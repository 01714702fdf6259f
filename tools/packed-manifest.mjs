// Leaves out of the packed `package.json` what only a clone needs: `trim` before packing, `restore` afterwards.
// @ts-check

import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const MANIFEST = resolve(import.meta.dirname, '../package.json');
const ORIGINAL = join(MANIFEST, '../node_modules/.jitney-package.json');

if (process.argv[2] === 'restore') {
  renameSync(ORIGINAL, MANIFEST);
} else {
  const { scripts, devDependencies, ...packed } = JSON.parse(readFileSync(MANIFEST, 'utf8'));
  // When an earlier packing was broken off, the manifest is trimmed already and its original is kept.
  if (scripts !== undefined) copyFileSync(MANIFEST, ORIGINAL);
  writeFileSync(MANIFEST, `${JSON.stringify(packed, null, 2)}\n`);
}
