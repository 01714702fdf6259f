// Reads the log at a start: the place of each content, and the changes to rows that the table does not have yet. Writes nothing.

import type { ContentPlaces } from './content-places.js';
import type { Files } from './files.js';
import { type RowChange, readRecords } from './record.js';
import { eachSealed, SEGMENT_NAME, SealWriter, sealStart, segmentName, TRAILER_BYTES } from './segment.js';
import type { LogPosition } from './segment-log.js';

/** The position up to which the table has everything. After a clean stop the log ends exactly there. */
export type LogMark = LogPosition & { readonly isClean: boolean };

/** A segment without a list of its contents at its end. */
export type Unsealed = {
  readonly segment: number;
  readonly size: number;
  /** `prepared`: nothing was written to it yet. `damaged`: it stays as it is. */
  readonly kind: 'being-written' | 'prepared' | 'damaged';
  /** The offset behind the last whole record. */
  readonly end: number;
  /** The list of its contents, to be written at its end. */
  readonly seal: SealWriter;
};

export type LoadedLog = {
  /** The last change to each row behind the mark; undefined for a deleted row. */
  readonly changes: Map<string, string | undefined>;
  /** The sizes of the sealed segments. */
  readonly sealed: Map<number, number>;
  readonly unsealed: readonly Unsealed[];
  /** The number of the last segment; the next one gets the number after it. */
  readonly lastSegment: number;
  /** Larger than the ids of all contents in the segments. */
  readonly nextContentId: number;
  /** Damage that affects no row: one sentence each. */
  readonly warnings: readonly string[];
  /** A sentence about the unfinished batch at the end of the log; undefined if there is none. */
  readonly tornEnd: string | undefined;
  /** Damage to rows that the table does not have; undefined if there is none. */
  readonly damage: string | undefined;
};

export function readLog(files: Files, places: ContentPlaces, mark: LogMark | undefined): Promise<LoadedLog> {
  return new LogReader(files, places, mark).read();
}

/** The numbers of the segments in the folder, ascending. */
export async function segmentsIn(files: Files): Promise<number[]> {
  const names = await files.list();
  const numbers = names.map((name) => Number(SEGMENT_NAME.exec(name)?.[1])).filter((number) => number > 0);
  return numbers.sort((a, b) => a - b);
}

class LogReader {
  readonly #files: Files;
  readonly #places: ContentPlaces;
  readonly #mark: LogMark;
  readonly #changes = new Map<string, string | undefined>();
  readonly #sealed = new Map<number, number>();
  #unsealed: Unsealed[] = [];
  readonly #warnings: string[] = [];
  #tornEnd: string | undefined;
  #scratch = Buffer.alloc(0);
  #damage: string | undefined;
  #nextContentId = 1;

  constructor(files: Files, places: ContentPlaces, mark: LogMark | undefined) {
    this.#files = files;
    this.#places = places;
    this.#mark = mark ?? { segment: 0, offset: 0, isClean: false };
  }

  async read(): Promise<LoadedLog> {
    const segments = await segmentsIn(this.#files);
    this.#expectNoGap(segments);
    this.#expectEnd(segments);
    for (const segment of segments) await this.#readSegment(segment);
    this.#checkSeals(segments);
    return {
      changes: this.#changes,
      sealed: this.#sealed,
      unsealed: this.#unsealed,
      lastSegment: this.#lastSegment(segments),
      nextContentId: this.#nextContentId,
      warnings: this.#warnings,
      tornEnd: this.#tornEnd,
      damage: this.#damage,
    };
  }

  /** A gap behind the mark is damage, because segments are deleted only before it. */
  #expectNoGap(segments: readonly number[]): void {
    const { segment: first, offset } = this.#mark;
    const last = Math.max(segments.at(-1) ?? 0, offset > 0 ? first : 0);
    for (let segment = first; segment <= last; segment++) {
      if (segment > 0 && !segments.includes(segment)) this.#damaged(`${segmentName(segment)} is missing`);
    }
  }

  /** A segment behind the mark of a clean stop is damage: the mark changes before anything is written there. */
  #expectEnd(segments: readonly number[]): void {
    const { segment: end, isClean } = this.#mark;
    const following = segments.find((segment) => isClean && segment >= end);
    if (following === undefined) return;
    this.#damaged(`${segmentName(following)} exists, although the emulator stopped cleanly before it`);
  }

  /** The number after which segments go on. Prepared segments do not count: they are deleted before the next batch, and a gap would be damage. */
  #lastSegment(segments: readonly number[]): number {
    const { segment, offset } = this.#mark;
    const prepared = this.#unsealed.filter(({ kind }) => kind === 'prepared').map((one) => one.segment);
    const lastWritten = segments.findLast((one) => !prepared.includes(one)) ?? 0;
    return Math.max(lastWritten, offset > 0 ? segment : segment - 1, 0);
  }

  /** Checks that all segments are sealed, except the one that was being written and prepared ones after it. */
  #checkSeals(segments: readonly number[]): void {
    const lastWritten = this.#mark.isClean ? Number.POSITIVE_INFINITY : this.#lastSegment(segments);
    this.#unsealed = this.#unsealed.map((unsealed) => {
      const { segment, kind } = unsealed;
      if (segment === lastWritten || (kind === 'prepared' && segment > lastWritten)) return unsealed;
      const seen = `${segmentName(segment)} has lost the list of its contents`;
      // Batches may be missing at its end, although later segments have more.
      if (segment >= this.#mark.segment) this.#damaged(seen);
      this.#warnings.push(`${seen}.`);
      return { ...unsealed, kind: 'damaged' };
    });
  }

  async #readSegment(segment: number): Promise<void> {
    const name = segmentName(segment);
    const size = await this.#files.size(name);
    const trailer = this.#readBytes(name, Math.max(size - TRAILER_BYTES, 0), size);
    const listStart = sealStart(trailer, size) ?? size;
    const list = this.#readBytes(name, listStart, size);
    const isSealed = listStart < size && eachSealed(segment, list, this.#placeIn(segment));
    if (isSealed) this.#sealed.set(segment, size);
    if (isSealed && segment < this.#mark.segment) return;
    const bytes = this.#readBytes(name, 0, isSealed ? listStart : size);
    if (isSealed) this.#readNewRows(segment, bytes, { isSealed });
    else this.#readUnsealed(segment, bytes);
  }

  #readNewRows(segment: number, bytes: Buffer, { isSealed }: { readonly isSealed: boolean }): void {
    const start = segment === this.#mark.segment ? this.#mark.offset : 0;
    const { records, end, state } = readRecords(
      bytes,
      segment,
      { offset: Math.min(start, bytes.length), shift: 0 },
      { isSealed },
    );
    for (const { rows } of records) this.#replay(rows);
    const name = segmentName(segment);
    if (state === 'damaged') this.#damaged(`${name} is not what was written from byte ${end} on`);
    if (state !== 'torn') return;
    const seen = `${name} ends in ${bytes.length - end} bytes that are not a whole batch`;
    const cause = 'it was being written when the emulator or the machine stopped';
    this.#tornEnd = `${seen}: ${cause}. It was not accepted, and is left out.`;
  }

  #readUnsealed(segment: number, bytes: Buffer): void {
    const name = segmentName(segment);
    const { segment: marked, offset } = this.#mark;
    const seal = new SealWriter();
    const place = this.#placeIn(segment);
    const { records, end, state } = readRecords(bytes, segment, { offset: 0, shift: 0 }, { isSealed: false });
    for (const record of records) {
      record.eachContent(place);
      record.eachContent(seal.add);
    }
    const mustBe = segment === marked ? offset : 0;
    if (end < mustBe) {
      this.#warnings.push(`${name} has ${end} bytes of whole batches instead of at least ${mustBe}.`);
    }
    if (segment >= marked) this.#readNewRows(segment, bytes, { isSealed: false });
    const isPrepared = end === 0 && state === 'whole' && mustBe === 0;
    const kind = isPrepared ? 'prepared' : state === 'damaged' ? 'damaged' : 'being-written';
    this.#unsealed.push({ segment, size: bytes.length, kind, end, seal });
  }

  #placeIn(segment: number) {
    return (contentId: number, offset: number, length: number, checksum: number): void => {
      this.#places.put(contentId, segment, offset, length, checksum);
      if (contentId >= this.#nextContentId) this.#nextContentId = contentId + 1;
    };
  }

  #replay(rows: readonly RowChange[]): void {
    for (const [key, text] of rows) this.#changes.set(key, text);
  }

  #damaged(seen: string): void {
    this.#damage ??= seen;
  }

  /** Returns bytes that are valid until the next call. A new buffer for each segment would stay in memory long after the start. */
  #readBytes(name: string, start: number, end: number): Buffer {
    if (end - start > this.#scratch.length) this.#scratch = Buffer.allocUnsafeSlow(end - start);
    const bytes = this.#scratch.subarray(0, end - start);
    const file = this.#files.open(name);
    try {
      return bytes.subarray(0, file.readNow(bytes, start));
    } finally {
      file.close();
    }
  }
}
