// An emulator for one test: started before it, stopped after it, and printed if the test has failed.

import { type Emulator, type EmulatorOptions, startEmulator } from '../emulator.js';
import { eventLines } from './failure-text.js';
import { fitted, onOneLine } from './shown-value.js';

/** A client of the SDK, as far as a fixture knows it. */
export type ClosableClient = { close(): Promise<void> };
type ClientClass = new (connectionString: string) => ClosableClient;

/** So many records of a failed test are printed. */
const MOST_PRINTED = 40;

/** The things that have happened in the emulator since its start, as lines. */
function timelineOf(emulator: Emulator, begin: number, width: number): string {
  const records = emulator.events.since();
  const own = records.filter(({ kind }) => kind !== 'http-request' && kind !== 'token-accepted');
  const lines = eventLines(own, { begin, where: 'this emulator', most: MOST_PRINTED, width, hasPaths: true });
  return lines.map((line) => fitted(line, width)).join('\n');
}

export class TestEmulator {
  readonly emulator: Emulator;
  readonly #begin: number;
  readonly #loadClient: () => Promise<unknown>;
  #client: ClosableClient | undefined;
  #isStopped = false;

  private constructor(emulator: Emulator, loadClient: () => Promise<unknown>) {
    this.emulator = emulator;
    this.#begin = emulator.clock.now().getTime();
    this.#loadClient = loadClient;
  }

  /** `loadClient` loads the SDK, as the entry of the test framework finds it. */
  static async start(options: EmulatorOptions, loadClient: () => Promise<unknown>): Promise<TestEmulator> {
    return new TestEmulator(await startEmulator(options), loadClient);
  }

  /** A client of the SDK, made when it is first asked for. */
  async client(): Promise<ClosableClient> {
    if (this.#client !== undefined) return this.#client;
    const loaded = (await this.#loadClient()) as { readonly ServiceBusClient?: ClientClass };
    if (loaded.ServiceBusClient === undefined) {
      throw new Error('The client of a test needs the SDK: npm install --save-dev @azure/service-bus');
    }
    this.#client ??= new loaded.ServiceBusClient(this.emulator.connectionString);
    return this.#client;
  }

  /** The timeline, for a test that has failed. */
  timeline(width: number): string {
    return timelineOf(this.emulator, this.#begin, width);
  }

  /** Closes the client and stops the emulator, once. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    try {
      await this.#client?.close();
    } finally {
      await this.emulator.stop();
    }
  }
}
