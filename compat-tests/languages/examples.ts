// Runs the example of a language with its tests: the commands that `examples/README.md` prints, in a copy of the examples.

import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PROJECT } from '../support/documentation.js';
import { markdownBlocks } from '../support/markdown-blocks.js';
import { RunningProcess } from '../support/running-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { type Language, lastLines } from './language.js';
import type { Outcome } from './program.js';

/** The name of the outcome among those of the scenarios. */
export const EXAMPLE = 'example';

const EXAMPLES = join(PROJECT, 'examples');
/** What earlier runs of a reader have left in the folder. */
const NOT_COPIED = ['node_modules', '.venv', '__pycache__', '.pytest_cache', 'bin', 'obj', 'target'];
/** The first run of Maven and .NET downloads everything. */
const RUN_LIMIT_MS = 900_000;
/** Enough for the report of a failed test, which some runners print far above their last line. */
const LINES_SHOWN = 60;
/** One for the program, and one for all its tests. */
const MOST_EMULATORS = 2;
/** The tests of these examples are run once more under `jitney exec`, whose emulator they must use. */
const ALSO_UNDER_EXEC = ['go', 'python'];
/** Jitney looks every 300 ms whether the npx that started it is still there. */
const STOP_LIMIT_MS = 10_000;
const POLL_MS = 50;
const STARTED = /Successfully Up.* sb:\/\/localhost:(\d+)/g;

/** undefined: the language has no example. `program` is the `dist/cli/main.js` of another build. */
export async function runExample(language: Language, program?: string): Promise<Outcome | undefined> {
  const { example } = language.description;
  if (example === undefined) return undefined;
  const missing = await language.findMissing();
  if (missing !== undefined) return { kind: 'left-out', why: missing };
  const { commands, printed } = await readExample(example);
  await using directory = await temporaryDirectory();
  await copyExamples(directory.path, program);
  const run = async (words: string, { printing, most }: { printing: string; most: number }) => {
    const logFile = join(directory.path, `jitney-${most}.log`);
    const shell = new RunningProcess(['-e', '-c', words], {
      command: 'sh',
      env: { ...language.env, JITNEY_LOG_FILE: logFile },
      workingDirectory: directory.path,
    });
    const exit = await shell.endedWithin(RUN_LIMIT_MS);
    if (exit?.code !== 0) return failed(lastLines(shell.output, LINES_SHOWN));
    if (!shell.stdout.includes(printing)) {
      return failed(`expected these lines:\n${printing}\nsaw:\n${shell.stdout}`);
    }
    return await checkEmulators(logFile, most);
  };
  const outcome = await run(commands, { printing: printed, most: MOST_EMULATORS });
  if (outcome.kind !== 'passed' || !ALSO_UNDER_EXEC.includes(example)) return outcome;
  return await run(testsUnderExec(commands), { printing: '', most: 1 });
}

/** The commands without the program, and with the tests, which are the last line, under `jitney exec`. */
function testsUnderExec(commands: string): string {
  const lines = commands.trimEnd().split('\n');
  const before = lines.slice(0, -1).filter((line) => !line.startsWith('npx jitney exec'));
  const tests = `npx jitney exec --config ../Config.json --namespaces auto -- ${lines.at(-1)}`;
  return [...before, tests].join('\n');
}

function failed(why: string): Outcome {
  return { kind: 'failed', why };
}

/** The commands of an example, and what the program prints, as the page says. */
export async function readExample(folder: string): Promise<{ commands: string; printed: string }> {
  const blocks = markdownBlocks(await readFile(join(EXAMPLES, 'README.md'), 'utf8'));
  const commands = blocks.find(({ text }) => text.startsWith(`cd examples/${folder}\n`))?.text;
  const printed = blocks.find(({ language }) => language === 'text')?.text;
  if (commands === undefined || printed === undefined) {
    throw new Error(`examples/README.md does not say how ${folder} is run, or what it prints`);
  }
  return { commands, printed };
}

/** Passes if the tests shared one emulator, and none is left. */
async function checkEmulators(logFile: string, most: number): Promise<Outcome> {
  const log = await readFile(logFile, 'utf8').catch(() => '');
  const ports = Array.from(log.matchAll(STARTED), ([, port]) => port);
  if (ports.length === 0 || ports.length > most) {
    return failed(`${ports.length} emulators were started, and at most ${most} should be:\n${log}`);
  }
  const deadline = Date.now() + STOP_LIMIT_MS;
  for (const port of ports) {
    while (await answers(`http://localhost:${port}/health`)) {
      if (Date.now() > deadline) return failed(`the emulator was not stopped:\n${log}`);
      await delay(POLL_MS);
    }
  }
  return { kind: 'passed' };
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

/** A clone with the examples alone, after `npm ci` and the `npm install` of the page. */
async function copyExamples(clone: string, program = join(PROJECT, 'dist/cli/main.js')): Promise<void> {
  const filter = (source: string) => !NOT_COPIED.includes(basename(source));
  await cp(EXAMPLES, join(clone, 'examples'), { recursive: true, filter });
  await symlink(join(PROJECT, 'node_modules'), join(clone, 'node_modules'));
  const modules = join(clone, 'examples/node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await symlink(resolve(dirname(program), '../..'), join(modules, 'jitney'));
  await symlink('../jitney/dist/cli/main.js', join(modules, '.bin/jitney'));
}
