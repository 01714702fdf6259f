// Runs the fixture of a language, which `docs/testing-languages.md` prints, as a reader does: copied into a folder with the package, by its own test runner.

import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PROJECT } from '../support/documentation.js';
import { RunningProcess } from '../support/running-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { Language, lastLines } from './language.js';
import type { Outcome } from './program.js';

/** The name of the outcome among those of the scenarios. */
export const FIXTURE = 'fixture';

/** The first run of Maven and .NET downloads everything. */
const RUN_LIMIT_MS = 900_000;
/** Jitney looks every 300 ms whether the npx that started it is still there. */
const STOP_LIMIT_MS = 10_000;
const POLL_MS = 50;
const STARTED = /Successfully Up.* sb:\/\/localhost:(\d+)/g;

/** undefined: the language has no fixture. `program` is the `dist/cli/main.js` of another build. */
export async function runFixture(language: Language, program?: string): Promise<Outcome | undefined> {
  const source = join(language.folder, FIXTURE);
  if (!existsSync(source)) return undefined;
  await using directory = await temporaryDirectory();
  const folder = join(directory.path, 'project');
  await cp(source, folder, { recursive: true });
  // Not in the project itself, whose build would take what lies there for its own.
  await installPackage(directory.path, program);
  const fixture = new Language(folder);
  const missing = await fixture.findMissing();
  if (missing !== undefined) return { kind: 'left-out', why: missing };
  try {
    await fixture.install();
  } catch (error) {
    return { kind: 'failed', why: error instanceof Error ? error.message : String(error) };
  }
  return await runTests(fixture, join(directory.path, 'jitney.log'));
}

/** Passes if the tests do, and the emulator that they started is gone afterwards. */
async function runTests(fixture: Language, logFile: string): Promise<Outcome> {
  const [command = '', ...rest] = fixture.run;
  const tests = new RunningProcess(rest, {
    command,
    env: { ...fixture.env, JITNEY_LOG_FILE: logFile },
    workingDirectory: fixture.folder,
  });
  const exit = await tests.endedWithin(RUN_LIMIT_MS);
  if (exit?.code !== 0) return { kind: 'failed', why: lastLines(tests.output) };
  const log = await readFile(logFile, 'utf8').catch(() => '');
  const ports = Array.from(log.matchAll(STARTED), ([, port]) => port);
  if (ports.length !== 1) return { kind: 'failed', why: `${ports.length} emulators were started:\n${log}` };
  const deadline = Date.now() + STOP_LIMIT_MS;
  while (await isListening(Number(ports[0]))) {
    if (Date.now() > deadline) return { kind: 'failed', why: `the emulator was not stopped:\n${log}` };
    await delay(POLL_MS);
  }
  return { kind: 'passed' };
}

/** Whether there is a process with the port, also one that is halted and answers nothing. */
function isListening(port: number): Promise<boolean> {
  const socket = connect(port, 'localhost');
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}

/** What `npm install` of the package leaves, as far as npx looks for it. */
async function installPackage(folder: string, program = join(PROJECT, 'dist/cli/main.js')): Promise<void> {
  const bin = join(folder, 'node_modules/.bin');
  await mkdir(bin, { recursive: true });
  await symlink(resolve(dirname(program), '../..'), join(folder, 'node_modules/jitney'));
  await chmod(program, 0o755);
  await symlink('../jitney/dist/cli/main.js', join(bin, 'jitney'));
}
