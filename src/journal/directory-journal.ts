// The journal in a directory. A batch is appended to the log with its contents, and its rows go from there to the table. A start reads
// the rows of the table, and lays the changes over them that the log has beyond the table's mark.

import assert from 'node:assert';
import { ContentUnreadable } from '../broker/contract/content-unreadable.js';
import type { StoredEvent } from '../broker/contract/event.js';
import { type Instant, NEVER } from '../broker/contract/instant.js';
import type { Journal, JournalEvent, Recovered } from '../engine/ports.js';
import type { StartTimer } from '../engine/timer.js';
import { DiskRoom } from './disk-room.js';
import { GatheredBatch } from './gathered-batch.js';
import type { IdSet } from './id-set.js';
import { type JournalError, journalError, translateError } from './journal-error.js';
import { Cleaner } from './log/cleaner.js';
import { type ContentPlace, ContentPlaces } from './log/content-places.js';
import { ContentReader } from './log/content-reader.js';
import type { Files } from './log/files.js';
import { type LoadedLog, readLog } from './log/read-log.js';
import { segmentName } from './log/segment.js';
import { type LogOptions, SegmentLog } from './log/segment-log.js';
import { Stores } from './stores.js';
import { RowFlusher } from './table/row-flusher.js';
import { GroupedChanges, type RowChanges, type RowTable } from './table/row-table.js';
import { TIME_EPOCHS_KEY, TIME_KEY } from './table/rows/keys.js';
import { writeTimeEpochs } from './table/rows/row-values.js';
import { writeEvents } from './table/rows/rows.js';
import { TimeEpochs } from './time-epochs.js';

/** Errors because this process lacks something for the moment. They say nothing about a content. */
const OF_PROCESS: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

export type DirectoryJournalOptions = LogOptions & {
  /** The directory, for error messages. */
  readonly location: string;
  /** Called with a sentence about damage that does not prevent the start. */
  readonly warn?: (text: string) => void;
  /** So many dead bytes of the log are not worth cleaning. */
  readonly toleratedBytes?: number;
  readonly startTimer?: StartTimer;
};

export class DirectoryJournal implements Journal {
  readonly forgetsContents = true;
  readonly #table: RowTable;
  readonly #files: Files;
  readonly #options: DirectoryJournalOptions;
  readonly #places = new ContentPlaces();
  readonly #reader: ContentReader;
  readonly #room: DiskRoom;
  #epochs = new TimeEpochs();
  /** Whether an epoch was added, which the next batch will write. */
  #hasNewEpoch = false;
  /** Set by `recover`. */
  #loaded: LoadedLog | undefined;
  #isClosed = false;
  /** The last append. */
  #appending: Promise<void> = Promise.resolve();
  /** Set with the first append. */
  #log: SegmentLog | undefined;
  #onFailure: (cause: unknown) => void = () => {};
  #flusher: RowFlusher | undefined;

  constructor(table: RowTable, files: Files, options: DirectoryJournalOptions) {
    this.#table = table;
    this.#files = files;
    this.#options = options;
    this.#reader = new ContentReader(files);
    this.#room = new DiskRoom(files, options);
  }

  async recover(
    restore: (stored: readonly StoredEvent[]) => void,
    clockTime: Instant = NEVER,
  ): Promise<Recovered> {
    const loaded = await this.#reading(() => readLog(this.#files, this.#places, this.#table.mark));
    if (loaded.damage !== undefined) this.#corrupt(loaded.damage);
    if (this.#table.mark === undefined && loaded.changes.size > 0) {
      this.#corrupt(`${this.#files.folder} has batches, but the table beside it is empty`);
    }
    const { location, warn } = this.#options;
    if (loaded.tornEnd !== undefined) warn?.(`In the journal in ${location}, ${loaded.tornEnd}`);
    for (const warning of loaded.warnings) this.#warn(warning);
    this.#loaded = loaded;
    const times = await this.#readTimes(loaded.changes, clockTime);
    const stores = new Stores();
    for await (const rows of this.#table.read(loaded.changes)) {
      const stored: StoredEvent[] = [];
      for (const event of rows) {
        if (event.kind === 'time-put' || event.kind === 'time-epochs') continue;
        stored.push(this.#checked(this.#epochs.read(event), stores));
      }
      restore(stored);
    }
    this.#sweep(loaded, stores.namedContents);
    return { ...times, nextContentId: loaded.nextContentId };
  }

  get refusal(): string | undefined {
    return this.#room.refusal;
  }

  onFailure(listener: (cause: unknown) => void): void {
    this.#onFailure = listener;
  }

  append(events: readonly JournalEvent[]): Promise<void> {
    const appending = this.#append(events);
    this.#appending = appending;
    return appending;
  }

  async #append(events: readonly JournalEvent[]): Promise<void> {
    const { log, flusher } = this.#log === undefined ? await this.#begin() : this.#writing();
    flusher.throwFailure();
    const gathered = new GatheredBatch();
    writeEvents(gathered, this.#epochs.writeAll(events));
    if (this.#hasNewEpoch) gathered.put(TIME_EPOCHS_KEY, writeTimeEpochs(this.#epochs.all));
    this.#hasNewEpoch = false;
    const { rows, contents } = gathered;
    if (rows.length === 0 && contents.length === 0) return;
    try {
      const bytes = log.append({ rows, contents });
      flusher.add(rows, bytes);
      this.#room.noteWritten(bytes);
      if (log.isSynced) await log.sync();
    } catch (cause) {
      // We cannot know how much of the file the disk has. Nothing more is written to it, and the next start reads what is there.
      const error = this.#writeError(cause);
      flusher.fail(error);
      throw error;
    }
    await flusher.room();
  }

  deleteContent(contentId: number): void {
    const place = this.#places.find(contentId);
    if (place === undefined) return;
    this.#places.delete(contentId);
    if (!this.#places.hasLiving(place.segment)) this.#flusher?.flushLater();
  }

  async readContent(contentId: number): Promise<Uint8Array> {
    const place = this.#placeOf(contentId);
    try {
      return (await this.#reader.read(place)) ?? this.#unreadable(contentId, place);
    } catch (error) {
      throw this.#readError(contentId, error);
    }
  }

  contentBytes(contentId: number): number {
    return this.#places.find(contentId)?.length ?? 0;
  }

  isContentNear(contentId: number): boolean {
    const place = this.#places.find(contentId);
    return place !== undefined && this.#reader.isNear(place);
  }

  readContentLoaded(contentId: number): Uint8Array | undefined {
    const place = this.#places.find(contentId);
    return place === undefined ? undefined : this.#reader.readLoaded(place);
  }

  readContentNow(contentId: number): Uint8Array {
    const place = this.#placeOf(contentId);
    try {
      return this.#reader.readNow(place) ?? this.#unreadable(contentId, place);
    } catch (error) {
      throw this.#readError(contentId, error);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#appending.catch(() => {}); // its caller gets the error
    try {
      await this.#flusher?.close();
    } catch (cause) {
      const error = this.#writeError(cause);
      await this.#log?.abandon().catch(() => {}); // the first failure is the one to report
      throw error;
    } finally {
      this.#reader.close();
      await this.#table.close();
    }
  }

  /** Reads the last time and the epochs, which are needed to read all other rows. */
  async #readTimes(
    changes: RowChanges,
    clockTime: Instant,
  ): Promise<{ lastTime: Instant; aheadMs?: number }> {
    const epochs = await this.#table.readOne(TIME_EPOCHS_KEY, changes);
    if (epochs?.kind === 'time-epochs') this.#epochs = new TimeEpochs(epochs.epochs);
    const last = await this.#table.readOne(TIME_KEY, changes);
    if (last?.kind !== 'time-put') return { lastTime: 0 };
    const aheadMs = this.#epochs.begin(last.now, clockTime);
    this.#hasNewEpoch = aheadMs !== undefined;
    return { lastTime: this.#epochs.read(last).now, ...(aheadMs !== undefined && { aheadMs }) };
  }

  /** Prepares for writing. Waits for the first batch, so that a start that writes nothing leaves everything as it was. */
  async #begin(): Promise<{ readonly log: SegmentLog; readonly flusher: RowFlusher }> {
    const loaded = this.#loaded;
    assert(loaded !== undefined, 'a journal is recovered before it is written');
    try {
      this.#files.makeFolder();
      // Before the first row: otherwise a power cut could remove the folders, or LevelDB's manifest, under accepted messages.
      if (this.#options.isSynced) this.#files.syncFoldersAbove();
      const { lastSegment } = loaded;
      const { toleratedBytes, startTimer } = this.#options;
      const first = { segment: lastSegment + 1, offset: 0 };
      await this.#table.begin({ ...(this.#table.mark ?? first), isClean: false });
      await this.#sealUnsealed(loaded);
      const log = new SegmentLog(this.#files, this.#places, loaded, this.#options);
      const cleaner = new Cleaner(this.#files, log, this.#places, this.#reader, toleratedBytes);
      const waiting = await GroupedChanges.inPieces(loaded.changes);
      const flusher = new RowFlusher({ table: this.#table, log, cleaner }, waiting, {
        startTimer,
        onFailure: (cause) => this.#onFailure(this.#writeError(cause)),
      });
      this.#log = log;
      this.#flusher = flusher;
      this.#loaded = undefined;
      return { log, flusher };
    } catch (error) {
      throw translateError(error, this.#options.location, 'unwritable');
    }
  }

  /** Completes the segment that a killed process was writing, and deletes the segments that it had prepared. */
  async #sealUnsealed({ unsealed, sealed }: LoadedLog): Promise<void> {
    // The last segment is deleted first, and each deletion is synced, so that a crash in between leaves no gap.
    for (const { segment, kind, end, seal } of unsealed.toReversed()) {
      const name = segmentName(segment);
      if (kind === 'prepared') {
        await this.#files.remove(name);
        this.#files.syncFolder();
      }
      if (kind !== 'being-written') continue;
      const bytes = seal.finish(segment, end);
      const file = this.#files.reopen(name);
      try {
        file.write(bytes, end);
        file.truncate(end + bytes.length);
        await file.sync();
      } finally {
        file.close();
      }
      sealed.set(segment, end + bytes.length);
    }
  }

  #writing(): { readonly log: SegmentLog; readonly flusher: RowFlusher } {
    return { log: this.#log as SegmentLog, flusher: this.#flusher as RowFlusher };
  }

  #checked(stored: StoredEvent, stores: Stores): StoredEvent {
    const problem = stores.note(stored);
    return problem === undefined ? stored : this.#corrupt(problem);
  }

  /** Deletes the contents that nothing names. */
  #sweep({ unsealed, sealed }: LoadedLog, named: IdSet): void {
    this.#places.keepOnly(named);
    if (this.#warnOfMissing(named)) return;
    // If every content was found, damaged segments are deleted when their contents are gone, like all others.
    for (const { segment, size, kind } of unsealed) if (kind === 'damaged') sealed.set(segment, size);
  }

  /** Returns whether any content is missing. */
  #warnOfMissing(named: IdSet): boolean {
    let count = 0;
    for (const contentId of named) if (!this.#places.has(contentId)) count += 1;
    if (count === 0) return false;
    const seen = count === 1 ? 'one content is' : `${count} contents of messages or session states are`;
    const outcome = 'Such a message goes to the dead-letter queue when it is read';
    this.#warn(`${seen} missing. ${outcome}.`);
    return true;
  }

  #warn(seen: string): void {
    this.#options.warn?.(
      `The journal in ${this.#options.location} is damaged: ${seen} 'jitney check' lists the damage.`,
    );
  }

  #placeOf(contentId: number): ContentPlace {
    if (this.#isClosed) throw journalError('unreadable', this.#options.location, 'it is closed');
    const place = this.#places.find(contentId);
    if (place === undefined) throw new ContentUnreadable(contentId, `content ${contentId} is missing`);
    return place;
  }

  #unreadable(contentId: number, { segment }: ContentPlace): never {
    const seen = `content ${contentId} in ${segmentName(segment)} is not what was written`;
    throw new ContentUnreadable(contentId, seen);
  }

  #writeError(cause: unknown): JournalError {
    const { location } = this.#options;
    if (this.#log?.isRemoved !== true) return translateError(cause, location, 'unwritable');
    const remedy = 'Everything stored in it is lost. Start the emulator again; it will begin empty.';
    return journalError('unwritable', location, 'it was removed while it was in use', { cause, remedy });
  }

  #readError(contentId: number, error: unknown): unknown {
    if (error instanceof ContentUnreadable) return error;
    const translated = translateError(error, this.#options.location, 'unreadable');
    const { code } = (error ?? {}) as NodeJS.ErrnoException;
    return OF_PROCESS.has(code) ? translated : new ContentUnreadable(contentId, translated.seen);
  }

  async #reading<Value>(read: () => Promise<Value>): Promise<Value> {
    try {
      return await read();
    } catch (error) {
      throw translateError(error, this.#options.location, 'unreadable');
    }
  }

  #corrupt(seen: string): never {
    throw journalError('corrupt', this.#options.location, seen);
  }
}
