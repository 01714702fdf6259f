// A row store with a write-ahead log. A batch is durable once it is in the log, and reaches the store up to half a second later,
// many batches as one. Of a row that is put several times the store gets the last value, of one that is put and deleted in between
// a deletion, and of such a content nothing: most messages are consumed before their contents would reach the store.

import { isContentKey } from '../keys.js';
import type { RowBatch, RowStore } from '../row-store.js';
import { type RowChange, writeChanges } from './record.js';
import type { WriteAheadLog } from './write-ahead-log.js';

/**
 * The delay before a flush, and the unflushed bytes above which there is none: the memory that waiting changes take, and what the
 * next start reads again after a kill.
 */
const FLUSH_DELAY_MS = 500;
const FLUSH_BYTES = 16 * 1024 * 1024;
/** The number of unflushed bytes at which an append waits for the store. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/**
 * Maximum rows per batch, so that other work runs between batches. A flush need not be atomic: after a crash in the middle, the
 * log still has all of it. LevelDB's binding copies a batch, and the memory of large copies is never freed.
 */
const MAX_BATCH_ROWS = 400;

type Changes = Map<string, RowChange>;

export class WriteAheadStore implements RowStore {
  readonly #store: RowStore;
  readonly #log: WriteAheadLog;
  /** Appended batches not yet merged into `#waiting`: an append does not wait for merging. */
  #appended: (readonly RowChange[])[] = [];
  /** Changes that wait for the next flush. */
  #waiting: Changes = new Map();
  /**
   * Contents that were put while a deletion of theirs waits: after a restart a content may get the id of one that is being swept,
   * and the store still has that one.
   */
  #inStore = new Set<string>();
  /** Changes that a flush is writing. */
  #inFlight: Changes = new Map();
  /** Bytes appended to the log since the last flush began. */
  #waitingBytes = 0;
  #flushing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #failure: { readonly cause: unknown } | undefined;

  constructor(store: RowStore, log: WriteAheadLog) {
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
        if (iterator === undefined) await this.#flushAll();
        iterator ??= this.#store.iterator(options);
        return iterator.nextv(size);
      },
      close: async () => iterator?.close(),
    };
  }

  async close(): Promise<void> {
    try {
      await this.#flushAll();
      await this.#log.close();
    } finally {
      await this.#store.close();
    }
  }

  /** The latest change to the row that may be missing in the store. */
  #find(key: string): RowChange | undefined {
    this.#merge();
    return this.#waiting.get(key) ?? this.#inFlight.get(key);
  }

  get #hasWaiting(): boolean {
    return this.#appended.length > 0 || this.#waiting.size > 0;
  }

  async #append(changes: readonly RowChange[]): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.cause;
    this.#waitingBytes += this.#log.append(changes);
    this.#appended.push(changes);
    this.#flushLater();
    await this.#sync();
    if (this.#waitingBytes >= MAX_WAITING_BYTES) {
      this.#flush();
      await this.#flushing;
    }
  }

  async #sync(): Promise<void> {
    if (!this.#log.isSynced) return;
    try {
      await this.#log.sync();
    } catch (cause) {
      // Nobody knows how much of the file the disk has: nothing more is written to it, and the next start reads what is there.
      this.#failure = { cause };
      throw cause;
    }
  }

  /** Schedules a flush, so that the caller of the append continues first. */
  #flushLater(): void {
    if (this.#waitingBytes >= FLUSH_BYTES) this.#immediate ??= setImmediate(() => this.#flush());
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_DELAY_MS).unref();
  }

  /** Runs one flush at a time. Changes that arrive meanwhile go into the next one. */
  #flush(): void {
    this.#clearTimers();
    this.#merge();
    if (this.#flushing !== undefined || this.#failure !== undefined || !this.#hasWaiting) return;
    this.#flushing = this.#writeWaiting().then(
      () => {
        this.#flushing = undefined;
        if (this.#hasWaiting) this.#flushLater();
      },
      (cause) => {
        this.#flushing = undefined;
        // The log still has all changes: the next start writes them again.
        this.#failure = { cause };
      },
    );
  }

  /** Merges appended batches; the later of two changes to one row wins. */
  #merge(): void {
    for (const changes of this.#appended) {
      for (const change of changes) {
        const [key, value] = change;
        if (value === undefined && this.#waitsWhole(key)) {
          this.#waiting.delete(key);
        } else {
          if (isContentKey(key) && this.#waiting.has(key)) this.#inStore.add(key);
          this.#waiting.set(key, change);
        }
      }
    }
    this.#appended = [];
  }

  /** Whether the row is a content that waits and of which the store has nothing. */
  #waitsWhole(key: string): boolean {
    return isContentKey(key) && this.#waiting.get(key)?.[1] !== undefined && !this.#inStore.has(key);
  }

  async #writeWaiting(): Promise<void> {
    this.#inFlight = this.#waiting;
    this.#waiting = new Map();
    this.#inStore = new Set();
    this.#waitingBytes = 0;
    const mark = this.#log.mark();
    const changes = [...this.#inFlight.values()];
    for (let start = 0; start < changes.length; start += MAX_BATCH_ROWS) {
      const batch = this.#store.batch();
      writeChanges(batch, changes.slice(start, start + MAX_BATCH_ROWS));
      // A segment of a synced log is deleted only when the disk has its rows elsewhere.
      await batch.write({ sync: this.#log.isSynced });
    }
    this.#inFlight = new Map();
    await this.#log.release(mark);
  }

  async #flushAll(): Promise<void> {
    while (this.#failure === undefined && (this.#flushing !== undefined || this.#hasWaiting)) {
      this.#flush();
      await this.#flushing;
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
