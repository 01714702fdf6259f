// `npm start` builds only what is older than its sources: which changes make it so.

import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isStale } from './staleness.mjs';

const BUILT_AT = new Date('2026-01-02T03:04:05Z');
const EARLIER = new Date(BUILT_AT.getTime() - 1000);

test('what was built after all of its sources is not built again', async () => {
  await using project = await builtProject();
  expect(isStale(project.path)).toBe(false);
});

test.each<[string, (root: string) => Promise<unknown>]>([
  ['a file is changed', (root) => writeFile(join(root, 'src/cli/main.ts'), 'changed')],
  [
    'a file is changed while it is built',
    (root) => utimes(join(root, 'src/cli/main.ts'), BUILT_AT, BUILT_AT),
  ],
  ['a file is added', (root) => writeFile(join(root, 'src/cli/new.ts'), '')],
  ['a file is removed', (root) => rm(join(root, 'src/cli/main.ts'))],
  ['an old file is moved to its place', (root) => rename(join(root, 'src/old.ts'), join(root, 'src/new.ts'))],
  ['a dependency is upgraded', (root) => writeFile(join(root, 'package-lock.json'), '{}')],
  ['the build itself is changed', (root) => writeFile(join(root, 'tools/build.mjs'), 'changed')],
  ['nothing was built yet', (root) => rm(join(root, 'dist'), { recursive: true })],
])('it is built again when %s', async (_, change) => {
  await using project = await builtProject();
  await change(project.path);
  expect(isStale(project.path)).toBe(true);
});

test('declarations that are older than what runs are built again, where they are needed', async () => {
  await using project = await builtProject();
  const declarations = join(project.path, 'dist/emulator.d.ts');
  expect(isStale(project.path, true)).toBe(true);
  await writeFile(declarations, '');
  await utimes(declarations, BUILT_AT, BUILT_AT);
  expect(isStale(project.path, true)).toBe(false);
  await utimes(declarations, EARLIER, EARLIER);
  expect(isStale(project.path, true)).toBe(true);
  expect(isStale(project.path)).toBe(false);
});

async function builtProject() {
  const root = await mkdtemp(join(tmpdir(), 'jitney-stale-'));
  const at = (path: string) => join(root, path);
  for (const folder of ['src/cli', 'tools', 'dist/cli']) await mkdir(at(folder), { recursive: true });
  const files = ['src/cli/main.ts', 'src/old.ts', 'tools/build.mjs', 'package.json', 'package-lock.json'];
  for (const file of files) await writeFile(at(file), '');
  for (const path of [...files, 'src/cli', 'src', 'tools']) await utimes(at(path), EARLIER, EARLIER);
  await writeFile(at('dist/cli/main.js'), '');
  await utimes(at('dist/cli/main.js'), BUILT_AT, BUILT_AT);
  return { path: root, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
}
