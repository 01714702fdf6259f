// Runs the `jitney` command with the arguments, streams, signals and exit code of this process.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Flags } from '../config/environment.js';
import type { CopyRequest } from './copy/copy-commands.js';
import type { MessageRequest } from './messages/message-commands.js';
import { outputFailure, printError } from './output/error-report.js';
import { printTo, whenReaderGone, writeTo } from './output/output.js';
import { runProgram } from './program.js';
import { MOUNTED_CONFIG_FILE, type StartEmulator } from './start/emulator-start.js';
import { EXIT_CODES, onStopSignal, whenOrphaned } from './start/stop-requests.js';

const mountedConfigFile = MOUNTED_CONFIG_FILE;
const STOP_LIMIT_MS = 2000;
/** Late enough not to take the processor from the first client, and to include the code that it has run. */
const STORE_AFTER_MS = 1000;

/** Looks for files and a variable of Docker, podman and Kubernetes. */
function isInContainer(): boolean {
  const isMarked = ['/.dockerenv', '/run/.containerenv'].some((path) => existsSync(path));
  return isMarked || process.env.KUBERNETES_SERVICE_HOST !== undefined;
}

const { version }: { version: string } = createRequire(import.meta.url)('jitney/package.json');
/** Sends signal 0, which only asks whether the process exists. A process of another user refuses it with EPERM. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

let isOutputLost = false;
const stderr = writeTo(process.stderr, () => {
  isOutputLost = true;
});
/** Whether the command itself reports, at the end of its work, that its output cannot be written. */
let isFailureTaken = false;
const stdout = writeTo(process.stdout, (error) => {
  isOutputLost = true;
  if (!isFailureTaken) printError(outputFailure(error), undefined, { stderr });
});
const streams = { environment: process.env, stdout, stderr };

const startEmulator: StartEmulator = async (options) =>
  (await import('../emulator.js')).startEmulator(options);

const readInput = async () => Buffer.concat(await process.stdin.toArray());

const loadAskRunning = async () => (await import('./control/running-authority.js')).askRunning;

/** Runs the command and ends the process. `storeCompiled` stores the program's compiled code for later starts. */
export async function runCommandLine(storeCompiled: () => void): Promise<void> {
  // Each command is loaded when it runs, and the emulator only when one starts, so that help and health checks are quick.
  const exitCode = await runProgram(process.argv.slice(2), {
    ...streams,
    version,
    start: (flags) => start(flags, storeCompiled),
    config: async (flags, isJson) => {
      const { runConfig } = await import('./start/config-command.js');
      return runConfig(flags, { ...streams, mountedConfigFile, isJson, startEmulator });
    },
    certs: async (flags, isJson) => {
      const { runCerts } = await import('./files/certs-command.js');
      return runCerts(flags, { ...streams, askRunning: await loadAskRunning(), isJson });
    },
    env: async (flags, format, credential) => {
      const { runEnv } = await import('./files/env-command.js');
      return runEnv(flags, { ...streams, askRunning: await loadAskRunning(), format, credential });
    },
    validate: async (files, flags) => {
      const { runValidate } = await import('./files/validate-command.js');
      return runValidate(files, flags, { ...streams, readInput, startEmulator });
    },
    check: async (directory, flags) => {
      const { runCheck } = await import('./files/check-command.js');
      return runCheck(directory, flags, { ...streams, isTerminal: process.stderr.isTTY });
    },
    control: async (command, flags) => {
      const { runControl } = await import('./control/run-control.js');
      const whenSignalled = async () => EXIT_CODES[await onStopSignal(process, (code) => process.exit(code))];
      return runControl(command, flags, {
        ...streams,
        askRunning: await loadAskRunning(),
        isTerminal: process.stderr.isTTY,
        readAnswer,
        whenEnded: () => Promise.race([whenSignalled(), whenReaderGone(process.stdout).then(() => 0)]),
        sleep,
      });
    },
    healthcheck: async (flags) => {
      const { runHealthcheck } = await import('./control/healthcheck-command.js');
      return runHealthcheck(flags, { ...streams, now: Date.now, sleep, isRunning });
    },
    messages,
    copy,
  });
  // Exit only when everything is written: on Windows a pipe is written asynchronously.
  const finalCode = () => (exitCode === 0 && isOutputLost ? 1 : exitCode);
  process.stderr.write('', () => process.stdout.write('', () => process.exit(finalCode())));
}

async function start(flags: Flags, storeCompiled: () => void): Promise<number> {
  const stopRequested = onStopSignal(process, (code) => process.exit(code));
  const { runStart } = await import('./start/start-command.js');
  let hasStarted = false;
  const exitCode = await runStart(flags, {
    ...streams,
    version,
    startEmulator: async (options) => {
      const emulator = await startEmulator(options);
      hasStarted = true;
      setTimeout(storeCompiled, STORE_AFTER_MS).unref();
      return emulator;
    },
    mountedConfigFile,
    stopRequested: Promise.race([stopRequested, whenOrphaned(process.env, () => process.ppid)]),
    stopOverdue: () => sleep(STOP_LIMIT_MS),
    elapsedMs: () => performance.now(),
    isInContainer: isInContainer(),
    isTerminal: process.stdout.isTTY,
  });
  // The process may have stopped before the timer. A refused start stores nothing, because it has not compiled all that a start needs.
  if (hasStarted) storeCompiled();
  return exitCode;
}

async function copy(request: CopyRequest): Promise<number> {
  const { runCopy } = await import('./copy/run-copy.js');
  const { signal, codeOf } = interruption();
  const code = await runCopy(request, {
    ...streams,
    askRunning: await loadAskRunning(),
    interrupted: signal,
    now: Date.now,
    isTerminal: process.stderr.isTTY,
    readAnswer,
  });
  return codeOf(code);
}

/** Resolves with the next line of standard input; empty at its end. */
async function readAnswer(): Promise<string> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) return line;
  return '';
}

/** Aborts at the first signal to stop. `codeOf` makes the exit code of an interrupted command the one of that signal. */
function interruption(): { readonly signal: AbortSignal; readonly codeOf: (code: number) => number } {
  const interrupted = new AbortController();
  let signalCode: number | undefined;
  void onStopSignal(process, (code) => process.exit(code)).then((signal) => {
    signalCode = EXIT_CODES[signal];
    interrupted.abort();
  });
  return {
    signal: interrupted.signal,
    codeOf: (code) => (code === EXIT_CODES.SIGINT ? (signalCode ?? code) : code),
  };
}

async function messages(request: MessageRequest): Promise<number> {
  const { runMessageCommand } = await import('./messages/run-message-command.js');
  const { signal, codeOf } = interruption();
  const code = await runMessageCommand(request, {
    ...streams,
    print: printTo(process.stdout, (error) => {
      isFailureTaken = true;
      return outputFailure(error);
    }),
    openInput: () => process.stdin,
    askRunning: await loadAskRunning(),
    interrupted: signal,
    now: Date.now,
  });
  return codeOf(code);
}
