// Before `npm start`: builds what runs, unless `dist` is newer than all it is built from. With `--whole`, the declarations as well.
// @ts-check

import { resolve } from 'node:path';
import { isStale } from './staleness.mjs';

const isWhole = process.argv.includes('--whole');
if (isStale(resolve(import.meta.dirname, '..'), isWhole)) {
  if (!isWhole) process.argv.push('--only-what-runs');
  await import('./build.mjs');
}
