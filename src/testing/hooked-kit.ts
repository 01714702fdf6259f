// The kit for test frameworks whose hooks run before and after each test: an emulator for each, the matchers, and the check that they
// were awaited.

import type { Emulator, EmulatorClock, EmulatorOptions } from '../emulator.js';
import { AwaitedMatchers } from './awaited.js';
import { type ClosableClient, TestEmulator } from './test-emulator.js';

export type Hooks = {
  readonly beforeEach: (hook: () => unknown) => unknown;
  readonly afterEach: (hook: (this: unknown, ...given: unknown[]) => unknown) => unknown;
  /** The name of the test that ends if it has failed, by what the framework hands to the hook. */
  readonly failedTest: (self: unknown, given: readonly unknown[]) => string | undefined;
  /** The function that has the matchers. */
  readonly expectName: string;
  /** Loads the SDK. */
  readonly loadClient: () => unknown;
};

/** The options of `startEmulator`, and the class of the client: by default that of `@azure/service-bus`, as `require` finds it. */
export type EachTestOptions<Client extends ClosableClient = ClosableClient> = EmulatorOptions & {
  readonly ServiceBusClient?: new (connectionString: string) => Client;
};

/** The emulator of the test that runs, and what belongs to it. The members are there from `beforeEach` to `afterEach`. */
export type EachTest<Client> = {
  readonly emulator: Emulator;
  /** A client of the SDK, connected to the emulator. */
  readonly client: Client;
  readonly clock: EmulatorClock;
};

const OUTSIDE = 'The emulator of a test is there while the test runs: use it in the test, or in its hooks.';

export class HookedKit {
  readonly awaited: AwaitedMatchers;
  readonly #hooks: Hooks;
  #begin: number | undefined;
  /** The emulators of the test that runs. */
  #runningCount = 0;

  /** Registers the check that matchers were awaited. */
  constructor(hooks: Hooks) {
    this.#hooks = hooks;
    this.awaited = new AwaitedMatchers(hooks.expectName);
    hooks.beforeEach(() => {
      this.#begin = Date.now();
    });
    hooks.afterEach(() => this.#check());
  }

  /** When the test began that runs. */
  get begin(): number | undefined {
    return this.#begin;
  }

  /** Once the emulators are stopped: in some frameworks no hook runs after one that throws, and an emulator would keep the process from ending. */
  #check(): void {
    if (this.#runningCount === 0) this.awaited.check(this);
  }

  emulatorForEachTest<Client extends ClosableClient>(options: EachTestOptions<Client>): EachTest<Client> {
    const { ServiceBusClient, ...given } = options;
    const { beforeEach, afterEach, failedTest, loadClient } = this.#hooks;
    let current: { readonly test: TestEmulator; readonly client: ClosableClient | Error } | undefined;
    const load = async () => (ServiceBusClient === undefined ? loadClient() : { ServiceBusClient });
    beforeEach(async () => {
      const test = await TestEmulator.start(given, load);
      this.#runningCount += 1;
      current = { test, client: await test.client().catch((error: Error) => error) };
    });
    const stop = async (test: TestEmulator, failed: string | undefined) => {
      try {
        if (failed !== undefined) await test.printFailure(failed);
      } finally {
        await test.stop();
        this.#runningCount -= 1;
      }
      this.#check();
    };
    afterEach(async function (this: unknown, ...context: unknown[]) {
      const ended = current;
      current = undefined;
      if (ended !== undefined) await stop(ended.test, failedTest(this, context));
    });
    const present = () => {
      if (current === undefined) throw new Error(OUTSIDE);
      return current;
    };
    return {
      get emulator() {
        return present().test.emulator;
      },
      get client() {
        const { client } = present();
        if (client instanceof Error) throw client;
        return client as Client;
      },
      get clock() {
        return present().test.emulator.clock;
      },
    };
  }
}
