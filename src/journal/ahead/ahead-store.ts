// A row store whose batches are durable at once, in the log in front of it, and come to the store behind it a little later,
// many batches as one; a row that is put and deleted in between costs the store next to nothing.

import type { RowBatch, RowStore } from '../row-store.js';
import type { AheadLog } from './ahead-log.js';
import type { RowChange } from './record.js';

/** How long changes gather before they are passed on, and the size at which they no longer wait. */
const GATHER_MS = 20;
const GATHER_BYTES = 1024 * 1024;
/** Bytes not yet passed on at which appending waits for the store behind. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

type Changes = Map<string, Buffer | undefined>;

export class AheadStore implements RowStore {
  readonly #store: RowStore;
  readonly #log: AheadLog;
  /** In the log and not yet on their way to the store; then those that are. */
  #waiting: Changes = new Map();
  #underWay: Changes = new Map();
  #waitingBytes = 0;
  #passing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: { readonly cause: unknown } | undefined;

  constructor(store: RowStore, log: AheadLog) {
    this.#store = store;
    this.#log = log;
  }

  async get(key: string): Promise<Buffer | undefined> {
    for (const changes of [this.#waiting, this.#underWay]) if (changes.has(key)) return changes.get(key);
    return this.#store.get(key);
  }

  batch(): RowBatch {
    const changes: RowChange[] = [];
    return {
      put: (key: string, value: Buffer | string) =>
        changes.push([key, typeof value === 'string' ? Buffer.from(value) : value]),
      del: (key) => changes.push([key, undefined]),
      write: () => this.#append(changes),
    };
  }

  iterator(options: Parameters<RowStore['iterator']>[0]): ReturnType<RowStore['iterator']> {
    let iterator: ReturnType<RowStore['iterator']> | undefined;
    return {
      nextv: async (size) => {
        if (iterator === undefined) await this.#passOnAll();
        iterator ??= this.#store.iterator(options);
        return iterator.nextv(size);
      },
      close: async () => iterator?.close(),
    };
  }

  async close(): Promise<void> {
    try {
      await this.#passOnAll();
      this.#log.close();
    } finally {
      await this.#store.close();
    }
  }

  async #append(changes: readonly RowChange[]): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.cause;
    this.#log.append(changes);
    for (const [key, value] of changes) {
      this.#waiting.set(key, value);
      this.#waitingBytes += key.length + (value?.length ?? 0);
    }
    if (this.#waitingBytes >= GATHER_BYTES) this.#passOn();
    else this.#timer ??= setTimeout(() => this.#passOn(), GATHER_MS).unref();
    if (this.#waitingBytes >= MAX_WAITING_BYTES) await this.#passing;
  }

  /** One batch for the store at a time; what comes meanwhile is the next. */
  #passOn(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#passing !== undefined || this.#failure !== undefined) return;
    this.#passing = this.#pass().then(
      () => {
        this.#passing = undefined;
        if (this.#waitingBytes >= GATHER_BYTES) this.#passOn();
        else if (this.#waiting.size > 0) this.#timer ??= setTimeout(() => this.#passOn(), GATHER_MS).unref();
      },
      (cause) => {
        this.#passing = undefined;
        // The log has it all: the next start will try again.
        this.#failure = { cause };
      },
    );
  }

  async #pass(): Promise<void> {
    this.#underWay = this.#waiting;
    this.#waiting = new Map();
    this.#waitingBytes = 0;
    const mark = this.#log.mark();
    const batch = this.#store.batch();
    for (const [key, value] of this.#underWay) {
      if (value === undefined) batch.del(key);
      else batch.put(key, value);
    }
    await batch.write({ sync: false });
    this.#underWay = new Map();
    this.#log.release(mark);
  }

  async #passOnAll(): Promise<void> {
    while (this.#failure === undefined && (this.#passing !== undefined || this.#waiting.size > 0)) {
      this.#passOn();
      await this.#passing;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#failure !== undefined) throw this.#failure.cause;
  }
}
