// The compiled code of the program's files between starts: taken when it is good, compiled again when it is not, and never in the way.

import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CompileCache, cacheDirectory } from '../../src/cli/compile-cache.js';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jitney-compiled-'));
  file = join(folder, 'sum-1.cjs');
  writeFileSync(
    file,
    "'use strict';\nconst { join } = require('node:path');\nexports.path = join('a', 'b');\n",
  );
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Loads the file as one start would, and stores what was compiled. Returns how many files had to be compiled. */
function start(directory = join(folder, 'cache')): { readonly compiled: number; readonly exports: unknown } {
  const cache = new CompileCache(directory);
  const loaded = { exports: {} };
  cache.load(loaded, file);
  return { exports: loaded.exports, compiled: cache.store() };
}

function storedFiles(): string[] {
  const [version = ''] = readdirSync(join(folder, 'cache'));
  return readdirSync(join(folder, 'cache', version)).map((name) => join(folder, 'cache', version, name));
}

test('a later start takes the stored code and compiles nothing', () => {
  const exports = { path: join('a', 'b') };
  expect(start()).toEqual({ compiled: 1, exports });
  expect(start()).toEqual({ compiled: 0, exports });
});

test.each<[string, (stored: Buffer) => Buffer]>([
  [
    'with a wrong last byte',
    (stored) => Buffer.concat([stored.subarray(0, -1), Buffer.of(~(stored.at(-1) ?? 0))]),
  ],
  ['that ends too early', (stored) => stored.subarray(0, stored.length / 2)],
  ['that is empty', () => Buffer.alloc(0)],
])('stored code %s is compiled again', (_, damage) => {
  start();
  for (const path of storedFiles()) writeFileSync(path, damage(readFileSync(path)));
  expect(start()).toEqual({ compiled: 1, exports: { path: join('a', 'b') } });
  expect(start().compiled).toBe(0);
});

test('a program whose cache cannot be written starts all the same', () => {
  expect(start(file)).toEqual({ compiled: 0, exports: { path: join('a', 'b') } });
});

test('storing removes the code of files that another build had', () => {
  start();
  const [old = ''] = storedFiles();
  renameSync(file, join(folder, 'sum-2.cjs'));
  file = join(folder, 'sum-2.cjs');
  start();
  expect(storedFiles()).toEqual([old.replace('sum-1', 'sum-2')]);
});

test('an error names the line of the file in which it was thrown', () => {
  writeFileSync(file, "'use strict';\n\nexports.fail = () => { throw new Error('no'); };\n");
  const { fail } = start().exports as { fail: () => void };
  expect(fail).toThrow(expect.objectContaining({ stack: expect.stringContaining(`${file}:3:`) }));
});

test.each<[string, Record<string, string>, NodeJS.Platform, string | undefined]>([
  ['in the home', { HOME: '/me' }, 'linux', '/me/.cache/jitney'],
  ['in XDG_CACHE_HOME', { HOME: '/me', XDG_CACHE_HOME: '/c' }, 'linux', '/c/jitney'],
  ['not in a relative XDG_CACHE_HOME', { HOME: '/me', XDG_CACHE_HOME: 'c' }, 'linux', '/me/.cache/jitney'],
  ['in the library of macOS', { HOME: '/me' }, 'darwin', '/me/Library/Caches/jitney'],
  ['in LOCALAPPDATA of Windows', { HOME: '/me', LOCALAPPDATA: '/local' }, 'win32', '/local/jitney/cache'],
  ['where Node is told to keep its own', { HOME: '/me', NODE_COMPILE_CACHE: '/n' }, 'linux', '/n'],
  ['nowhere without a home', {}, 'linux', undefined],
  ['nowhere when it is off', { HOME: '/me', NODE_DISABLE_COMPILE_CACHE: '1' }, 'linux', undefined],
])('compiled code is kept %s', (_, environment, platform, expected) => {
  const directory = cacheDirectory(environment, platform);
  expect(directory && normalize(directory)).toBe(expected && normalize(expected));
});
