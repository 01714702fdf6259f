// Builds `dist` from `src`: the command line and the main export as a few files, with the packages they use, and the declarations.
// @ts-check

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

const { build } = await import('esbuild').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write("The build needs esbuild, which is not installed: run 'npm ci' first\n");
  process.exit(1);
});

const ROOT = resolve(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const PAGE = join(DIST, 'dashboard');
const PAGE_FILES = ['index.html', 'icon.svg'];
const MAX_PAGE_BYTES = 130 * 1024;
/** The entries of the kit for tests, with their files in `src`. They are CommonJS for every importer, but for the one that is used with vitest. */
const KIT = {
  'jest.cjs': 'testing/jest',
  'testing.cjs': 'testing/other-runners',
  'testing-kit.cjs': 'testing/kit',
  'global-setup.cjs': 'testing/global-setup',
};
const VITEST = 'testing/vitest';
/** What an import from another entry stays, so that its types are declared once. */
const EMULATOR_TYPES = /[\\/]emulator(?:\.d)?\.[jt]s$/;
/** The declarations, each of which is also there as a copy for `require`, or only for it. */
const DECLARED = {
  emulator: ['d.ts', 'd.cts'],
  vitest: ['d.ts', 'd.cts'],
  jest: ['d.cts'],
  testing: ['d.cts'],
  'global-setup': ['d.cts'],
  testcontainers: ['d.cts'],
};
const DECLARATIONS = Object.entries(DECLARED).flatMap(([name, ends]) => ends.map((end) => `${name}.${end}`));
/** vitest cannot be required either, but a program that is compiled to CommonJS finds its types by this file. */
const NOT_REQUIRED = `exports.emulatorTest = undefined;
throw new Error('jitney/vitest is an ES module, as vitest is. Load it with import.');
`;
/** An entry of its own, which nothing else of the package loads: its classes extend those of a package that only its users have. */
const CONTAINER = 'testcontainers/jitney-container';
const CONTAINER_FILE = 'testcontainers.cjs';
/** Packages that only some requests need, such as zod, stay in files of their own. */
const LARGE_BYTES = 200 * 1024;
/** What has fewer is not worth a file of its own. */
const SMALL_BYTES = 1024;
const LICENCES = 'third-party-licences.txt';
/** All code as ES modules, before rollup makes fewer files of them. */
const UNMERGED = join(DIST, '.unmerged');
/**
 * LevelDB's native part lies in its package, and not every installer puts that where a bundle would find it. What looks for it there is in
 * the bundle, because files of packages are compiled at each start.
 */
const BINDING = `
  const { createRequire } = require('node:module');
  const { dirname } = require('node:path');
  const level = createRequire(__filename).resolve('level');
  module.exports = require('node-gyp-build')(dirname(createRequire(level).resolve('classic-level')));
`;
/** LevelDB in the bundle, without its native part. @type {import('esbuild').Plugin} */
const BUNDLED_LEVEL = {
  name: 'level',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]classic-level[\\/]binding\.js$/ }, ({ path }) => ({
      contents: BINDING,
      resolveDir: dirname(path),
    }));
    // An ES module, because esbuild gives a CommonJS file that is imported when needed no names.
    onLoad({ filter: /[\\/]node_modules[\\/]level[\\/]index\.js$/ }, ({ path }) => ({
      contents: "export { ClassicLevel as Level } from 'classic-level';",
      resolveDir: dirname(path),
    }));
  },
};
/**
 * Timers and clocks as they were when the package was loaded, which each file has in place of the global ones, in our code and in the
 * packages beside it: the fake timers of a test replace the global ones, and must stop neither the emulator nor its matchers. They are kept
 * where all files find them, because some files are loaded only when fake timers are on.
 */
const TIMERS = [
  ...['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'],
  ...['queueMicrotask', 'Date'],
];
const REAL_TIME = `const { ${TIMERS.join(', ')}, performance, nextTick } = (globalThis[Symbol.for('jitney.time')] ??= {
  ${TIMERS.map((name) => `${name}: globalThis.${name}`).join(', ')},
  performance: {
    now: globalThis.performance.now.bind(globalThis.performance),
    timeOrigin: globalThis.performance.timeOrigin,
  },
  nextTick: process.nextTick.bind(process),
});`;
/** @type {import('esbuild').Plugin} */
const REAL_TIMERS = {
  name: 'timers',
  setup: ({ onResolve }) => {
    const file = join(ROOT, 'tools/bundled/timers-promises.js');
    onResolve({ filter: /^node:timers\/promises$/ }, ({ importer }) =>
      importer === file ? undefined : { path: file },
    );
  },
};
/** In place of `import.meta.url`, which `src` hands to `createRequire` alone: that takes a path as well, and a URL costs 4 ms. */
const OWN_LOCATION = { url: '__filename', dirname: '__dirname' };
/** Parts of Node that take it a millisecond or two to load, and that a start does without: each is loaded when it is first used. */
const LATE_PARTS = ['node:crypto', 'node:fs/promises', 'node:http', 'node:zlib'];
/** They are called so in the bundle, because no variable is. */
const LATE_NAMES = new Map(LATE_PARTS.map((part) => [part, part.replace(/\W/g, '_')]));
const COMMAND_LINE_TYPE = 'cli/package.json';
/** The main export as an ES module. It hands on the CommonJS one, so that a program that loads both has each class once. */
const MODULE = 'emulator.js';
/** Containers call it all the time. */
const HEALTHCHECK = 'cli/control/healthcheck-command';
/** The commands beside `start` that share code with it. */
const OTHER_COMMANDS = [
  ...['start/config', 'files/certs', 'files/env'].map((name) => `cli/${name}-command`),
  HEALTHCHECK,
];

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
const isChecked = !process.argv.includes('--unchecked');
const startedAt = new Date();
const [code, page] = await Promise.all([bundleCode(), bundlePage(), onlyRuns || declare()]);
await writeFile(join(DIST, LICENCES), await licencesOf(Object.keys({ ...code.inputs, ...page.inputs })));
await removeAllBut([...code.outputs, ...page.outputs, ...DECLARATIONS, LICENCES]);
// npm packs the file with its mode, and an installer that links it may have changed that: every build must have the same bytes.
await chmod(join(DIST, 'cli/main.js'), 0o755);
// `build-if-stale.mjs` compares this with `src`; a file that changed while this ran is newer.
await utimes(join(DIST, 'cli/main.js'), startedAt, startedAt);

/** The page for browsers: one script, one sheet of styles, the icon and the document. Throws when they are too large to load at once. */
async function bundlePage() {
  const source = 'src/dashboard';
  const { metafile = { inputs: {}, outputs: {} } } = await build({
    ...COMMON,
    platform: 'browser',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    entryPoints: { page: `${source}/main.tsx`, style: `${source}/style.css` },
    format: 'esm',
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    outdir: PAGE,
  });
  for (const name of PAGE_FILES) await copyFile(join(ROOT, source, name), join(PAGE, name));
  const names = [...PAGE_FILES, 'page.js', 'style.css'];
  const sizes = await Promise.all(
    names.map(async (name) => gzipSync(await readFile(join(PAGE, name))).length),
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > MAX_PAGE_BYTES) {
    throw new Error(
      `The page has ${bytes} bytes compressed, and ${MAX_PAGE_BYTES} are allowed: leave something out.`,
    );
  }
  return { inputs: metafile.inputs, outputs: names.map((name) => `dashboard/${name}`) };
}

/**
 * CommonJS with its dependencies in it, in few files: at each start, Node's loader of ES modules would cost 8 ms and every file
 * about half a millisecond, only CommonJS can be compiled ahead on Node 20 (`src/cli/compile-cache.ts`), and jest loads nothing else.
 */
async function bundleCode() {
  const { metafile = { inputs: {}, outputs: {} } } = await build({
    ...COMMON,
    entryPoints: [
      'src/cli/main.ts',
      'src/emulator.ts',
      ...Object.values(KIT).map((name) => `src/${name}.ts`),
    ],
    format: 'esm',
    splitting: true,
    define: { 'process.nextTick': 'nextTick' },
    plugins: [BUNDLED_LEVEL, REAL_TIMERS],
    // The `main` of jsonc-parser requires its own files in a way that cannot be followed.
    mainFields: ['module', 'main'],
    outdir: UNMERGED,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
  });
  const { rollup } = await import('rollup');
  const first = outputsWith(metafile, ['cli/main', 'cli/compile-cache']);
  const entries = Object.entries({ 'emulator.cjs': 'emulator', ...KIT }).map(([file, name]) => {
    const [output = ''] = outputsWith(metafile, [name]);
    return /** @type {const} */ ([file, output]);
  });
  const outputOf = new Map(entries);
  const bundle = await rollup({
    input: {
      'cli/main.js': join(UNMERGED, 'main.js'),
      ...Object.fromEntries(entries.map(([file]) => [file, file])),
    },
    external: (id) => /^node:/.test(id) && !LATE_NAMES.has(id),
    treeshake: false,
    plugins: [
      {
        name: 'code',
        // The name of the main export must not change, and that of a file whose compiled code is kept must change with its content.
        resolveId: (id) => {
          const late = LATE_NAMES.get(id);
          return late === undefined ? (outputOf.has(id) ? id : null) : { id: late, external: true };
        },
        load: (id) => (outputOf.has(id) ? `export * from ${JSON.stringify(outputOf.get(id))};` : null),
        resolveImportMeta: (property) =>
          OWN_LOCATION[/** @type {keyof typeof OWN_LOCATION} */ (property)] ?? null,
        // esbuild's helpers, which these do not use. With them, rollup would load code before Node's version is checked.
        transform: (code, id) => (first.has(id) ? code.replace(/^import ".*";$/gm, '') : null),
        renderChunk: (code) => inAscii(withLateParts(code)),
      },
    ],
  });
  const { output } = await bundle.write({
    dir: DIST,
    format: 'cjs',
    dynamicImportInCjs: false,
    paths: Object.fromEntries([...LATE_NAMES].map(([part, name]) => [name, part])),
    hoistTransitiveImports: false,
    // Not where Node's version is checked.
    intro: ({ moduleIds }) => (moduleIds.some((id) => first.has(id)) ? '' : REAL_TIME),
    entryFileNames: '[name]',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
    minifyInternalExports: false,
    manualChunks: groupsOf(metafile),
    // Otherwise what a group shares with others, such as zod, would be in its file.
    onlyExplicitManualChunks: true,
  });
  await bundle.close();
  // The `main` of the package is an ES module, and `main.js` is not.
  await writeFile(join(DIST, COMMAND_LINE_TYPE), '{ "type": "commonjs" }\n');
  await bundleForVitest();
  const names = output.find(({ fileName }) => fileName === 'emulator.cjs');
  if (names?.type !== 'chunk') throw new Error('The main export is missing');
  await writeFile(join(DIST, MODULE), `export { ${names.exports.join(', ')} } from './emulator.cjs';\n`);
  await bundleContainer();
  const files = output.map(({ fileName }) => fileName);
  const own = [COMMAND_LINE_TYPE, MODULE, 'vitest.js', 'vitest.cjs', CONTAINER_FILE];
  return { inputs: metafile.inputs, outputs: [...files, ...own] };
}

/**
 * Has each of `LATE_PARTS` required where it is used: `new node_crypto.X509Certificate` becomes `new (node_crypto().X509Certificate)`.
 *
 * @param {string} code
 */
function withLateParts(code) {
  for (const [part, expected] of LATE_NAMES) {
    const declared = code.match(new RegExp(`^var (\\w+) = require\\('${part}'\\);$`, 'm'));
    if (declared === null) continue;
    const [line, name] = declared;
    if (name !== expected) {
      throw new Error(
        `Import the names of ${part} that are used, not '${name}': its uses are found by its name`,
      );
    }
    const load = `var ${name}$;\nfunction ${name}() { return (${name}$ ??= require('${part}')); }`;
    code = code
      .replace(new RegExp(`\\b${name}(\\.\\w+)`, 'g'), (_, use) => `(${name}()${use})`)
      .replace(line, () => load);
  }
  return code;
}

/**
 * One character of another language, even in a comment, and V8 keeps the whole file with two bytes a character.
 *
 * @param {string} code
 */
function inAscii(code) {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The one entry that is an ES module, since it imports vitest. The kit that it uses is CommonJS, so that it is in the process once. */
async function bundleForVitest() {
  await build({
    ...COMMON,
    entryPoints: { vitest: `src/${VITEST}.ts` },
    format: 'esm',
    outdir: DIST,
    external: ['vitest', '@azure/service-bus'],
    plugins: [
      {
        name: 'kit',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^\.\/kit\.js$/ }, () => ({ path: './testing-kit.cjs', external: true })),
      },
    ],
  });
  await writeFile(join(DIST, 'vitest.cjs'), NOT_REQUIRED);
}

/** CommonJS for `import` as well, since esbuild names its exports in a way that Node reads. */
async function bundleContainer() {
  await build({
    ...COMMON,
    entryPoints: [`src/${CONTAINER}.ts`],
    format: 'cjs',
    outfile: join(DIST, CONTAINER_FILE),
    external: ['testcontainers'],
  });
}

/**
 * Groups the files that a start loads: the main export, what it shares with commands, and the rest of each command and of the start.
 * Everything else stays in files of its own, which are loaded when they are needed.
 *
 * @param {import('esbuild').Metafile} metafile
 */
function groupsOf(metafile) {
  const ofEmulator = withImports(outputsWith(metafile, ['emulator']), metafile);
  const ofRunning = withImports(outputsWith(metafile, ['emulator']), metafile, true);
  const ofStart = withImports(
    outputsWith(metafile, ['cli/command-line', 'cli/start/start-command']),
    metafile,
  );
  const ofProgram = withImports(outputsWith(metafile, ['cli/program', HEALTHCHECK]), metafile);
  const ofOthers = withImports(outputsWith(metafile, OTHER_COMMANDS), metafile);
  const apart = withImports(outputsWith(metafile, ['emulator', HEALTHCHECK]), metafile, true);
  const ofCommands = withImports(commandsOf(metafile), metafile);
  const kit = outputsWith(metafile, Object.values(KIT));
  const ofKit = withImports(kit, metafile);
  const ofInterface = withImports(interfaceOf(metafile), metafile);
  const ofJournal = withImports(
    outputsWith(metafile, ['journal/open-journal', 'journal/reset-directory', 'journal/snapshot-file']),
    metafile,
  );
  return (/** @type {string} */ id) => {
    if (ofStart.has(id)) return ofRunning.has(id) ? 'shared' : 'command-line';
    if (ofEmulator.has(id)) return ofOthers.has(id) ? 'shared' : 'emulator';
    if (ofJournal.has(id)) return 'journal';
    if (ofCommands.has(id) && ofRunning.has(id) && sizeOf(id, metafile) < SMALL_BYTES) return 'shared';
    if (ofKit.has(id) && !kit.has(id)) return 'testing';
    if (ofProgram.has(id)) return ofRunning.has(id) ? 'shared' : 'program';
    // Rarely used, so they share a file. What a running emulator or its health check loads stays apart from it.
    if (ofCommands.has(id) && !apart.has(id)) return 'commands';
    return ofInterface.has(id) && sizeOf(id, metafile) < LARGE_BYTES ? 'interface' : null;
  };
}

/**
 * The outputs that begin with these files of `src`.
 *
 * @param {import('esbuild').Metafile} metafile
 * @param {string[]} names
 */
function outputsWith({ outputs }, names) {
  const entries = new Set(names.map((name) => `src/${name}.ts`));
  const found = Object.entries(outputs).filter(([, { entryPoint = '' }]) => entries.has(entryPoint));
  if (found.length < names.length) throw new Error(`Not all of ${names.join(', ')} are loaded when needed`);
  return new Set(found.map(([path]) => join(ROOT, path)));
}

/**
 * The outputs of the commands that are loaded when they are called, but for the health check, which containers call all the time.
 *
 * @param {import('esbuild').Metafile} metafile
 */
function commandsOf({ outputs }) {
  const found = Object.entries(outputs).filter(([, { entryPoint = '' }]) =>
    /^src\/cli\/(?!main|command-line|compile-cache|start\/start-command|.*healthcheck)/.test(entryPoint),
  );
  return new Set(found.map(([path]) => join(ROOT, path)));
}

/**
 * The outputs that the first requests over HTTP load one after the other.
 *
 * @param {import('esbuild').Metafile} metafile
 */
function interfaceOf({ outputs }) {
  const found = Object.entries(outputs).filter(([, { entryPoint = '' }]) =>
    /^src\/(http|atom|config)\//.test(entryPoint),
  );
  return new Set(found.map(([path]) => join(ROOT, path)));
}

/**
 * @param {string} file
 * @param {import('esbuild').Metafile} metafile
 */
function sizeOf(file, { outputs }) {
  return outputs[slashed(relative(ROOT, file))]?.bytes ?? 0;
}

/**
 * @param {Set<string>} files
 * @param {import('esbuild').Metafile} metafile
 * @param {boolean} withLater also what is loaded later, when it is needed
 */
function withImports(files, { outputs }, withLater = false) {
  const all = new Set(files);
  // A set hands out what is added while it is walked.
  for (const file of all) {
    for (const { kind, path } of outputs[slashed(relative(ROOT, file))]?.imports ?? []) {
      if ((withLater || kind === 'import-statement') && path in outputs) all.add(join(ROOT, path));
    }
  }
  return all;
}

/** @param {string} path */
function slashed(path) {
  return path.split(sep).join('/');
}

/**
 * Checks the types, and rolls the declarations that tsc writes up into one file, once for each module system. With `--unchecked`,
 * somebody else checks the types meanwhile.
 */
async function declare() {
  // Not in `node_modules`: what lies there is not rolled up.
  const scratch = join(DIST, '.declarations');
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const options = ['-p', 'src', '--outDir', scratch, ...(isChecked ? [] : ['--noCheck'])];
  const check = spawn(process.execPath, [tsc, ...options], { cwd: ROOT, stdio: 'inherit' });
  const [exitCode] = await once(check, 'exit');
  if (exitCode !== 0) process.exit(1);
  const sources = {
    vitest: VITEST,
    jest: KIT['jest.cjs'],
    testing: KIT['testing.cjs'],
    'global-setup': KIT['global-setup.cjs'],
    testcontainers: CONTAINER,
  };
  for (const [name, ends] of Object.entries(DECLARED)) {
    const source = sources[/** @type {keyof typeof sources} */ (name)] ?? name;
    for (const end of ends) await rollUp(join(scratch, `${source}.d.ts`), join(DIST, `${name}.${end}`));
  }
}

/**
 * @param {string} input
 * @param {string} file
 */
async function rollUp(input, file) {
  const isOther = (/** @type {string} */ id) => id !== input && EMULATOR_TYPES.test(id);
  const emulator = file.endsWith('.cts') ? './emulator.cjs' : './emulator.js';
  // Loaded here, because `npm start` does without.
  const [{ rollup }, { dts }] = await Promise.all([import('rollup'), import('rollup-plugin-dts')]);
  const bundle = await rollup({
    input,
    external: (id) => id === 'vitest' || id === 'testcontainers' || isOther(id),
    plugins: [dts({ respectExternal: false })],
  });
  // `AsyncDisposable` is in no `lib` of a program that asks for an older one.
  const banner = '/// <reference lib="esnext.disposable" />';
  await bundle.write({ file, format: 'es', banner, paths: (id) => (isOther(id) ? emulator : id) });
  await bundle.close();
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
  return `Packages in chunks/*.cjs and in dashboard/page.js, and their licences.\n${texts.join('')}`;
}

/** @param {string} directory */
async function licenceOf(directory) {
  const folder = join(ROOT, directory);
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : `\n${await readFile(join(folder, file), 'utf8')}`;
  return `\n${'-'.repeat(80)}\n${name} ${version} (${license})\n${text}`;
}
