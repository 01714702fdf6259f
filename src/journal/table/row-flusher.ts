// Gathers the changes to rows that are already in the log, and writes those of many batches to the table at once, up to half a second
// later. The table gets only the last value of a row, and nothing of a new row that is deleted meanwhile. Afterwards the log's dead
// segments can be deleted.

import { type StartTimer, startRealTimer } from '../../engine/timer.js';
import type { Cleaner } from '../log/cleaner.js';
import type { RowChange } from '../log/record.js';
import type { SegmentLog } from '../log/segment-log.js';
import { GroupedChanges, type RowTable } from './row-table.js';

/**
 * The delay before a flush. There is no delay above so many bytes of waiting rows, which take memory, or of log behind the mark, which the
 * next start reads again after a kill.
 */
const FLUSH_DELAY_MS = 500;
const FLUSH_ROW_BYTES = 8 * 1024 * 1024;
const FLUSH_LOG_BYTES = 64 * 1024 * 1024;
/** The bytes of waiting rows at which an append waits for the table. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/** Memory of a waiting row in addition to its text. */
const ROW_BYTES = 100;

type Parts = { readonly table: RowTable; readonly log: SegmentLog; readonly cleaner: Cleaner };

type Options = {
  readonly startTimer?: StartTimer | undefined;
  /** Called with the cause when a flush fails. */
  readonly onFailure?: (cause: unknown) => void;
};

export class RowFlusher {
  readonly #parts: Parts;
  readonly #startTimer: StartTimer;
  readonly #onFailure: (cause: unknown) => void;
  #waiting: GroupedChanges;
  #waitingBytes = 0;
  #loggedBytes = 0;
  #flushing: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #failure: { readonly cause: unknown } | undefined;
  #isClosing = false;

  /** `waiting`: the changes in the log that the table does not have. */
  constructor(parts: Parts, waiting: GroupedChanges, options: Options = {}) {
    this.#parts = parts;
    this.#startTimer = options.startTimer ?? startRealTimer;
    this.#onFailure = options.onFailure ?? (() => {});
    this.#waiting = waiting;
  }

  /** Throws the cause if writing has failed, because then nothing more may be appended. */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.cause;
  }

  /** Ends all writing after a failure; the next start reads what is there. */
  fail(cause: unknown): void {
    this.#failure ??= { cause };
  }

  /** Adds changes that were appended to the log in a record of so many bytes. */
  add(rows: readonly RowChange[], loggedBytes: number): void {
    for (const row of rows) this.#addRow(row);
    this.#loggedBytes += loggedBytes;
    this.flushLater();
  }

  #addRow(row: RowChange): void {
    const [key, text] = row;
    const earlier = text === undefined ? this.#waiting.textOf(row) : undefined;
    // Most messages come and go between two flushes. A row that the table never got needs no deletion.
    if (earlier !== undefined && this.#flushing === undefined && !this.#parts.table.has(key)) {
      this.#waiting.drop(row);
      this.#waitingBytes -= ROW_BYTES + earlier.length;
    } else {
      this.#waiting.add(row);
      this.#waitingBytes += ROW_BYTES + (text?.length ?? 0);
    }
  }

  /** Resolves at once, or when the table has caught up. */
  async room(): Promise<void> {
    if (this.#waitingBytes < MAX_WAITING_BYTES) return;
    this.#flush();
    await this.#flushing;
    this.throwFailure();
  }

  /** Schedules a flush, so that the caller of the append continues first. */
  flushLater(): void {
    if (this.#isClosing) return;
    const isMuch = this.#waitingBytes >= FLUSH_ROW_BYTES || this.#loggedBytes >= FLUSH_LOG_BYTES;
    if (isMuch) this.#immediate ??= setImmediate(() => this.#flush());
    else this.#cancelTimer ??= this.#startTimer(FLUSH_DELAY_MS, () => this.#flush());
  }

  /** Writes everything to the table and notes a clean stop. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#clearTimers();
    await this.#flushing;
    this.throwFailure();
    const { table, log, cleaner } = this.#parts;
    await log.close();
    const dead = cleaner.dead();
    const { segment, offset } = log.position;
    await table.write(this.#take(), { segment, offset, isClean: true }, { sync: true });
    await cleaner.remove(dead);
  }

  /** Runs one flush at a time. Changes that arrive meanwhile go into the next one. */
  #flush(): void {
    this.#clearTimers();
    if (this.#flushing !== undefined || this.#failure !== undefined || this.#isClosing) return;
    this.#flushing = this.#writeWaiting()
      .catch((cause) => {
        this.fail(cause);
        this.#onFailure(cause);
      })
      .then(() => {
        this.#flushing = undefined;
        // Contents may have died during the flush, and the timer that would delete them may have run out.
        const isWanted = !this.#waiting.isEmpty || this.#parts.cleaner.dead().length > 0;
        if (isWanted && this.#failure === undefined) this.flushLater();
      });
  }

  async #writeWaiting(): Promise<void> {
    const { table, log, cleaner } = this.#parts;
    if (log.isRemoved) throw new Error('the log was removed');
    const dead = cleaner.dead();
    const mark = { ...log.position, isClean: false };
    const changes = this.#take();
    // After a power cut, the table must not have rows whose contents the log has lost.
    await log.syncAppended();
    // Before a segment is deleted, the table on the disk must no longer refer to its contents.
    await table.write(changes, mark, { sync: log.isSynced || dead.length > 0 });
    await cleaner.remove(dead);
    if (this.#isClosing || this.#failure !== undefined) return;
    const hasCopied = await cleaner.copyLiving(() => this.#isClosing || this.#failure !== undefined);
    if (hasCopied) this.flushLater();
  }

  #take(): GroupedChanges {
    const taken = this.#waiting;
    this.#waiting = new GroupedChanges();
    this.#waitingBytes = 0;
    this.#loggedBytes = 0;
    return taken;
  }

  #clearTimers(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    clearImmediate(this.#immediate);
    this.#immediate = undefined;
  }
}
