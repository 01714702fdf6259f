// `jitney exec` as far as its start: which ports its emulator takes.

import { expect, test } from 'vitest';
import { type ExecFlags, runExec } from '../../../src/cli/exec/exec-command.js';
import type { Environment } from '../../../src/config/environment.js';
import type { EmulatorOptions } from '../../../src/config/options/emulator-options.js';
import { JitneyError } from '../../../src/jitney-error.js';

/** The options that the emulator is started with. The start then fails, so that no command is run. */
async function optionsOf(flags: ExecFlags, environment: Environment = {}): Promise<Partial<EmulatorOptions>> {
  let given: Partial<EmulatorOptions> = {};
  const exitCode = await runExec(['true'], flags, {
    version: '1.2.3',
    environment,
    stdout: () => {},
    stderr: () => {},
    startEmulator: (options) => {
      given = options;
      return Promise.reject(new JitneyError('broken', 'enough'));
    },
    openImport: () => Promise.reject(new Error('Nothing is to be imported')),
    mountedConfigFile: '/none/Config.json',
    stopOverdue: () => new Promise(() => {}),
    elapsedMs: () => 1,
    askRunning: async () => ({ kind: 'none', why: 'this test has no emulator' }),
    onSignal: () => {},
    isInteractive: false,
  });
  expect(exitCode).not.toBe(0);
  return given;
}

test.each<[ExecFlags, object]>([
  [{}, { port: 0, tlsPort: 'off' }],
  [{ port: '5673' }, { port: 5673, tlsPort: 'off' }],
  [{ port: '5672' }, { port: 5672, tlsPort: 'ifFree' }],
  [
    { port: '5672', noTls: true },
    { port: 5672, tlsPort: 'off' },
  ],
  [
    { port: '5672', tlsPort: 'off' },
    { port: 5672, tlsPort: 'off' },
  ],
  [{ tlsPort: '5671' }, { port: 0, tlsPort: 5671 }],
])('with %j it takes %j, and no port that a variable names', async (flags, ports) => {
  expect(await optionsOf(flags)).toMatchObject(ports);
  expect(await optionsOf(flags, { JITNEY_TLS_PORT: '1', JITNEY_PORT: '2' })).toMatchObject(ports);
});
