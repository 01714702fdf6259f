// `jitney/global-setup`: one emulator for a whole suite, started before its first file and stopped after its last one.

import { type Emulator, type EmulatorOptions, startEmulator } from '../emulator.js';

/** The variable in which tests find the connection string. */
const VARIABLE = 'SERVICEBUS_CONNECTION_STRING';

/** The same two functions under the names of vitest, and of node:test and jest. */
export type SharedEmulator = {
  setup(): Promise<void>;
  teardown(): Promise<void>;
  globalSetup(): Promise<void>;
  globalTeardown(): Promise<void>;
};

/**
 * An emulator that the test files of a suite share, for the `globalSetup` of a test framework. Its connection string is in the variable
 * `SERVICEBUS_CONNECTION_STRING` while the tests run.
 *
 * @example
 * // vitest: the file that `globalSetup` names
 * export const { setup, teardown } = sharedEmulator({ queues: ['orders'] });
 */
export function sharedEmulator(options: EmulatorOptions = {}): SharedEmulator {
  let emulator: Emulator | undefined;
  let before: string | undefined;
  const setup = async () => {
    emulator = await startEmulator(options);
    before = process.env[VARIABLE];
    process.env[VARIABLE] = emulator.connectionString;
  };
  const teardown = async () => {
    await emulator?.stop();
    emulator = undefined;
    if (before === undefined) delete process.env[VARIABLE];
    else process.env[VARIABLE] = before;
  };
  return { setup, teardown, globalSetup: setup, globalTeardown: teardown };
}
