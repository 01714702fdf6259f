// The log: batches are appended to segments of a fixed size, contents and all. A batch is with the operating system when `append`
// returns, and with the disk when `sync` has resolved. Contents stay where they are until their messages are gone.

import type { ContentPlaces } from './content-places.js';
import type { Files, SegmentFile } from './files.js';
import { type Batch, RecordWriter } from './record.js';
import { SealWriter, segmentName } from './segment.js';

const SEGMENT_BYTES = 16 * 1024 * 1024;
/** A synced file is filled with zeros beforehand, so that a sync has no new length to write. */
const FILL_BYTES = 256 * 1024;
/** A disk that answers within this is waited for; for a slower one a thread waits, which costs a tenth of a millisecond more. */
const MAX_SYNC_NOW_MS = 1;

/** A place in the log. */
export type LogPosition = { readonly segment: number; readonly offset: number };

export type LogOptions = {
  /** The size that a segment does not exceed, unless it has only one batch. */
  readonly segmentBytes?: number;
  /** Whether `sync` brings what was appended to the disk. Default: false. */
  readonly isSynced?: boolean;
  readonly clockMs?: () => number;
};

export class SegmentLog {
  readonly isSynced: boolean;
  readonly #files: Files;
  readonly #places: ContentPlaces;
  readonly #segmentBytes: number;
  readonly #clockMs: () => number;
  readonly #writer = new RecordWriter();
  readonly #seal = new SealWriter();
  /** The sizes of the segments that are sealed. */
  readonly #sealed: Map<number, number>;
  #segment: number;
  #offset = 0;
  #file: SegmentFile | undefined;
  /** The next segment's file, while it is filled and afterwards. */
  #next: SegmentFile | undefined;
  #filling: Promise<void> = Promise.resolve();
  #syncMs = 0;
  /** A sync by a thread that is under way: until then its file stays open. */
  #syncing: Promise<void> | undefined;
  /** The sync of a next segment's zeros. It may end when batches are in that file already. */
  #syncingZeros: Promise<void> | undefined;
  /** Whether a record was appended that the disk may not have. Only a log that is synced looks at it. */
  #isUnsynced = false;
  /** Nobody knows how much of the last write or sync the disk has: nothing follows it. */
  #failure: { readonly cause: unknown } | undefined;

  /** Goes on behind the segments that are there. `lastSegment` is the highest number ever used. */
  constructor(
    files: Files,
    places: ContentPlaces,
    { sealed, lastSegment }: { readonly sealed: Map<number, number>; readonly lastSegment: number },
    options: LogOptions = {},
  ) {
    this.#files = files;
    this.#places = places;
    this.#sealed = sealed;
    this.#segment = lastSegment;
    this.#segmentBytes = options.segmentBytes ?? SEGMENT_BYTES;
    this.isSynced = options.isSynced ?? false;
    this.#clockMs = options.clockMs ?? (() => performance.now());
  }

  /** Behind everything that was appended. */
  get position(): LogPosition {
    return this.#file === undefined
      ? { segment: this.#segment + 1, offset: 0 }
      : { segment: this.#segment, offset: this.#offset };
  }

  /** The numbers and sizes of full segments. */
  get sealed(): ReadonlyMap<number, number> {
    return this.#sealed;
  }

  /** Returns the number of bytes written. Throws when the disk is full, and from then on. */
  append(batch: Batch): number {
    return this.#unlessFailed(() => this.#append(batch));
  }

  #append(batch: Batch): number {
    const length = this.#writer.encode(batch);
    this.#syncEarlier();
    const isFull = this.#offset > 0 && this.#offset + length > this.#segmentBytes;
    if (this.#file === undefined || isFull) this.#roll();
    const start = this.#offset;
    let end = start;
    for (const piece of this.#writer.finish(this.#segment, start)) {
      (this.#file as SegmentFile).write(piece, end);
      end += piece.length;
    }
    this.#offset = start + length;
    this.#isUnsynced = true;
    this.#writer.eachContent(start, this.#noteContent);
    return length;
  }

  /** Resolves when the disk has everything appended so far, or at once if the log is not synced. One call at a time. */
  async sync(): Promise<void> {
    const file = this.#file;
    if (!this.isSynced || file === undefined) return;
    const startedAt = this.#clockMs();
    if (this.#syncMs <= MAX_SYNC_NOW_MS) this.#unlessFailed(() => this.#syncNow(file));
    else await this.#syncByThread(file);
    this.#syncMs += (this.#clockMs() - startedAt - this.#syncMs) / 8;
  }

  /** Like `sync`, for others than the one who appends: may be called while a sync is under way. */
  async syncAppended(): Promise<void> {
    if (this.isSynced && this.#isUnsynced) await this.syncFrom(this.#segment);
  }

  /** Whether somebody has removed the file that batches are appended to. */
  get isRemoved(): boolean {
    return this.#file?.isRemoved() === true;
  }

  /** Brings what was appended since this segment began to the disk, whether the log is synced or not. */
  async syncFrom(segment: number): Promise<void> {
    // A synced log has synced its full segments already.
    const full = this.isSynced ? [] : [...this.#sealed.keys()].filter((sealed) => sealed >= segment);
    const current = this.#file === undefined ? [] : [this.#segment];
    for (const one of [...full, ...current]) {
      // Windows syncs no file that was opened for reading only.
      const file = this.#files.reopen(segmentName(one));
      try {
        await file.sync();
      } finally {
        file.close();
      }
    }
    if (!this.isSynced) this.#files.syncFolder();
  }

  /** Deletes full segments. One that the system does not delete, as Windows while others have it open, does no harm: the next start does. */
  async remove(segments: readonly number[]): Promise<void> {
    for (const segment of segments) {
      this.#sealed.delete(segment);
      await this.#files.remove(segmentName(segment)).catch(() => {});
    }
    if (this.isSynced) this.#files.syncFolder();
  }

  /** Seals the last segment: everything is in the table, and nothing more will be appended. */
  async close(): Promise<void> {
    const file = this.#file;
    if (file !== undefined) {
      this.#syncEarlier();
      this.#file = undefined;
      this.#sealCurrent(file);
    }
    await this.#dropNext();
  }

  /** Ends after a failure: writes nothing. */
  async abandon(): Promise<void> {
    if (this.#file !== undefined) this.#closeFile(this.#file);
    this.#file = undefined;
    await this.#dropNext();
  }

  #unlessFailed<Value>(write: () => Value): Value {
    if (this.#failure !== undefined) throw this.#failure.cause;
    try {
      return write();
    } catch (cause) {
      this.#failure = { cause };
      throw cause;
    }
  }

  /** A power cut could leave the second of two records, which is damage, and a torn end is not. */
  #syncEarlier(): void {
    if (this.isSynced && this.#isUnsynced && this.#file !== undefined) this.#syncNow(this.#file);
  }

  #syncNow(file: SegmentFile): void {
    file.syncNow();
    this.#isUnsynced = false;
  }

  async #syncByThread(file: SegmentFile): Promise<void> {
    const { segment, offset } = this.position;
    this.#syncing = this.#unlessFailed(() => file.sync());
    try {
      await this.#syncing;
      // A disk may tell its error only once: to another sync of this file that came meanwhile.
      this.#unlessFailed(() => {});
      if (this.#segment === segment && this.#offset === offset) this.#isUnsynced = false;
    } catch (cause) {
      this.#failure ??= { cause };
      throw cause;
    } finally {
      this.#syncing = undefined;
    }
  }

  #closeFile(file: SegmentFile): void {
    const syncs = [this.#syncing, this.#syncingZeros].filter((sync) => sync !== undefined);
    if (syncs.length === 0) file.close();
    else Promise.allSettled(syncs).then(() => file.close());
  }

  readonly #noteContent = (contentId: number, offset: number, length: number, checksum: number): void => {
    this.#places.put(contentId, this.#segment, offset, length, checksum);
    this.#seal.add(contentId, offset, length, checksum);
  };

  #roll(): void {
    const full = this.#file;
    this.#file = undefined;
    if (full !== undefined) this.#sealCurrent(full);
    this.#segment += 1;
    this.#offset = 0;
    this.#file = this.#next ?? this.#files.create(segmentName(this.#segment));
    this.#next = undefined;
    if (!this.isSynced) return;
    this.#files.syncFolder();
    this.#prepareNext();
  }

  #sealCurrent(file: SegmentFile): void {
    const seal = this.#seal.finish(this.#segment, this.#offset);
    try {
      file.write(seal, this.#offset);
      if (this.isSynced) {
        file.truncate(this.#offset + seal.length);
        this.#syncNow(file);
      }
    } finally {
      this.#closeFile(file);
    }
    this.#sealed.set(this.#segment, this.#offset + seal.length);
  }

  #prepareNext(): void {
    try {
      const file = this.#files.create(segmentName(this.#segment + 1));
      this.#next = file;
      this.#filling = this.#filling.then(() => this.#fill(file));
    } catch {
      // A file that cannot be created now is created, or fails, when it is needed.
    }
  }

  /** In pieces, so that others have their turn. A segment that is needed earlier is used as it is. */
  async #fill(file: SegmentFile): Promise<void> {
    const zeros = Buffer.alloc(Math.min(FILL_BYTES, this.#segmentBytes));
    try {
      for (let offset = 0; offset < this.#segmentBytes; offset += FILL_BYTES) {
        await new Promise(setImmediate);
        if (this.#next !== file) return;
        file.write(zeros, offset);
      }
    } catch {
      return; // A file that cannot be filled now is written, or fails, when it is needed.
    }
    await this.#syncZeros(file);
  }

  async #syncZeros(file: SegmentFile): Promise<void> {
    try {
      this.#syncingZeros = file.sync();
      await this.#syncingZeros;
    } catch (cause) {
      this.#failure ??= { cause };
    } finally {
      this.#syncingZeros = undefined;
    }
  }

  async #dropNext(): Promise<void> {
    const next = this.#next;
    if (next === undefined) return;
    this.#next = undefined;
    await this.#filling;
    next.close();
    await this.#files.remove(segmentName(this.#segment + 1));
    // After a clean stop a segment behind the mark is damage, also one that a power cut has brought back.
    if (this.isSynced) this.#files.syncFolder();
  }
}
