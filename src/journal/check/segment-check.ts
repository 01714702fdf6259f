// Checks every byte of the log's segments: each record, each content, and each list of contents. Writes nothing.

import { crc32 } from 'node:zlib';
import { ContentPlaces } from '../log/content-places.js';
import type { Files } from '../log/files.js';
import { segmentsIn } from '../log/read-log.js';
import { findRecord, isBlank, type ReadRecord, readRecords, type TakeContent } from '../log/record.js';
import { eachSealed, sealStart, segmentName, TRAILER_BYTES } from '../log/segment.js';

export type CheckedLog = {
  readonly segments: readonly number[];
  /** Parts of files that are not what was written: one sentence each. */
  readonly damage: readonly string[];
  /** Leavings of a killed process, which are no damage. */
  readonly notes: readonly string[];
  /** Where intact contents lie. */
  readonly intact: ContentPlaces;
  /** Contents of which no intact bytes were found, each with the reason. */
  readonly damagedContents: ReadonlyMap<number, string>;
  /**
   * The last change to each row in the last run of segments without a gap. Of these rows it is the last change ever: segments are
   * deleted only before others that stay. Filled for a damaged table only.
   */
  readonly changes: ReadonlyMap<string, string | undefined>;
  /** Above the ids of all contents that were found. */
  readonly nextContentId: number;
};

export type Progress = (text: string) => void;

/** `takesRows` fills `changes`. */
export async function checkLog(
  files: Files,
  { takesRows, progress }: { readonly takesRows: boolean; readonly progress: Progress },
): Promise<CheckedLog> {
  const checker = new LogChecker(files, takesRows);
  const segments = await segmentsIn(files);
  for (const [index, segment] of segments.entries()) {
    progress(`checking ${segmentName(segment)}, ${index + 1} of ${segments.length}`);
    await checker.check(segment, { isFirst: segments[index - 1] !== segment - 1 });
  }
  return { segments, ...checker.checked() };
}

class LogChecker {
  readonly #files: Files;
  readonly #takesRows: boolean;
  readonly #damage: string[] = [];
  /** How many bytes at the end of a segment are no whole batch, by segment. */
  readonly #torn = new Map<number, number>();
  /** Segments with records and without a list of contents, ascending. Only the last segment may be one. */
  readonly #unsealed: number[] = [];
  #lastWritten = 0;
  #nextContentId = 1;
  readonly #intact = new ContentPlaces();
  readonly #damagedContents = new Map<number, string>();
  readonly #changes = new Map<string, string | undefined>();

  constructor(files: Files, takesRows: boolean) {
    this.#files = files;
    this.#takesRows = takesRows;
  }

  checked(): Omit<CheckedLog, 'segments'> {
    for (const contentId of this.#damagedContents.keys()) {
      if (this.#intact.has(contentId)) this.#damagedContents.delete(contentId);
    }
    for (const segment of this.#unsealed.filter((one) => one !== this.#lastWritten)) {
      this.#damage.push(`${segmentName(segment)} has lost the list of its contents`);
    }
    return {
      damage: this.#damage,
      notes: this.#notes(),
      intact: this.#intact,
      damagedContents: this.#damagedContents,
      changes: this.#changes,
      nextContentId: this.#nextContentId,
    };
  }

  /** `isFirst`: the segment before it is not there. */
  async check(segment: number, { isFirst }: { readonly isFirst: boolean }): Promise<void> {
    if (isFirst) this.#changes.clear();
    const bytes = await this.#readFile(segmentName(segment));
    const listStart = sealStart(bytes.subarray(Math.max(0, bytes.length - TRAILER_BYTES)), bytes.length);
    const list = listStart === undefined ? undefined : bytes.subarray(listStart);
    const take = this.#contentsOf(segment, bytes);
    const isSealed = list !== undefined && eachSealed(segment, list, take);
    if (list !== undefined && !isSealed) {
      this.#damage.push(`the list of contents of ${segmentName(segment)} is not what was written`);
    }
    const records = bytes.subarray(0, listStart ?? bytes.length);
    const isBlankFile = list === undefined && isBlank(bytes, 0);
    if (!isBlankFile) this.#lastWritten = segment;
    if (!isBlankFile && list === undefined) this.#unsealed.push(segment);
    for (const record of this.#recordsIn(segment, records, list !== undefined)) {
      if (!isSealed) record.eachContent(take);
      if (this.#takesRows) for (const [key, text] of record.rows) this.#changes.set(key, text);
    }
  }

  /** The records, also those behind damaged ones. */
  *#recordsIn(segment: number, bytes: Buffer, isSealed: boolean): Generator<ReadRecord> {
    for (let start = 0; ; ) {
      const { records, end, state } = readRecords(bytes, segment, start, { isSealed });
      yield* records;
      if (state === 'torn') this.#torn.set(segment, bytes.length - end);
      if (state !== 'damaged') return;
      const next = findRecord(bytes, segment, end + 1);
      const upTo = next ?? bytes.length;
      this.#damage.push(`${segmentName(segment)} is not what was written from byte ${end} to byte ${upTo}`);
      if (next === undefined) return;
      start = next;
    }
  }

  /** Only the last segment was being written. An earlier one with such an end has lost its list, which is damage. */
  #notes(): string[] {
    const byteCount = this.#torn.get(this.#lastWritten);
    if (byteCount === undefined) return [];
    const seen = `${segmentName(this.#lastWritten)} ends in ${byteCount} bytes that are no whole batch`;
    return [`${seen}: it was being written when the emulator or the machine stopped`];
  }

  #contentsOf(segment: number, bytes: Buffer): TakeContent {
    return (contentId, offset, length, checksum) => {
      this.#nextContentId = Math.max(this.#nextContentId, contentId + 1);
      const content = bytes.subarray(offset, offset + length);
      if (content.length === length && crc32(content) === checksum) {
        this.#intact.put(contentId, segment, offset, length, checksum);
      } else {
        this.#damagedContents.set(contentId, `its bytes in ${segmentName(segment)} are not what was written`);
      }
    };
  }

  async #readFile(name: string): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(await this.#files.size(name));
    const file = this.#files.open(name);
    try {
      return bytes.subarray(0, await file.read(bytes, 0));
    } finally {
      file.close();
    }
  }
}
