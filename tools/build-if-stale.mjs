// Before `npm start`: builds what runs, unless `dist` is newer than all it is built from.
// @ts-check

import { resolve } from 'node:path';
import { isStale } from './staleness.mjs';

if (isStale(resolve(import.meta.dirname, '..'))) {
  process.argv.push('--only-what-runs');
  await import('./build.mjs');
}
