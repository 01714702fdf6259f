// The journal over an abstract-level database in a directory or in memory: writes batches of events, and reads them at recovery.

import assert from 'node:assert';
import type { StoredEvent } from '../broker/event.js';
import { type Instant, NEVER } from '../broker/instant.js';
import type { Journal, JournalEvent, Recovered } from '../engine/ports.js';
import { Consistency, type ContentNames } from './consistency.js';
import { markFormat } from './format.js';
import { JournalError, translateError } from './journal-error.js';
import {
  AFTER_CONTENTS,
  BEFORE_CONTENTS,
  CONTENTS,
  contentKey,
  type KeyRange,
  parseContentKey,
  TIME_EPOCHS_KEY,
  TIME_KEY,
} from './keys.js';
import { chunksOf, type RowBatch, type RowEntry, type RowStore, TEXT } from './row-store.js';
import { writeTimeEpochs } from './row-values.js';
import { type ReadRow, readRow, writeEvents } from './rows.js';
import { TimeEpochs } from './time-epochs.js';

/** The number of contents deleted in one batch. */
const SWEEP_ROWS = 10_000;

export type LevelJournalOptions = {
  /** The directory, for error messages. */
  readonly location: string;
  /** Whether a batch is on disk when `append` resolves, and not only with the operating system. */
  readonly sync: boolean;
};

export class LevelJournal implements Journal {
  readonly #store: RowStore;
  readonly #options: LevelJournalOptions;
  /** Whether the journal has the row that records this version's format. */
  #isMarked: boolean;
  #epochs = new TimeEpochs();
  /** Whether an epoch was added that the next batch writes. */
  #hasNewEpoch = false;
  /** Set from `recover` to `sweepContents`. */
  #names: ContentNames | undefined;

  constructor(store: RowStore, options: LevelJournalOptions & { readonly isMarked: boolean }) {
    this.#store = store;
    this.#options = options;
    this.#isMarked = options.isMarked;
  }

  async append(events: readonly JournalEvent[]): Promise<void> {
    // All or nothing: a moved message is neither lost nor duplicated (DLQ-13).
    const batch = this.#store.batch();
    // With the first rows that an older version could misread, and not before.
    if (!this.#isMarked) markFormat(batch);
    if (this.#hasNewEpoch) batch.put(TIME_EPOCHS_KEY, writeTimeEpochs(this.#epochs.all), TEXT);
    writeEvents(batch, this.#epochs.writeAll(events));
    await this.#commit(batch);
    this.#isMarked = true;
    this.#hasNewEpoch = false;
  }

  async recover(
    restore: (stored: readonly StoredEvent[]) => void,
    clockTime: Instant = NEVER,
  ): Promise<Recovered> {
    const consistency = new Consistency();
    const times = await this.#readTimes(clockTime);
    for (const range of [BEFORE_CONTENTS, AFTER_CONTENTS]) {
      for await (const chunk of this.#chunks(range, { values: true })) {
        const stored: StoredEvent[] = [];
        for (const [key, row] of chunk) {
          const event = this.#readRow(key, row);
          if (event.kind === 'format' || event.kind === 'time-put' || event.kind === 'time-epochs') continue;
          stored.push(this.#checked(this.#epochs.read(event), consistency));
        }
        restore(stored);
      }
    }
    this.#names = consistency.namedContents();
    return times;
  }

  /** The last time and the epochs, by which all other rows are read. */
  async #readTimes(clockTime: Instant): Promise<Recovered> {
    const epochs = await this.#readOne(TIME_EPOCHS_KEY);
    if (epochs?.kind === 'time-epochs') this.#epochs = new TimeEpochs(epochs.epochs);
    const last = await this.#readOne(TIME_KEY);
    if (last?.kind !== 'time-put') return { lastTime: 0 };
    const aheadMs = this.#epochs.begin(last.now, clockTime);
    this.#hasNewEpoch = aheadMs !== undefined;
    return { lastTime: this.#epochs.read(last).now, ...(aheadMs !== undefined && { aheadMs }) };
  }

  async #readOne(key: string): Promise<ReadRow | undefined> {
    const row = await this.#read(() => this.#store.get(key));
    return row && this.#readRow(key, row.toString());
  }

  #readRow(key: string, row: string): ReadRow {
    return readRow(key, row) ?? this.#corrupt(`${JSON.stringify(key)} is not a row of a journal`);
  }

  async readContent(contentId: number): Promise<Uint8Array> {
    const content = await this.#read(() => this.#store.get(contentKey(contentId)));
    return content ?? this.#missing(contentId);
  }

  readContentNow(contentId: number): Uint8Array {
    let content: Uint8Array | undefined;
    try {
      content = this.#store.getSync(contentKey(contentId));
    } catch (error) {
      throw translateError(error, this.#options.location, 'unreadable');
    }
    return content ?? this.#missing(contentId);
  }

  async sweepContents(isNeeded: (contentId: number) => boolean): Promise<number> {
    const names = this.#names;
    assert(names !== undefined, 'contents are swept once, after recovery');
    this.#names = undefined;
    const orphans: string[] = [];
    for await (const chunk of this.#chunks(CONTENTS, { values: false })) {
      for (const [key] of chunk) {
        const contentId =
          parseContentKey(key) ?? this.#corrupt(`${JSON.stringify(key)} is not a row of a journal`);
        this.#expectNoneMissing(names, contentId);
        if (!names.pass(contentId) && !isNeeded(contentId)) orphans.push(key);
      }
    }
    this.#expectNoneMissing(names, Number.POSITIVE_INFINITY);
    // After all checks, so that a damaged journal is not changed.
    await this.#delete(orphans);
    return orphans.length;
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #checked(stored: StoredEvent, consistency: Consistency): StoredEvent {
    const problem = consistency.note(stored);
    return problem === undefined ? stored : this.#corrupt(problem);
  }

  #expectNoneMissing(names: ContentNames, contentId: number): void {
    const missing = names.missingBefore(contentId);
    if (missing !== undefined)
      this.#corrupt(`a message or session state names content ${missing}, which is missing`);
  }

  async #delete(contentKeys: readonly string[]): Promise<void> {
    for (let start = 0; start < contentKeys.length; start += SWEEP_ROWS) {
      const batch = this.#store.batch();
      for (const key of contentKeys.slice(start, start + SWEEP_ROWS)) batch.del(key);
      await this.#commit(batch);
    }
  }

  async *#chunks(
    range: KeyRange,
    options: { readonly values: boolean },
  ): AsyncGenerator<readonly RowEntry[]> {
    try {
      yield* chunksOf(this.#store, range, options);
    } catch (error) {
      throw translateError(error, this.#options.location, 'unreadable');
    }
  }

  async #read<Value>(read: () => Promise<Value>): Promise<Value> {
    try {
      return await read();
    } catch (error) {
      throw translateError(error, this.#options.location, 'unreadable');
    }
  }

  async #commit(batch: RowBatch): Promise<void> {
    try {
      await batch.write(this.#options);
    } catch (error) {
      throw translateError(error, this.#options.location, 'unwritable');
    }
  }

  #missing(contentId: number): never {
    return this.#corrupt(`content ${contentId} is missing`);
  }

  #corrupt(seen: string): never {
    throw new JournalError('corrupt', this.#options.location, seen);
  }
}
