// Builds `dist` from `src`: an ES module bundle for each entry, a CommonJS bundle of the main one, and one declaration file.
// @ts-check

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';

const { build } = await import('esbuild').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write("The build needs esbuild, which is not installed: run 'npm ci' first\n");
  process.exit(1);
});

const ROOT = resolve(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const DECLARATIONS = ['emulator.d.ts', 'emulator.d.cts'];
const LICENCES = 'third-party-licences.txt';
/** It finds its native part beside itself, so it cannot be bundled. CommonJS itself, it is loaded as it is. */
const NATIVE = 'level';

/** @type {import('esbuild').BuildOptions} */
const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
  metafile: true,
};

/** `npm start` needs only what runs; checking the types and rolling up their declarations takes ten times as long. */
const onlyRuns = process.argv.includes('--only-what-runs');
const startedAt = new Date();
const [modules, commonJs] = await Promise.all([bundleModules(), bundleCommonJs(), onlyRuns || declare()]);
const { inputs = {} } = commonJs.metafile ?? {};
await writeFile(join(DIST, LICENCES), await licencesOf(Object.keys(inputs)));
await removeAllBut([...outputsOf(modules), ...outputsOf(commonJs), ...DECLARATIONS, LICENCES]);
// `build-if-stale.mjs` compares this with `src`; a file that changed while this ran is newer.
await utimes(join(DIST, 'cli/main.js'), startedAt, startedAt);

function bundleModules() {
  return build({
    ...COMMON,
    entryPoints: ['src/cli/main.ts', 'src/emulator.ts'],
    format: 'esm',
    splitting: true,
    packages: 'external',
    outdir: 'dist',
    chunkNames: 'chunks/[name]-[hash]',
  });
}

/** One file with its dependencies in it: many of them are ES modules alone, which `require` of jest cannot load. */
function bundleCommonJs() {
  return build({
    ...COMMON,
    entryPoints: ['src/emulator.ts'],
    format: 'cjs',
    external: [NATIVE],
    // The `main` of jsonc-parser requires its own files in a way that cannot be followed.
    mainFields: ['module', 'main'],
    outfile: 'dist/emulator.cjs',
    define: { 'import.meta.url': 'importMetaUrl' },
    banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
  });
}

/** Checks the types, and rolls the declarations that tsc writes up into one file, once for each module system. */
async function declare() {
  // Not in `node_modules`: what lies there is not rolled up.
  const scratch = join(DIST, '.declarations');
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const check = spawn(process.execPath, [tsc, '-p', 'src', '--outDir', scratch], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  const [exitCode] = await once(check, 'exit');
  if (exitCode !== 0) process.exit(1);
  await rollUp(join(scratch, 'emulator.d.ts'), join(DIST, 'emulator.d.ts'));
  await copyFile(join(DIST, 'emulator.d.ts'), join(DIST, 'emulator.d.cts'));
}

/**
 * @param {string} input
 * @param {string} file
 */
async function rollUp(input, file) {
  // Loaded here, because `npm start` does without.
  const [{ rollup }, { dts }] = await Promise.all([import('rollup'), import('rollup-plugin-dts')]);
  const bundle = await rollup({ input, plugins: [dts({ respectExternal: false })] });
  // `AsyncDisposable` is in no `lib` of a program that asks for an older one.
  const banner = '/// <reference lib="esnext.disposable" />';
  await bundle.write({ file, format: 'es', banner });
  await bundle.close();
}

/** @param {import('esbuild').BuildResult} result */
function outputsOf({ metafile }) {
  return Object.keys(metafile?.outputs ?? {}).map((output) => relative('dist', output));
}

/**
 * Removes what earlier builds have left.
 *
 * @param {string[]} kept
 */
async function removeAllBut(kept) {
  const paths = kept.map((path) => path.split('/').join(sep));
  for (const path of await readdir(DIST, { recursive: true })) {
    if (paths.some((one) => one === path || one.startsWith(path + sep))) continue;
    await rm(join(DIST, path), { recursive: true, force: true });
  }
}

/**
 * The licences of the packages that these files belong to, as their authors ask.
 *
 * @param {string[]} files
 */
async function licencesOf(files) {
  const packages = new Set(files.flatMap((file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []));
  const texts = await Promise.all([...packages].sort().map(licenceOf));
  return `Packages in emulator.cjs, and their licences.\n${texts.join('')}`;
}

/** @param {string} directory */
async function licenceOf(directory) {
  const folder = join(ROOT, directory);
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : `\n${await readFile(join(folder, file), 'utf8')}`;
  return `\n${'-'.repeat(80)}\n${name} ${version} (${license})\n${text}`;
}
