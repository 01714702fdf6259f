// `jitney/testing`: the matchers as functions, and an emulator for each test, for node:test, mocha and whatever has the hooks of mocha.

import { createRequire } from 'node:module';
import type { EmulatorMessages } from '../inspect/emulator-entities.js';
import { recordForMatchers } from '../inspect/emulator-look.js';
import { assertEntity } from './check-entity.js';
import type { EntityMatchers } from './entity-matchers.js';
import { type EachTest, type EachTestOptions, HookedKit, type Hooks } from './hooked-kit.js';
import { MATCHERS } from './matchers.js';
import { terminalWidth } from './terminal-width.js';
import type { ClosableClient } from './test-emulator.js';

export type { MatcherOptions } from './check-entity.js';
export type { EntityMatchers, ExpectedDeadLetter, ExpectedMessage } from './entity-matchers.js';
export type { EachTest, EachTestOptions } from './hooked-kit.js';

type MochaTest = { readonly state?: string; fullTitle(): string };

const require = createRequire(import.meta.url);
const kit = new HookedKit({
  ...hooksOfRunner(),
  failedTest,
  expectName: 'expectEntity',
  loadClient: () => require('@azure/service-bus'),
});
recordForMatchers();

/** The matchers of a handle, and their opposites. */
export type EntityExpectation = EntityMatchers & { readonly not: EntityMatchers };

/**
 * The matchers of a handle. Each returns a promise, which must be awaited; one that is not fails its test.
 *
 * @example
 * await expectEntity(emulator.queue('orders')).toHaveMessages([{ subject: 'paid' }]);
 * await expectEntity(emulator.queue('orders')).not.toHaveDeadLetter();
 */
export function expectEntity(handle: EmulatorMessages): EntityExpectation {
  return { ...matchersOf(handle, false), not: matchersOf(handle, true) };
}

/**
 * Gives each test of the file its own emulator, client and clock, and ends them. A test that fails prints what happened in its emulator.
 *
 * @example
 * const bus = emulatorForEachTest({ queues: ['orders'] });
 * test('an order is paid', async () => {
 *   await bus.emulator.queue('orders').send({ body: { id: 7 } });
 *   await expectEntity(bus.emulator.queue('orders')).toHaveMessages(1);
 * });
 */
export function emulatorForEachTest<Client extends ClosableClient>(
  options: EachTestOptions<Client> = {},
): EachTest<Client> {
  return kit.emulatorForEachTest(options);
}

function matchersOf(received: unknown, isNot: boolean): EntityMatchers {
  const entries = Object.keys(MATCHERS).map((name) => {
    const matcher = (...given: unknown[]) => {
      const at = {};
      Error.captureStackTrace(at, matcher);
      const context = { isNot, begin: kit.begin, width: terminalWidth() };
      return kit.awaited.track(kit, name, assertEntity(name, { received, given }, context, at), at);
    };
    return [name, matcher];
  });
  return Object.fromEntries(entries);
}

/** The hooks of the framework that has made them global, such as mocha; otherwise those of node:test. */
function hooksOfRunner(): Pick<Hooks, 'beforeEach' | 'afterEach'> {
  const { beforeEach, afterEach } = globalThis as unknown as Partial<Hooks>;
  if (typeof beforeEach === 'function' && typeof afterEach === 'function') return { beforeEach, afterEach };
  return require('node:test');
}

/** mocha has the test at the hook's `this`, node:test hands its context to the hook. */
function failedTest(self: unknown, [context]: readonly unknown[]): string | undefined {
  const ofMocha = (self as { readonly currentTest?: MochaTest } | undefined)?.currentTest;
  if (ofMocha !== undefined) return ofMocha.state === 'failed' ? ofMocha.fullTitle() : undefined;
  const ofNode = context as { readonly error?: unknown; readonly name: string } | undefined;
  return (ofNode?.error ?? undefined) === undefined ? undefined : ofNode?.name;
}
