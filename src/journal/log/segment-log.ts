// The log: batches, including their contents, are appended to segments of a fixed size. The operating system has a batch when `append`
// returns, and the disk has it when `sync` has resolved. Contents stay where they are until their messages are gone.

import type { ContentPlaces } from './content-places.js';
import type { Files, SegmentFile } from './files.js';
import { type Batch, RecordWriter } from './record.js';
import { SealWriter, segmentName } from './segment.js';

const SEGMENT_BYTES = 16 * 1024 * 1024;
/** A synced file is filled with zeros beforehand, so that a sync does not need to write a new length. */
const FILL_BYTES = 256 * 1024;
/** If the disk answers within this time, the process waits for it. For a slower disk a thread waits, which costs a tenth of a millisecond more. */
const MAX_SYNC_NOW_MS = 1;

/** A place in the log. */
export type LogPosition = { readonly segment: number; readonly offset: number };

export type LogOptions = {
  /** The largest size of a segment, unless it has only one batch. */
  readonly segmentBytes?: number;
  /** Whether `sync` brings appended batches to the disk. Default: false. */
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
  /** The sizes of the sealed segments. */
  readonly #sealed: Map<number, number>;
  #segment: number;
  #offset = 0;
  #file: SegmentFile | undefined;
  /** The next segment's file, while it is filled and afterwards. */
  #next: SegmentFile | undefined;
  #filling: Promise<void> = Promise.resolve();
  #syncMs = 0;
  /** A sync by a thread that is under way; its file stays open until it ends. */
  #syncing: Promise<void> | undefined;
  /** The sync of the zeros in the next segment. Batches may already be in that file when it ends. */
  #syncingZeros: Promise<void> | undefined;
  /** Whether a record was appended that the disk may not have. Used only by a synced log. */
  #isUnsynced = false;
  /** Set when a write or sync has failed. We cannot know how much of it the disk has, so nothing more is written. */
  #failure: { readonly cause: unknown } | undefined;

  /** Goes on after the existing segments. `lastSegment` is the highest number ever used. */
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

  /** The position behind everything that was appended. */
  get position(): LogPosition {
    return this.#file === undefined
      ? { segment: this.#segment + 1, offset: 0 }
      : { segment: this.#segment, offset: this.#offset };
  }

  /** The numbers and sizes of full segments. */
  get sealed(): ReadonlyMap<number, number> {
    return this.#sealed;
  }

  /** Returns the number of bytes written. Throws if the disk is full, and at every call after that. */
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

  /** Resolves when the disk has everything appended so far; at once if the log is not synced. One call at a time. */
  async sync(): Promise<void> {
    const file = this.#file;
    if (!this.isSynced || file === undefined) return;
    const startedAt = this.#clockMs();
    if (this.#syncMs <= MAX_SYNC_NOW_MS) this.#unlessFailed(() => this.#syncNow(file));
    else await this.#syncByThread(file);
    this.#syncMs += (this.#clockMs() - startedAt - this.#syncMs) / 8;
  }

  /** Like `sync`, but may be called while another sync is under way. For callers that do not append. */
  async syncAppended(): Promise<void> {
    if (this.isSynced && this.#isUnsynced) await this.syncFrom(this.#segment);
  }

  /** Whether somebody has removed the file to which batches are appended. */
  get isRemoved(): boolean {
    return this.#file?.isRemoved() === true;
  }

  /** Brings everything in this segment and later ones to the disk, whether the log is synced or not. */
  async syncFrom(segment: number): Promise<void> {
    // A synced log has already synced its full segments.
    const full = this.isSynced ? [] : [...this.#sealed.keys()].filter((sealed) => sealed >= segment);
    const current = this.#file === undefined ? [] : [this.#segment];
    for (const one of [...full, ...current]) {
      // Windows cannot sync a file that was opened only for reading.
      const file = this.#files.reopen(segmentName(one));
      try {
        await file.sync();
      } finally {
        file.close();
      }
    }
    if (!this.isSynced) this.#files.syncFolder();
  }

  /** Deletes full segments. If the system refuses, as Windows does for an open file, that does no harm: the next start deletes it. */
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

  /** Closes the files after a failure, without writing anything. */
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

  /** Syncs the record before this one. Otherwise a power cut could leave only the second of two records, which is damage; a torn end is not. */
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
      // A disk may report its error only once, and another sync of this file may have received it meanwhile.
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
      // If it fails now, creating the file is tried again when it is needed.
    }
  }

  /** Fills the file in pieces, so that other work can run in between. A segment that is needed earlier is used as it is. */
  async #fill(file: SegmentFile): Promise<void> {
    const zeros = Buffer.alloc(Math.min(FILL_BYTES, this.#segmentBytes));
    try {
      for (let offset = 0; offset < this.#segmentBytes; offset += FILL_BYTES) {
        await new Promise(setImmediate);
        if (this.#next !== file) return;
        file.write(zeros, offset);
      }
    } catch {
      return; // If it fails now, writing to the file is tried again when it is needed.
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
    // Synced, because a power cut could bring back the removed file: after a clean stop, a segment behind the mark counts as damage.
    if (this.isSynced) this.#files.syncFolder();
  }
}
