// `jitney/jest`: the matchers on jest's `expect`, and an emulator for each test.

import { createRequire } from 'node:module';
import { recordForMatchers } from '../inspect/emulator-look.js';
import { checkEntity, isHandle } from './check-entity.js';
import type { EntityMatchers } from './entity-matchers.js';
import { type EachTest, type EachTestOptions, HookedKit, type Hooks } from './hooked-kit.js';
import { MATCHERS } from './matchers.js';
import { terminalWidth } from './terminal-width.js';
import type { ClosableClient } from './test-emulator.js';

export type { MatcherOptions } from './check-entity.js';
export type { EntityMatchers, ExpectedDeadLetter, ExpectedMessage } from './entity-matchers.js';
export type { EachTest, EachTestOptions } from './hooked-kit.js';

declare global {
  // With @types/jest, whose own declaration has these parameters. `@jest/globals` has its types elsewhere: see docs/testing.md.
  namespace jest {
    interface Matchers<R, T> extends EntityMatchers<Promise<R>> {}
  }
}

type JestExpect = {
  extend(
    matchers: Readonly<Record<string, (this: { readonly isNot: boolean }, ...given: unknown[]) => unknown>>,
  ): void;
};
type JestGlobals = Pick<Hooks, 'beforeEach' | 'afterEach'> & { readonly expect: JestExpect };
/** The state of jest-circus, as far as it is needed: it tells no hook whether the test has failed. */
type CircusState = {
  readonly currentlyRunningTest?: { readonly name: string; readonly errors: readonly unknown[] };
};

const require = createRequire(import.meta.url);
const kit = new HookedKit({
  ...jestGlobals(),
  failedTest,
  expectName: 'expect',
  loadClient: () => require('@azure/service-bus'),
});
recordForMatchers();
jestGlobals().expect.extend(Object.fromEntries(Object.keys(MATCHERS).map((name) => [name, matcherOf(name)])));

/**
 * Gives each test of the file its own emulator, client and clock, and ends them. A test that fails prints what happened in its emulator.
 *
 * @example
 * const bus = emulatorForEachTest({ queues: ['orders'] });
 * test('an order is paid', async () => {
 *   await bus.emulator.queue('orders').send({ body: { id: 7 } });
 *   await expect(bus.emulator.queue('orders')).toHaveMessages(1);
 * });
 */
export function emulatorForEachTest<Client extends ClosableClient>(
  options: EachTestOptions<Client> = {},
): EachTest<Client> {
  return kit.emulatorForEachTest(options);
}

function matcherOf(name: string) {
  const earlier = earlierMatcher(name);
  const matcher = function (this: { readonly isNot: boolean }, received: unknown, ...given: unknown[]) {
    if (earlier !== undefined && !isHandle(received)) return earlier.call(this, received, ...given);
    const context = { isNot: this.isNot, begin: kit.begin, width: terminalWidth() };
    const at = {};
    Error.captureStackTrace(at, matcher);
    return kit.awaited.track(kit, name, checkEntity(name, { received, given }, context), at);
  };
  return matcher;
}

/** The functions of jest; with `injectGlobals: false` they are in a package of jest's. */
function jestGlobals(): JestGlobals {
  const found = globalThis as unknown as Partial<JestGlobals>;
  return typeof found.expect?.extend === 'function' ? (found as JestGlobals) : require('@jest/globals');
}

/** A matcher of this name for other values, where jest keeps all. */
function earlierMatcher(name: string): ((...given: unknown[]) => unknown) | undefined {
  const kept = Reflect.get(globalThis, Symbol.for('$$jest-matchers-object'));
  return kept?.matchers?.[name];
}

function failedTest(): string | undefined {
  const symbol = Object.getOwnPropertySymbols(globalThis).find(
    ({ description }) => description === 'JEST_STATE_SYMBOL',
  );
  const states = globalThis as unknown as Readonly<Record<symbol, CircusState | undefined>>;
  const state = symbol && states[symbol];
  const running = state?.currentlyRunningTest;
  return running !== undefined && running.errors.length > 0 ? running.name : undefined;
}
