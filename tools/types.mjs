// Checks the types of all that is TypeScript here: the sources, the broker without Node's types, and the page with those of a browser.
// What the last check found is kept in node_modules, so that the next one looks only at what a change can reach.
// @ts-check

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
const PROJECTS = ['.', 'src/broker', 'src/dashboard', 'src/dashboard/testing'];

const ends = PROJECTS.map(async (project) => {
  const known = join(ROOT, 'node_modules/.cache/types', join(project, 'tsbuildinfo.json'));
  const options = ['-p', project, '--singleThreaded', '--incremental', '--tsBuildInfoFile', known];
  const compiler = spawn(process.execPath, [COMPILER, ...options], { cwd: ROOT, stdio: 'inherit' });
  const [code] = await once(compiler, 'exit');
  return code;
});
if ((await Promise.all(ends)).some((code) => code !== 0)) process.exitCode = 1;
