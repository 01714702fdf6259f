// An emulator for one test: started before it, stopped after it, and printed if the test has failed.

import { type Emulator, type EmulatorOptions, startEmulator } from '../emulator.js';
import { isOfKind } from '../jitney-error.js';
import type { ActivityRecord } from '../watch/activity-record.js';
import { isMissing } from '../watch/causes.js';
import { eventLines, wrapped } from './failure-text.js';
import { shownIdsOf } from './shown-records.js';
import { fitted, onOneLine } from './shown-value.js';
import { terminalWidth } from './terminal-width.js';

/** A client of the SDK, as far as a fixture knows it. */
export type ClosableClient = { close(): Promise<void> };
type ClientClass = new (connectionString: string) => ClosableClient;

/** So many records of a failed test are printed. */
const MOST_PRINTED = 40;

/** A sentence for each entity that a client wanted and that is not there; it names a similar one. */
async function missingEntities(emulator: Emulator, records: readonly ActivityRecord[]): Promise<string[]> {
  const paths = records.flatMap((record) => {
    if (!isMissing(record) || !('path' in record)) return [];
    const [path] = record.path?.split('/$') ?? [];
    return path === undefined ? [] : [path.toLowerCase()];
  });
  const sentences: string[] = [];
  for (const path of new Set(paths)) {
    const error: unknown = await emulator
      .queue(path)
      .counts()
      .catch((cause: unknown) => cause);
    if (isOfKind(error, 'entity-not-found')) sentences.push(error.message);
  }
  return sentences;
}

/** The things that have happened in the emulator since its start, but for those that a matcher's failure has shown. */
function timelineOf(emulator: Emulator, begin: number, width: number): readonly string[] {
  const shown = shownIdsOf(emulator);
  const isFirst = shown.size === 0;
  const records = emulator.events.since().filter((record) => {
    if (record.kind === 'http-request' || record.kind === 'token-accepted') return false;
    const path = 'path' in record ? record.path : undefined;
    if (path?.startsWith('$')) return false; // such as the links for tokens
    return isFirst || (path !== undefined && !shown.has(record.id));
  });
  if (records.length === 0 && !isFirst) return [];
  const where = isFirst ? 'this emulator' : 'the rest of this emulator';
  return eventLines(records, { begin, where, most: MOST_PRINTED, width, hasPaths: true });
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

  /** Prints what a test that has failed does not say itself. `test` is its name, where the framework does not print that with it. */
  async printFailure(test?: string): Promise<void> {
    const width = terminalWidth();
    const missing = await missingEntities(this.emulator, this.emulator.events.since());
    const lines = [
      ...missing.flatMap((sentence) => wrapped(onOneLine(sentence), width)),
      ...timelineOf(this.emulator, this.#begin, width),
    ];
    if (lines.length === 0) return;
    if (test !== undefined) lines.unshift(...wrapped(`Failed: ${onOneLine(test)}`, width));
    // biome-ignore lint/suspicious/noConsole: the output of a test is what its framework shows with it.
    console.error(lines.map((line) => fitted(line, width)).join('\n'));
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
