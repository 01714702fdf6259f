// Runs the `jitney` command with the arguments, streams, signals and exit code of this process.

import { existsSync, statSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Flags } from '../config/environment.js';
import { ownVersion } from '../config/package-file.js';
import type { ControlCommand } from './control/control-commands.js';
import type { AddressFlags } from './control/emulator-address.js';
import type { AskRunning } from './control/running-authority.js';
import type { ExecFlags } from './exec/exec-command.js';
import { paintFor, withPaintedMarks } from './output/colour.js';
import { outputFailure, printError } from './output/error-report.js';
import { printTo, whenReaderGone, writeTo } from './output/output.js';
import type { WatchFile } from './start/config-watch.js';
import { MOUNTED_CONFIG_FILE, type OpenImport, type StartEmulator } from './start/emulator-start.js';
import { whenInputEnds } from './start/standard-input.js';
import { flagsOfStart } from './start/start-flags.js';
import { EXIT_CODES, onStopSignal, STOP_SIGNALS, whenOrphaned } from './start/stop-requests.js';
import { typedAs } from './typed-as.js';

const version = ownVersion();
const mountedConfigFile = MOUNTED_CONFIG_FILE;
const STOP_LIMIT_MS = 2000;
const POLL_INTERVAL_MS = 300;
/** Late enough not to take the processor from the first client, and to include the code that it has run. */
const STORE_AFTER_MS = 1000;

/** Looks for files and a variable of Docker, podman and Kubernetes. */
function isInContainer(): boolean {
  const isMarked = ['/.dockerenv', '/run/.containerenv'].some((path) => existsSync(path));
  return isMarked || process.env.KUBERNETES_SERVICE_HOST !== undefined;
}

/** Sends signal 0, which only asks whether the process exists. A process of another user refuses it with EPERM. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

let isOutputLost = false;
const stderr = withPaintedMarks(
  writeTo(process.stderr, () => {
    isOutputLost = true;
  }),
  paintFor(process.stderr, process.env),
);
const paint = paintFor(process.stdout, process.env);
/** Whether the command itself reports, at the end of its work, that its output cannot be written. */
let isFailureTaken = false;
const stdout = writeTo(process.stdout, (error) => {
  isOutputLost = true;
  if (!isFailureTaken) printError(outputFailure(error), undefined, { stderr });
});
const print = printTo(process.stdout, (error) => {
  isFailureTaken = true;
  return outputFailure(error);
});
const context = {
  environment: process.env,
  stdout,
  stderr,
  print,
  paint,
  isTerminal: process.stderr.isTTY,
  readAnswer,
  readInput: async () => Buffer.concat(await process.stdin.toArray()),
  openInput: () => process.stdin,
  now: Date.now,
  sleep,
};

const startEmulator: StartEmulator = async (options) =>
  (await import('../emulator.js')).startEmulator(options);

const openImport: OpenImport = async (source, settings) => {
  const { openSource } = await import('./definitions/definition-source.js');
  const { signal: interrupted } = new AbortController();
  const { name, definitions } = await openSource(
    source,
    { flags: {}, settings },
    { ...context, interrupted, askRunning: await loadAskRunning() },
  );
  return { ...definitions, name };
};

const loadAskRunning = async () => (await import('./control/running-authority.js')).askRunning;

/** Runs the command and ends the process. `storeCompiled` stores the program's compiled code for later starts. */
export async function runCommandLine(storeCompiled: () => void): Promise<void> {
  const words = process.argv.slice(2);
  const flags = flagsOfStart(words);
  const exitCode = await (flags === undefined
    ? runCommand(words, storeCompiled)
    : start(flags, storeCompiled));
  // Exit only when everything is written: on Windows a pipe is written asynchronously.
  const finalCode = () => (exitCode === 0 && isOutputLost ? 1 : exitCode);
  process.stderr.write('', () => process.stdout.write('', () => process.exit(finalCode())));
}

/** Loads each command when it runs, and the emulator only when one starts, so that help and health checks are quick. */
async function runCommand(words: readonly string[], storeCompiled: () => void): Promise<number> {
  const { runProgram } = await import('./program.js');
  return runProgram(words, {
    stdout,
    stderr,
    version,
    start: (flags) => start(flags, storeCompiled),
    exec,
    config: async (flags, isJson) => {
      const { runConfig } = await import('./start/config-command.js');
      return runConfig(flags, { ...context, mountedConfigFile, isJson, startEmulator, openImport });
    },
    certs: async (flags, isJson) => {
      const { runCerts } = await import('./files/certs-command.js');
      return runCerts(flags, { ...context, askRunning: await loadAskRunning(), isJson });
    },
    env: async (flags, format, credential) => {
      const { runEnv } = await import('./files/env-command.js');
      return runEnv(flags, { ...context, askRunning: await loadAskRunning(), format, credential });
    },
    validate: async (files, flags) => {
      const { runValidate } = await import('./files/validate-command.js');
      return runValidate(files, flags, { ...context, startEmulator });
    },
    check: async (directory, flags) => {
      const { runCheck } = await import('./files/check-command.js');
      return runCheck(directory, flags, context);
    },
    control,
    healthcheck: async (flags) => {
      const { runHealthcheck } = await import('./control/healthcheck-command.js');
      return runHealthcheck(flags, { ...context, isRunning });
    },
    messages: async (request) => {
      const { runMessageCommand } = await import('./messages/run-message-command.js');
      return interruptible((more) => runMessageCommand(request, more));
    },
    definitions: async (request) => {
      const { runDefinitionCommand } = await import('./definitions/run-definition-command.js');
      return interruptible((more) => runDefinitionCommand(request, more));
    },
    copy: async (request) => {
      const { runCopy } = await import('./copy/run-copy.js');
      return interruptible((more) => runCopy(request, more));
    },
    entities: async (request) => {
      const { runEntityCommand } = await import('./entities/run-entity-command.js');
      const { confirmOn } = await import('./output/confirm.js');
      return interruptible((more) => {
        const { stdin: input, stderr: output } = process;
        const confirm = input.isTTY ? confirmOn({ input, output, interrupted: more.interrupted }) : undefined;
        return runEntityCommand(request, { ...more, confirm });
      });
    },
  });
}

/** Looks at the file again and again, because notices of the system do not come from every container and network drive. */
const pollFile: WatchFile = (path, onChange) => {
  const look = () => {
    const { mtimeMs, size, ino } = statSync(path, { throwIfNoEntry: false }) ?? {};
    return `${mtimeMs} ${size} ${ino}`;
  };
  // Not `watchFile` of Node: a change between the call and its first look is lost there.
  let seen = look();
  const timer = setInterval(() => {
    const now = look();
    if (now === seen) return;
    seen = now;
    onChange();
  }, POLL_INTERVAL_MS);
  return () => clearInterval(timer);
};

/** The surroundings of each start. */
const startSurroundings = () => ({
  environment: process.env,
  stdout,
  stderr,
  version,
  typedAs: typedAs(process.argv[1] ?? '', process.env, process.cwd()),
  startEmulator,
  mountedConfigFile,
  openImport,
  watchFile: pollFile,
  openPage: async (url: string) => (await import('./start/open-page.js')).openPage(url),
  stopOverdue: () => sleep(STOP_LIMIT_MS),
  elapsedMs: () => performance.now(),
  isInContainer: isInContainer(),
  isTerminal: process.stdout.isTTY,
  paint,
});

const orphaned = () => whenOrphaned(process.env, () => process.ppid);

async function start(flags: Flags, storeCompiled: () => void): Promise<number> {
  const stopRequested = onStopSignal(process, (code) => process.exit(code));
  const { runStart } = await import('./start/start-command.js');
  let hasStarted = false;
  const exitCode = await runStart(flags, {
    ...startSurroundings(),
    startEmulator: async (options) => {
      const emulator = await startEmulator(options);
      hasStarted = true;
      setTimeout(storeCompiled, STORE_AFTER_MS).unref();
      return emulator;
    },
    stopRequested,
    starterEnded: orphaned(),
    whenInputEnds: () => whenInputEnds(process.stdin),
  });
  // The process may have stopped before the timer. A refused start stores nothing, because it has not compiled all that a start needs.
  if (hasStarted) storeCompiled();
  return exitCode;
}

async function exec(words: readonly string[], flags: ExecFlags): Promise<number> {
  const { runExec } = await import('./exec/exec-command.js');
  return runExec(words, flags, {
    ...startSurroundings(),
    askRunning: await loadAskRunning(),
    onSignal: (listener) => {
      for (const signal of STOP_SIGNALS) process.on(signal, listener);
      void orphaned().then(() => listener('SIGTERM'));
    },
    isInteractive: process.stdin.isTTY === true,
  });
}

async function control(command: ControlCommand, flags: AddressFlags): Promise<number> {
  const { isManaged } = await import('./control/control-commands.js');
  if (isManaged(command)) {
    const { runManage } = await import('./manage/run-manage.js');
    return interruptible((more) => runManage(command, flags, { ...more, whenEnded }));
  }
  const all = { ...context, whenEnded, askRunning: await loadAskRunning() };
  if (command.name === 'mcp') {
    const { runMcp } = await import('./mcp/run-mcp.js');
    return runMcp(command, flags, { ...all, version, input: process.stdin, output: process.stdout });
  }
  const { runControl } = await import('./control/run-control.js');
  return runControl(command, flags, all);
}

function whenEnded(): Promise<number> {
  const signalled = onStopSignal(process, (code) => process.exit(code)).then((signal) => EXIT_CODES[signal]);
  return Promise.race([signalled, whenReaderGone(process.stdout).then(() => 0)]);
}

/** Resolves with the next line of standard input; empty at its end. */
async function readAnswer(): Promise<string> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) return line;
  return '';
}

type Interruptible = typeof context & {
  readonly interrupted: AbortSignal;
  readonly askRunning: AskRunning;
};

/** Runs a command that ends its work itself when a signal comes. Resolves with its exit code, or with the one of the signal. */
async function interruptible(run: (context: Interruptible) => Promise<number>): Promise<number> {
  const interruption = new AbortController();
  let signalCode: number | undefined;
  void onStopSignal(process, (code) => process.exit(code)).then((signal) => {
    signalCode = EXIT_CODES[signal];
    interruption.abort();
  });
  const askRunning = await loadAskRunning();
  const code = await run({ ...context, interrupted: interruption.signal, askRunning });
  return code === EXIT_CODES.SIGINT ? (signalCode ?? code) : code;
}
