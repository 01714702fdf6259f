// A temporary folder in which unmodified samples find the packages they import, and the running of one program in it.

import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RunningProcess } from '../support/running-process.js';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.js';
import type { SampleFile } from './sample-folder.js';
import { folderOf, OUR_PACKAGES, SDKS, type Sdk } from './sdk.js';

export type ProgramRun = {
  /** undefined: it was still running at its time limit. */
  readonly exitCode: number | null | undefined;
  /** It had done what was waited for, and would have gone on for ever. */
  readonly wasStopped: boolean;
  readonly output: string;
  readonly elapsedMs: number;
};

export type ProgramOptions = {
  /** The one it gets when it imports @azure/service-bus. */
  readonly sdk: Sdk;
  readonly env: Readonly<Record<string, string>>;
  readonly timeLimitMs: number;
  /** Asked now and then of what it has printed: whether it is to be stopped. */
  readonly isDone?: ((output: string) => boolean) | undefined;
};

const TYPESCRIPT_LOADER = pathToFileURL(join(OUR_PACKAGES, 'tsx/dist/loader.mjs')).href;
/** What the samples import, beside what is stood in for. */
const LINKED = ['@azure', 'ws', 'https-proxy-agent'] as const;
const WATCH_MS = 100;
/** Stands in for the `dotenv` package: the samples get their settings from the environment, not from a file. */
const DOTENV = {
  'package.json': '{ "name": "dotenv", "main": "index.js" }',
  'index.js': 'exports.config = () => ({ parsed: {} });',
  'config.js': '',
};

export async function createWorkspace(samples: readonly SampleFile[]): Promise<TemporaryDirectory> {
  const workspace = await temporaryDirectory();
  // Without "type": the official samples are CommonJS.
  await writeFile(join(workspace.path, 'package.json'), '{ "private": true }');
  const packages = join(workspace.path, 'node_modules');
  await mkdir(join(packages, 'dotenv'), { recursive: true });
  for (const [file, text] of Object.entries(DOTENV)) {
    await writeFile(join(packages, 'dotenv', file), text);
  }
  for (const name of LINKED) await symlink(join(OUR_PACKAGES, name), join(packages, name), 'junction');
  for (const sdk of SDKS) {
    const nearest = join(workspace.path, sdk, 'node_modules/@azure');
    await mkdir(nearest, { recursive: true });
    await symlink(folderOf(sdk), join(nearest, 'service-bus'), 'junction');
    for (const sample of samples) {
      const copy = pathInWorkspace(workspace, sample, sdk);
      await mkdir(dirname(copy), { recursive: true });
      await copyFile(sample.path, copy);
    }
  }
  return workspace;
}

export async function runProgram(
  workspace: TemporaryDirectory,
  sample: SampleFile,
  options: ProgramOptions,
): Promise<ProgramRun> {
  const loader = sample.ending === '.ts' ? ['--import', TYPESCRIPT_LOADER] : [];
  const startedAt = performance.now();
  const program = new RunningProcess([...loader, pathInWorkspace(workspace, sample, options.sdk)], {
    env: options.env,
    workingDirectory: workspace.path,
  });
  let wasStopped = false;
  const watching = setInterval(() => {
    if (options.isDone?.(program.output) !== true) return;
    wasStopped = program.isRunning;
    program.signal('SIGKILL');
    clearInterval(watching);
  }, WATCH_MS);
  const exit = await program.endedWithin(options.timeLimitMs);
  clearInterval(watching);
  const elapsedMs = performance.now() - startedAt;
  return { exitCode: exit?.code, wasStopped, output: program.output, elapsedMs };
}

function pathInWorkspace({ path }: TemporaryDirectory, { name, ending }: SampleFile, sdk: Sdk): string {
  return join(path, sdk, `${name}${ending}`);
}
