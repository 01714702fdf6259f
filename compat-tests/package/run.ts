// `npm run package`: packs the package, installs it in an empty folder, and uses it there as its users do.

import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RunningProcess } from '../support/running-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { FAILED, FAILING, FILES, moduleModes, RUNNERS, TEST_RUNNERS } from './consumer.js';
import { checkInstallers } from './installers.js';
import { nodeFromNpm } from './node-from-npm.js';
import { checkSecondBuild } from './second-build.js';
import { run, Tally } from './steps.js';
import { checkTelemetry } from './telemetry.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MOST_FILES = 85;
const MOST_PACKAGES = 16;
const MOST_MEGABYTES = 13;
const NODES = ['20.19.0', '22', '24', '26'];
/** The oldest of its line that takes Jitney; not all test runners take it. */
const OLD_22 = '22.2.0';
const TOO_OLD = '18';
/** Their JSON files are no modules for a type checker to look at. */
const NO_MODULES = ['./config/Config.json', './config/Config.schema.json', './package.json'];
/** About this machine's settings, whatever is installed. */
const MACHINE_WARNING = /npm warn Unknown \w+ config/i;
/** Asked of each package with such a script since npm 11.19; this one does nothing where its prebuilt file fits. */
const SCRIPT_WARNING = /npm warn install-scripts/i;
const PROJECT = 'tsconfig.json';
const READY_MS = 30_000;

const tally = new Tally();
await using work = await temporaryDirectory();
await main(work.path);
process.exitCode = tally.end();

async function main(directory: string): Promise<void> {
  const tarball = await packed(directory);
  const folder = join(directory, 'consumer');
  await writeConsumer(folder);
  if (tarball === undefined || !(await isInstalled(tarball, folder))) return;
  await checkSecondBuild(tally, { tarball, root: ROOT, directory });
  const tools = ['jest', 'mocha', 'vitest@4', 'typescript@5', 'publint', '@arethetypeswrong/cli'];
  const added = await run('npm', ['install', '--save-dev', ...tools, '@azure/service-bus'], folder);
  if (added.isGood) {
    await checkManifest(tarball, folder);
    await checkTypes(folder);
  } else tally.leftOut('test runners, types, publint and attw', added.text);
  for (const version of NODES) await checkNode(version, { directory, folder, hasTools: added.isGood });
  await checkNode(OLD_22, { directory, folder, hasTools: false });
  await checkTooOld(directory, folder);
  for (const runner of RUNNERS) await checkRunner(runner, { tarball, directory });
  await checkWithoutLevelDb(tarball, directory);
  await checkTelemetry(tarball, directory, tally);
  const node = await nodeFromNpm('22', directory);
  if (typeof node === 'string') tally.leftOut('other installers', node);
  else await checkInstallers(tally, { tarball, directory, node });
}

async function packed(directory: string): Promise<string | undefined> {
  const { isGood, text, stdout } = await run(
    'npm',
    ['pack', '--json', '--pack-destination', directory],
    ROOT,
  );
  tally.add('npm pack', isGood, text);
  if (!isGood) return undefined;
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[\n')));
  tally.limit('files in the tarball', files.length, MOST_FILES);
  return join(directory, filename);
}

async function writeConsumer(folder: string): Promise<void> {
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
}

async function isInstalled(tarball: string, folder: string): Promise<boolean> {
  const { isGood, text, stderr } = await run('npm', ['install', tarball], folder);
  tally.add('npm install', isGood, text);
  if (!isGood) return false;
  const warnings = stderr
    .split('\n')
    .filter((line) => /^npm warn/i.test(line) && !MACHINE_WARNING.test(line));
  const others = warnings.filter((line) => !SCRIPT_WARNING.test(line));
  tally.add('nothing npm warns of', others.length === 0, others.join('\n'));
  if (others.length < warnings.length)
    console.log('  npm asks to approve the install script of classic-level');
  const { packages } = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
  tally.limit('packages installed', Object.keys(packages).length, MOST_PACKAGES);
  const bytes = await bytesOf(join(folder, 'node_modules'));
  tally.limit('megabytes installed', Math.ceil(bytes / 1e6), MOST_MEGABYTES);
  return true;
}

async function bytesOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function checkManifest(tarball: string, folder: string): Promise<void> {
  const publint = await run('npx', ['publint', 'run', tarball, '--strict'], folder);
  tally.add('publint', publint.isGood && !/warning|suggestion/i.test(publint.text), publint.text);
  const attw = await run('npx', ['attw', tarball, '--exclude-entrypoints', ...NO_MODULES], folder);
  tally.add('attw', attw.isGood, attw.text);
}

/** The declarations are checked, too (`skipLibCheck false`), by a program that has no types of Node. */
async function checkTypes(folder: string): Promise<void> {
  const compilers = [
    { major: 5, tsc: 'node_modules/typescript/bin/tsc' },
    { major: 7, tsc: join(ROOT, 'node_modules/typescript/bin/tsc') },
  ] as const;
  for (const { major, tsc } of compilers) {
    for (const { module, resolution, programs } of moduleModes(major)) {
      // TypeScript 7 no longer lets it be off.
      for (const interop of major === 5 ? [false, true] : [true]) {
        const compilerOptions = {
          noEmit: true,
          strict: true,
          target: 'es2022',
          types: [],
          skipLibCheck: false,
          module,
          moduleResolution: resolution,
          esModuleInterop: interop,
        };
        await writeFile(join(folder, PROJECT), JSON.stringify({ compilerOptions, files: programs }));
        const { isGood, text } = await run(process.execPath, [tsc, '-p', PROJECT], folder);
        tally.add(`TypeScript ${major}, ${module}, ${resolution}, esModuleInterop ${interop}`, isGood, text);
      }
    }
  }
}

/** The tests of the docs with one version of a test runner, and tests that must fail. */
async function checkRunner(
  { name, kind, folder: own, tool, node: range, words }: (typeof RUNNERS)[number],
  { tarball, directory }: { readonly tarball: string; readonly directory: string },
): Promise<void> {
  const node = await nodeFromNpm(range, directory);
  if (typeof node === 'string') return tally.leftOut(name, node);
  const folder = join(directory, `runner-${name.replace(/\W+/g, '-')}`);
  await writeConsumer(folder);
  const tools = tool === undefined ? [] : [tool];
  const added = await run('npm', ['install', tarball, ...tools, '@azure/service-bus'], folder, node.env);
  if (!added.isGood) return tally.leftOut(name, added.text);
  const files = await readdir(join(folder, own));
  const given = (from: string, names: readonly string[]) =>
    kind === 'node:test' || kind === 'mocha' ? names.map((file) => `${from}/${file}`) : [from];
  const good = await run(node.path, [...words, ...given(own, files)], folder, node.env);
  tally.add(`${name}, Node ${node.version}, the tests of the docs`, good.isGood, good.text);
  const { file = '', text = '' } = FAILING[kind] ?? {};
  await mkdir(join(folder, 'failing'));
  await writeFile(join(folder, 'failing', file), text);
  const bad = await run(node.path, [...words, ...given('failing', [file])], folder, node.env);
  const lacking = FAILED.filter((one) => !bad.text.includes(one));
  const isBad = !bad.isGood && lacking.length === 0;
  tally.add(`${name}, Node ${node.version}, what fails says why`, isBad, `lacks ${lacking}\n${bad.text}`);
}

type Consumer = { readonly directory: string; readonly folder: string; readonly hasTools: boolean };

async function checkNode(range: string, { directory, folder, hasTools }: Consumer): Promise<void> {
  const node = await nodeFromNpm(range, directory);
  if (typeof node === 'string') return tally.leftOut(`Node ${range}`, node);
  const { env } = node;
  for (const { name, words } of hasTools ? TEST_RUNNERS : []) {
    const { isGood, text } = await run(node.path, words, folder, env);
    tally.add(`Node ${node.version}, ${name}`, isGood, text);
  }
  const { isGood, text, stdout } = await run('npx', ['jitney', '--version'], folder, env);
  const isVersion = isGood && /^\d+\.\d+\.\d+\n$/.test(stdout);
  tally.add(`Node ${node.version}, npx jitney --version`, isVersion, text);
  const problem = await problemOfStart(folder, env);
  tally.add(`Node ${node.version}, npx jitney`, problem === undefined, problem);
}

/** Starts it in a directory of its own, asks for its health, and stops it as a shell does. */
async function problemOfStart(
  folder: string,
  env: Record<string, string> = {},
  text = 'Data          /',
): Promise<string | undefined> {
  const words = ['jitney', '--port', '0', '--http-port', '0'];
  const started = new RunningProcess(words, { command: 'npx', workingDirectory: folder, env });
  try {
    await started.printed('Successfully Up!', READY_MS);
    if (!started.output.includes(text)) return `no '${text}' in ${started.output}`;
    const health = started.output.match(/http:\/\/\S+\/health/)?.[0] ?? '';
    const { status } = await fetch(health);
    started.signal('SIGTERM');
    await started.exited;
    return status === 200 ? undefined : `${health} answered ${status}`;
  } catch (error) {
    started.signal('SIGKILL');
    return String(error);
  }
}

async function checkTooOld(directory: string, folder: string): Promise<void> {
  const node = await nodeFromNpm(TOO_OLD, directory);
  if (typeof node === 'string') return tally.leftOut(`Node ${TOO_OLD}`, node);
  const { isGood, stderr } = await run(node.path, ['node_modules/jitney/dist/cli/main.js'], folder);
  const isTold = !isGood && /^✖ JIT1006 .*\n$/.test(stderr);
  tally.add(`Node ${node.version} is refused in one sentence`, isTold, stderr);
}

/** As `npm install --omit=optional` leaves it, and on a system for which LevelDB has no native part. */
async function checkWithoutLevelDb(tarball: string, directory: string): Promise<void> {
  const folder = join(directory, 'without');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const alone = await run('npm', ['install', '--omit=optional', tarball], folder);
  tally.add('npm install --omit=optional', alone.isGood, alone.text);
  await checkInMemory(folder, 'without level', 'npm install level@10');
  const added = await run('npm', ['install', '--include=optional', tarball], folder);
  tally.add('npm install --include=optional', added.isGood, added.text);
  await rm(join(folder, 'node_modules/classic-level/prebuilds'), { recursive: true });
  await checkInMemory(folder, 'without a native part', 'npm rebuild classic-level');
}

/** Without a directory it runs in memory and warns once; a named one is refused. */
async function checkInMemory(folder: string, how: string, remedy: string): Promise<void> {
  const problem = await problemOfStart(folder, {}, `JIT4009 Everything is kept in memory`);
  tally.add(`${how}, npx jitney runs in memory and says so`, problem === undefined, problem);
  const refused = await run('npx', ['jitney', '--data', 'data', '--port', '0', '--http-port', '0'], folder);
  const isTold = /^✖ JIT4009 /.test(refused.stderr) && refused.stderr.includes(remedy);
  tally.add(`${how}, npx jitney --data is refused: ${remedy}`, !refused.isGood && isTold, refused.text);
}
