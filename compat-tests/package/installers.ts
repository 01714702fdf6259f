// The package with other installers than npm, and with Bun and Deno in place of Node: each installs it, keeps a message and receives it.

import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NodeFromNpm } from './node-from-npm.js';
import { run, type Tally } from './steps.js';

const PROGRAMS = fileURLToPath(new URL('programs', import.meta.url));
const COMMAND = 'node_modules/jitney/dist/cli/main.js';

type Installer = {
  readonly name: string;
  /** The package of npm that has its program, which is named like the last word here. */
  readonly from: readonly [range: string, program: string];
  readonly files?: Readonly<Record<string, string>>;
  /** Arguments of the program. The last two run a file with Node, and the command `jitney`. */
  readonly install: readonly string[];
  readonly node?: readonly string[];
  readonly command: readonly string[];
};

const BERRY = 'enableTelemetry: false\nenableGlobalCache: false\nenableImmutableInstalls: false\n';
const INSTALLERS: readonly Installer[] = [
  {
    name: 'npm --ignore-scripts',
    from: ['npm', 'npm'],
    install: ['install', '--ignore-scripts'],
    command: ['exec', 'jitney', '--'],
  },
  {
    name: 'pnpm',
    from: ['pnpm', 'pnpm'],
    // Without an answer to this question, an install fails at its end.
    files: { 'pnpm-workspace.yaml': 'allowBuilds:\n  classic-level: false\n' },
    install: ['install'],
    command: ['exec', 'jitney'],
  },
  {
    name: 'Yarn 1',
    from: ['yarn@1', 'yarn'],
    install: ['install', '--ignore-engines'],
    command: ['--silent', 'jitney'],
  },
  {
    name: 'Yarn, node_modules',
    from: ['@yarnpkg/cli-dist', 'yarn'],
    files: { 'yarn.lock': '', '.yarnrc.yml': `${BERRY}nodeLinker: node-modules\n` },
    install: ['install'],
    command: ['jitney'],
  },
  {
    name: "Yarn, Plug'n'Play",
    from: ['@yarnpkg/cli-dist', 'yarn'],
    files: { 'yarn.lock': '', '.yarnrc.yml': `${BERRY}nodeLinker: pnp\n` },
    install: ['install'],
    node: ['node'],
    command: ['jitney'],
  },
  { name: 'Bun', from: ['bun', 'bun'], install: ['install'], command: ['x', 'jitney'] },
];
/** Programs that run JavaScript in place of Node, with the arguments before a file. */
const RUNTIMES: readonly (readonly [name: string, ...words: string[]])[] = [
  ['bun'],
  ['deno', 'run', '--allow-all', '--node-modules-dir=manual'],
];

type Consumer = { readonly tarball: string; readonly directory: string; readonly node: NodeFromNpm };

export async function checkInstallers(tally: Tally, consumer: Consumer): Promise<void> {
  for (const installer of INSTALLERS) await checkInstaller(tally, installer, consumer);
  for (const [name, ...words] of RUNTIMES) await checkRuntime(tally, name, words, consumer);
}

async function checkInstaller(
  tally: Tally,
  { name, from, files = {}, install, node: before, command }: Installer,
  { tarball, directory, node }: Consumer,
): Promise<void> {
  const program = await programFromNpm(from, directory);
  if (program === undefined) return tally.leftOut(name, `npm has no ${from[0]}`);
  const folder = await writeProject(
    join(directory, `installed-${name.replace(/\W+/g, '-')}`),
    tarball,
    files,
  );
  const env = { ...node.env, ...ownFolders(directory) };
  const installed = await run(program, install, folder, env);
  tally.add(`${name}, install`, installed.isGood, installed.text);
  if (!installed.isGood) return;
  const kept = before
    ? await run(program, [...before, 'kept.mjs'], folder, env)
    : await run(node.path, ['kept.mjs'], folder, env);
  tally.add(`${name}, a message is kept and received`, kept.stdout.includes('received kept'), kept.text);
  const version = await run(program, [...command, '--version'], folder, env);
  tally.add(`${name}, jitney --version`, /^\d+\.\d+\.\d+$/m.test(version.stdout), version.text);
}

/** On an install of npm: as a program that starts the emulator, as a client, and as what runs the command line. */
async function checkRuntime(
  tally: Tally,
  name: string,
  words: readonly string[],
  { tarball, directory, node }: Consumer,
): Promise<void> {
  const program = await programFromNpm([name, name], directory);
  if (program === undefined) return tally.leftOut(name, `npm has no ${name}`);
  const folder = await writeProject(join(directory, `runtime-${name}`), tarball);
  const installed = await run('npm', ['install'], folder, node.env);
  if (!installed.isGood) return tally.leftOut(name, installed.text);
  const env = { ...node.env, ...ownFolders(directory) };
  const exec = ['exec', '--queue', 'orders', '--'];
  const kept = await run(program, [...words, 'kept.mjs'], folder, env);
  tally.add(`${name} starts the emulator`, kept.stdout.includes('received kept'), kept.text);
  const client = await run(node.path, [COMMAND, ...exec, program, ...words, 'client.mjs'], folder, env);
  tally.add(`${name} is a client`, client.stdout.includes('received from a client'), client.text);
  const command = await run(program, [...words, COMMAND, ...exec, node.path, 'client.mjs'], folder, env);
  tally.add(`${name} runs the command line`, command.stdout.includes('received from a client'), command.text);
}

/** Undefined if npm cannot install it here. */
async function programFromNpm(
  [range, program]: Installer['from'],
  directory: string,
): Promise<string | undefined> {
  const folder = join(directory, `program-${range.replace(/\W+/g, '-')}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const { isGood } = await run('npm', ['install', range], folder);
  return isGood ? join(folder, 'node_modules/.bin', program) : undefined;
}

async function writeProject(
  folder: string,
  tarball: string,
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  await mkdir(folder);
  const dependencies = { jitney: `file:${tarball}`, '@azure/service-bus': '^7.9.5' };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  for (const name of ['kept.mjs', 'client.mjs']) await copyFile(join(PROGRAMS, name), join(folder, name));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

/** The installers keep what they load there, and not in the home of whoever runs this. */
function ownFolders(directory: string): Record<string, string> {
  const kept = join(directory, 'kept-by-installers');
  return { XDG_CACHE_HOME: kept, XDG_DATA_HOME: kept, XDG_STATE_HOME: kept, BUN_INSTALL_CACHE_DIR: kept };
}
