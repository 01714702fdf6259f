// Runs the `jitney` command: hands its words to the program, and the process's signals, streams and exit code with them.

import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { MOUNTED_CONFIG_FILE } from './config-choice.js';
import { whenOrphaned } from './orphaned.js';
import { writeTo } from './output.js';
import { runProgram } from './program.js';
import type { StartContext } from './start-command.js';
import { onStopSignal } from './stop-signals.js';

const mountedConfigFile = MOUNTED_CONFIG_FILE;
const STOP_LIMIT_MS = 2000;

const { version }: { version: string } = createRequire(import.meta.url)('jitney/package.json');
const streams = {
  environment: process.env,
  stdout: writeTo(process.stdout),
  stderr: writeTo(process.stderr),
};

const startEmulator: StartContext['startEmulator'] = async (options) =>
  (await import('../emulator.js')).startEmulator(options);

const loadAskRunning = async () => (await import('./running-authority.js')).askRunning;

// Each command is loaded when it is run, and the emulator only by the one that starts it: help and health checks are quick.
const exitCode = await runProgram(process.argv.slice(2), {
  ...streams,
  version,
  start: async (flags) => {
    const stopAsked = onStopSignal(process, (code) => process.exit(code));
    const { runStart } = await import('./start-command.js');
    return runStart(flags, {
      ...streams,
      version,
      startEmulator,
      mountedConfigFile,
      stopAsked: Promise.race([stopAsked, whenOrphaned(process.env, () => process.ppid)]),
      stopOverdue: () => sleep(STOP_LIMIT_MS),
      elapsedMs: () => performance.now(),
    });
  },
  config: async (flags, isJson) => {
    const { runConfig } = await import('./config-command.js');
    return runConfig(flags, { ...streams, mountedConfigFile, isJson, startEmulator });
  },
  certs: async (flags, isJson) => {
    const { runCerts } = await import('./certs-command.js');
    return runCerts(flags, { ...streams, askRunning: await loadAskRunning(), isJson });
  },
  env: async (flags, format) => {
    const { runEnv } = await import('./env-command.js');
    return runEnv(flags, { ...streams, askRunning: await loadAskRunning(), format });
  },
  validate: async (files, flags) => {
    const { runValidate } = await import('./validate-command.js');
    const readInput = async () => Buffer.concat(await process.stdin.toArray());
    return runValidate(files, flags, { ...streams, readInput, startEmulator });
  },
  healthcheck: async (flags) => {
    const { runHealthcheck } = await import('./healthcheck-command.js');
    return runHealthcheck(flags, streams);
  },
});
// Not before everything is written: on Windows a pipe is written to later.
process.stderr.write('', () => process.stdout.write('', () => process.exit(exitCode)));
