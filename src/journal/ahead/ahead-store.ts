// A row store whose batches are durable at once, in the log in front of it, and come to the store behind it a little later,
// several batches as one; a row that is put and deleted in between costs the store next to nothing.

import type { RowBatch, RowStore } from '../row-store.js';
import type { AheadLog } from './ahead-log.js';
import { type RowChange, writeChanges } from './record.js';

/** How long changes gather before they are passed on, and the size at which they no longer wait. */
const GATHER_MS = 20;
const GATHER_BYTES = 1024 * 1024;
/** Bytes not yet passed on at which appending waits for the store behind. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/**
 * Rows that go to the store as one batch; others have their turn between two. The pieces need not be one: whoever finds
 * only some of them there finds the log, too. LevelDB's binding copies a batch, and large copies cost memory for good.
 */
const PIECE_ROWS = 400;

type Changes = Map<string, RowChange>;

export class AheadStore implements RowStore {
  readonly #store: RowStore;
  readonly #log: AheadLog;
  /** In the log and not yet among those that wait, which is work for when nobody waits for it. */
  #appended: (readonly RowChange[])[] = [];
  /** Not yet on their way to the store; then those that are. */
  #waiting: Changes = new Map();
  #underWay: Changes = new Map();
  #waitingBytes = 0;
  #passing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #failure: { readonly cause: unknown } | undefined;

  constructor(store: RowStore, log: AheadLog) {
    this.#store = store;
    this.#log = log;
  }

  async get(key: string): Promise<Buffer | undefined> {
    const change = this.#find(key);
    return change === undefined ? this.#store.get(key) : bytesOf(change);
  }

  getSync(key: string): Buffer | undefined {
    const change = this.#find(key);
    return change === undefined ? this.#store.getSync(key) : bytesOf(change);
  }

  batch(): RowBatch {
    const changes: RowChange[] = [];
    return {
      put: (key: string, value: Buffer | string) => changes.push([key, value]),
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
      await this.#log.close();
    } finally {
      await this.#store.close();
    }
  }

  /** The last change to a row that may not be in the store yet. */
  #find(key: string): RowChange | undefined {
    this.#merge();
    return this.#waiting.get(key) ?? this.#underWay.get(key);
  }

  get #hasWaiting(): boolean {
    return this.#appended.length > 0 || this.#waiting.size > 0;
  }

  async #append(changes: readonly RowChange[]): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.cause;
    this.#waitingBytes += this.#log.append(changes);
    this.#appended.push(changes);
    this.#passOnLater();
    if (this.#waitingBytes >= MAX_WAITING_BYTES) {
      this.#passOn();
      await this.#passing;
    }
  }

  /** Not within the call that appends: whoever waits for that is told first. */
  #passOnLater(): void {
    if (this.#waitingBytes >= GATHER_BYTES) this.#immediate ??= setImmediate(() => this.#passOn());
    else this.#timer ??= setTimeout(() => this.#passOn(), GATHER_MS).unref();
  }

  /** One batch for the store at a time; what comes meanwhile is the next. */
  #passOn(): void {
    this.#clearTimers();
    this.#merge();
    if (this.#passing !== undefined || this.#failure !== undefined || !this.#hasWaiting) return;
    this.#passing = this.#pass().then(
      () => {
        this.#passing = undefined;
        if (this.#hasWaiting) this.#passOnLater();
      },
      (cause) => {
        this.#passing = undefined;
        // The log has it all: the next start will try again.
        this.#failure = { cause };
      },
    );
  }

  /** Of two changes to one row the later stays. */
  #merge(): void {
    for (const changes of this.#appended) {
      for (const change of changes) this.#waiting.set(change[0], change);
    }
    this.#appended = [];
  }

  async #pass(): Promise<void> {
    this.#underWay = this.#waiting;
    this.#waiting = new Map();
    this.#waitingBytes = 0;
    const mark = this.#log.mark();
    const changes = [...this.#underWay.values()];
    for (let start = 0; start < changes.length; start += PIECE_ROWS) {
      const batch = this.#store.batch();
      writeChanges(batch, changes.slice(start, start + PIECE_ROWS));
      await batch.write({ sync: false });
    }
    this.#underWay = new Map();
    await this.#log.release(mark);
  }

  async #passOnAll(): Promise<void> {
    while (this.#failure === undefined && (this.#passing !== undefined || this.#hasWaiting)) {
      this.#passOn();
      await this.#passing;
    }
    this.#clearTimers();
    if (this.#failure !== undefined) throw this.#failure.cause;
  }

  #clearTimers(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    clearImmediate(this.#immediate);
    this.#immediate = undefined;
  }
}

function bytesOf([, value]: RowChange): Buffer | undefined {
  return typeof value === 'string' ? Buffer.from(value) : value;
}
