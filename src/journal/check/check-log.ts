// Reads every byte of the log's segments, even behind damage: each record, each content, each list of contents. Writes nothing.

import { crc32 } from 'node:zlib';
import { ContentPlaces } from '../log/content-places.js';
import type { Files } from '../log/files.js';
import { type LogMark, segmentsIn } from '../log/read-log.js';
import { type Found, isBlank, readRecords, type TakeContent } from '../log/record.js';
import { eachSealed, findSeal, segmentName, TRAILER_BYTES } from '../log/segment.js';

export type Progress = (text: string) => void;

/** `mark`: undefined if the table has lost it. `isTableWhole`: the table has all rows, so changes in segments before the mark are not collected. */
export async function checkLog(
  files: Files,
  { mark, isTableWhole }: { readonly mark: LogMark | undefined; readonly isTableWhole: boolean },
  progress: Progress,
): Promise<CheckedLog> {
  const log = new CheckedLog(isTableWhole ? (mark?.segment ?? 0) : 0);
  const segments = await segmentsIn(files);
  for (const [index, segment] of segments.entries()) {
    progress(`checking ${segmentName(segment)}, ${index + 1} of ${segments.length}`);
    const isFirst = segments[index - 1] !== segment - 1;
    log.read(segment, await readFile(files, segmentName(segment)), { isFirst });
  }
  log.end(mark);
  return log;
}

type Listed = Parameters<TakeContent>;

type Unsealed = {
  readonly segment: number;
  readonly end: number;
  readonly tornBytes: number;
  /** The damage, if batches were written behind it. */
  readonly seen: string;
};

export class CheckedLog {
  segmentCount = 0;
  /** The damaged parts of files: one sentence each. */
  readonly damage: string[] = [];
  /** Remains of a killed process, which are not damage. */
  readonly notes: string[] = [];
  /** Where the intact contents are. */
  readonly intact = new ContentPlaces();
  /** Contents without intact bytes, each with the reason. */
  readonly damagedContents = new Map<number, string>();
  /**
   * The last change to each row in the last run of segments without a gap. No segment after that run can be missing, so it is also the
   * last change to that row at all.
   */
  readonly changes = new Map<string, string | undefined>();
  /** Larger than the ids of all contents that were found. */
  nextContentId = 1;
  /** The last segments, without a whole list of their contents: the one that was being written, and segments prepared for later. */
  #unsealed: Unsealed[] = [];
  readonly #firstWithChanges: number;

  constructor(firstWithChanges: number) {
    this.#firstWithChanges = firstWithChanges;
  }

  /** `isFirst`: there is no segment directly before it. */
  read(segment: number, bytes: Buffer, { isFirst }: { readonly isFirst: boolean }): void {
    this.segmentCount += 1;
    if (isFirst) this.changes.clear();
    if (!isBlank(bytes, 0)) this.#expectSeals();
    const seal = findSeal(bytes.subarray(-TRAILER_BYTES), bytes.length);
    const sealed: Listed[] = [];
    const isIntact =
      seal !== undefined &&
      eachSealed(segment, bytes.subarray(seal.offset), (...content) => sealed.push(content));
    const isSealed = isIntact || seal?.shift === 0;
    const { listed, shifts, end, isTorn } = this.#readRecords(segment, bytes, isSealed ? seal : undefined);
    this.#place(segment, bytes, isIntact ? sealed : listed, shifts);
    if (isIntact) return;
    const name = segmentName(segment);
    // A power cut leaves any sectors of the last list: its end may be there, and its beginning not.
    const seen = isSealed
      ? `the list of contents of ${name} is not what was written`
      : `${name} has lost the list of its contents`;
    this.#unsealed.push({ segment, end, tornBytes: isTorn || isSealed ? bytes.length - end : 0, seen });
  }

  /** Ends the check. An incomplete batch is not damage if it is at the end of the log and the table has nothing of it. */
  end(mark: LogMark | undefined): void {
    for (const contentId of this.damagedContents.keys()) {
      if (this.intact.has(contentId)) this.damagedContents.delete(contentId);
    }
    if (mark?.isClean) this.#expectSeals();
    const [last] = this.#unsealed;
    if (last === undefined) return;
    const { segment, end, tornBytes } = last;
    const marked = mark?.segment === segment ? mark.offset : 0;
    const name = segmentName(segment);
    if (end < marked) this.damage.push(`${name} is not what was written from byte ${end} to byte ${marked}`);
    else if (tornBytes > 0) {
      const seen = `${name} ends in ${tornBytes} bytes that are not a whole batch`;
      this.notes.push(`${seen}: it was being written when the emulator or the machine stopped`);
    }
  }

  /** Reads all records up to the list of contents, even behind damage. */
  #readRecords(segment: number, bytes: Buffer, seal: Found | undefined) {
    const listed: Listed[] = [];
    const shifts = new Set([seal?.shift ?? 0]);
    for (let from: Found = { offset: 0, shift: 0 }; ; ) {
      const { shift } = from;
      shifts.add(shift);
      // If bytes are missing before the list, the last record reaches into it.
      const area = bytes.subarray(0, seal && seal.offset + Math.max(shift - seal.shift, 0));
      const { records, end, state, next } = readRecords(area, segment, from, {
        isSealed: seal !== undefined,
      });
      for (const { rows, eachContent } of records) {
        eachContent((id, offset, length, checksum) => listed.push([id, offset - shift, length, checksum]));
        if (segment >= this.#firstWithChanges) for (const [key, text] of rows) this.changes.set(key, text);
      }
      const following = next ?? seal;
      if (following !== undefined && (state === 'damaged' || following.shift !== shift)) {
        this.damage.push(
          `${segmentName(segment)} is not what was written ${rangeOf(end, following, following.shift - shift)}`,
        );
      }
      if (next === undefined) return { listed, shifts, end, isTorn: state === 'torn' };
      from = next;
    }
  }

  /** Notes where each content is: at the offset at which it was written, or shifted as far as one of the records. */
  #place(segment: number, bytes: Buffer, contents: readonly Listed[], shifts: ReadonlySet<number>): void {
    const isAt = (offset: number, length: number, checksum: number) =>
      offset >= 0 &&
      offset + length <= bytes.length &&
      crc32(bytes.subarray(offset, offset + length)) === checksum;
    for (const [contentId, writtenAt, length, checksum] of contents) {
      this.nextContentId = Math.max(this.nextContentId, contentId + 1);
      const shift = [...shifts].find((each) => isAt(writtenAt + each, length, checksum));
      if (shift !== undefined) this.intact.put(contentId, segment, writtenAt + shift, length, checksum);
      else
        this.damagedContents.set(contentId, `its bytes in ${segmentName(segment)} are not what was written`);
    }
  }

  #expectSeals(): void {
    for (const { seen } of this.#unsealed.splice(0)) this.damage.push(seen);
  }
}

/** `more`: the number of bytes too many; negative if bytes are missing. */
function rangeOf(end: number, { offset }: Found, more: number): string {
  if (more === 0) return `from byte ${end} to byte ${offset}`;
  const count = `${Math.abs(more)} ${Math.abs(more) === 1 ? 'byte' : 'bytes'}`;
  return `before byte ${offset}: ${count} too ${more > 0 ? 'many' : 'few'}`;
}

async function readFile(files: Files, name: string): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(await files.size(name));
  const file = files.open(name);
  try {
    return bytes.subarray(0, await file.read(bytes, 0));
  } finally {
    file.close();
  }
}
