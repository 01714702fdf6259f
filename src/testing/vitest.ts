// `jitney/vitest`: the matchers on vitest's `expect`, and tests with an emulator of their own.

import { beforeEach, chai, type TestAPI, test } from 'vitest';
import type { Emulator, EmulatorClock, EmulatorOptions } from '../emulator.js';
import type { EntityMatchers } from './entity-matchers.js';
import {
  AwaitedMatchers,
  assertEntity,
  isHandle,
  MATCHERS,
  recordForMatchers,
  TestEmulator,
  terminalWidth,
} from './kit.js';
import type { ClosableClient } from './test-emulator.js';

export type { MatcherOptions } from './check-entity.js';
export type { EntityMatchers, ExpectedDeadLetter, ExpectedMessage } from './entity-matchers.js';

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: vitest's own interface has this parameter.
  interface Assertion<T = any> extends EntityMatchers {}
}

/** The options of `startEmulator`, and the class of the client: by default that of `@azure/service-bus`. */
export type EmulatorTestOptions<Client extends ClosableClient = ClosableClient> = EmulatorOptions & {
  readonly ServiceBusClient?: new (connectionString: string) => Client;
};

/** The fixtures of a test, as far as it asks for them. */
export type EmulatorFixtures<Client> = {
  emulator: Emulator;
  /** A client of the SDK, connected to the emulator. */
  client: Client;
  clock: EmulatorClock;
};

/** The part of vitest's test that is needed. */
type Task = {
  readonly context: { onTestFinished(hook: () => void): void };
  readonly result?: { readonly state?: string; readonly startTime?: number };
};

/** The frames between the line of the test and this file. */
const OF_CHAI = /\n[\s\S]*?methodWrapper.*\n/;

const awaited = new AwaitedMatchers();
/** When the present attempt of each test began: vitest tells the begin of the first one also to those after it. */
const begins = new WeakMap<object, number>();
/** The machine's time, before a test fakes it. */
const { now } = Date;
// With --no-isolate, this file is loaded once for all test files, so only the first of them has this hook; see `check` for the others.
beforeEach(({ task }) => {
  begins.set(task, now());
});
const testEmulators = new WeakMap<Emulator, TestEmulator>();
recordForMatchers();
for (const name of Object.keys(MATCHERS)) {
  const earlier: unknown = Reflect.get(chai.Assertion.prototype, name);
  chai.util.addMethod(chai.Assertion.prototype, name, function (this: object, ...given: unknown[]) {
    const isOther = typeof earlier === 'function' && !isHandle(chai.util.flag(this, 'object'));
    return isOther ? earlier.apply(this, given) : check(name, this, given);
  });
}

/**
 * A `test` whose tests have their own `emulator`, `client` and `clock`, as far as they ask for them. A test that fails prints what happened in
 * its emulator.
 *
 * @example
 * const test = emulatorTest({ queues: ['orders'] });
 * test('an order is paid', async ({ emulator, client }) => {
 *   await client.createSender('orders').sendMessages({ body: { id: 7 } });
 *   await expect(emulator.queue('orders')).toHaveMessages([{ body: { id: 7 } }]);
 * });
 */
export function emulatorTest<Client extends ClosableClient = ClosableClient>({
  ServiceBusClient,
  ...options
}: EmulatorTestOptions<Client> = {}): TestAPI<EmulatorFixtures<Client>> {
  const load = async () =>
    ServiceBusClient === undefined ? import('@azure/service-bus') : { ServiceBusClient };
  return test.extend<EmulatorFixtures<Client>>({
    emulator: async ({ task }, use) => {
      const own = await TestEmulator.start(options, load);
      testEmulators.set(own.emulator, own);
      try {
        await use(own.emulator);
      } finally {
        if (task.result?.state === 'fail') await own.printFailure();
        await own.stop();
      }
    },
    client: async ({ emulator }, use) => {
      await use((await testEmulators.get(emulator)?.client()) as Client);
    },
    clock: async ({ emulator }, use) => {
      await use(emulator.clock);
    },
  });
}

/** By chai's method and not by `expect.extend`, which waits for a forgotten matcher and so hides it. */
function check(name: string, assertion: object, given: readonly unknown[]): unknown {
  const task: Task | undefined = chai.util.flag(assertion, 'vitest-test');
  const isNot = chai.util.flag(assertion, 'negate') === true;
  const received: unknown = chai.util.flag(assertion, 'object');
  const at = { stack: '' };
  Error.captureStackTrace(at, check);
  at.stack = at.stack.replace(OF_CHAI, '\n');
  if (task !== undefined && !awaited.has(task)) {
    task.context.onTestFinished(() => {
      begins.set(task, now()); // of the next attempt
      awaited.check(task);
    });
  }
  const begin = task && (begins.get(task) ?? task.result?.startTime);
  const context = { isNot, begin, width: terminalWidth() };
  return awaited.track(task, name, assertEntity(name, { received, given }, context, at), at);
}
