// A folder in which a reader of the docs types what they print: the package and the SDKs installed, and `npm`, `npx` and `curl` at hand.

import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { PROJECT } from './documentation.js';
import { type ProcessExit, RunningProcess } from './running-process.js';
import { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.js';

const JITNEY = join(PROJECT, 'dist/cli/main.js');

/** `npm ci` and `npm test` have succeeded as far as this folder is concerned. */
const NPM = `#!/bin/sh
[ "$1" = ci ] || [ "$1" = test ]
`;
const NPX = `#!/bin/sh
[ "$1" = jitney ] && shift && exec '${process.execPath}' '${JITNEY}' "$@"
exit 1
`;
/** Prints the options of a start, one a line, instead of starting. */
const NPM_THAT_PRINTS = `#!/bin/sh
[ "$1" = start ] || exit 0
shift
[ "$1" = -- ] && shift
printf 'start\\n'
printf '%s\\n' "$@"
`;
const NPX_THAT_PRINTS = `#!/bin/sh
shift
printf 'start\\n'
printf '%s\\n' "$@"
`;
/** Makes curl exit with an error for an HTTP status from 400 on. */
const CURL_SETTINGS = 'fail\n';

export type ShellResult = {
  readonly exit: ProcessExit | undefined;
  readonly stdout: string;
  readonly output: string;
};

export class ReaderFolder implements AsyncDisposable {
  readonly path: string;
  readonly #directory: TemporaryDirectory;

  private constructor(directory: TemporaryDirectory) {
    this.#directory = directory;
    this.path = directory.path;
  }

  static async create(): Promise<ReaderFolder> {
    const folder = new ReaderFolder(await temporaryDirectory());
    await folder.#link('node_modules/jitney', '.');
    await folder.#link('node_modules/vitest', 'node_modules/vitest');
    await folder.#link('node_modules/@azure/service-bus', 'node_modules/@azure/service-bus');
    await folder.#link('beta/node_modules/@azure/service-bus', 'node_modules/service-bus-beta');
    await folder.#program('bin/npm', NPM);
    await folder.#program('bin/npx', NPX);
    await folder.#program('printing/npm', NPM_THAT_PRINTS);
    await folder.#program('printing/npx', NPX_THAT_PRINTS);
    await folder.write('.curlrc', CURL_SETTINGS);
    return folder;
  }

  async write(file: string, text: string): Promise<void> {
    const path = join(this.path, file);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, text);
  }

  /** Runs a shell block to its end, with `npx jitney` as where the package is installed. */
  async runShell(
    text: string,
    environment: Readonly<Record<string, string>>,
    limitMs: number,
  ): Promise<ShellResult> {
    const shell = new RunningProcess(['-e', '-c', text], {
      command: 'sh',
      env: { ...this.environment('bin'), ...environment },
      workingDirectory: this.path,
    });
    const exit = await shell.endedWithin(limitMs);
    return { exit, stdout: shell.stdout, output: shell.output };
  }

  /** The options that the shell passes to `npm start` or `npx jitney` in a block that does nothing else. */
  async optionsOfStart(text: string): Promise<string[]> {
    const shell = new RunningProcess(['-e', '-c', text], {
      command: 'sh',
      env: this.environment('printing'),
    });
    await shell.exited;
    const [start, ...options] = shell.stdout.trimEnd().split('\n');
    if (start !== 'start' || options.includes('start'))
      throw new Error(`not one start:\n${text}${shell.output}`);
    return options.filter((option) => option !== '');
  }

  /** A home of its own, so that no file of the user's is read or changed. */
  environment(programs: 'bin' | 'printing' = 'bin'): Record<string, string> {
    return { PATH: `${join(this.path, programs)}${delimiter}${process.env.PATH}`, HOME: this.path };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#directory[Symbol.asyncDispose]();
  }

  async #link(name: string, target: string): Promise<void> {
    const path = join(this.path, name);
    await mkdir(join(path, '..'), { recursive: true });
    await symlink(join(PROJECT, target), path);
  }

  async #program(name: string, text: string): Promise<void> {
    await this.write(name, text);
    await chmod(join(this.path, name), 0o755);
  }
}
