// A batch as a record of the log: a header, a list of the contents, the changes to rows as text, and the contents' bytes.
//
// Checksums begin with the number of the segment and the offset of the record, so that a record in another place counts as damage.
// The contents have their own checksums, so that a damaged content does not affect any row.

import { crc32 } from 'node:zlib';
import { offsetWrittenAt, seedOf } from './seed.js';

/**
 * A row that is put, or deleted if the text is undefined. Neither key nor text has a line feed. `pageStart`, with which all keys of a page
 * begin, and `index` are set if they are known: the table groups rows by page, and then does not need to take the key apart.
 */
export type RowChange = readonly [
  key: string,
  text: string | undefined,
  pageStart?: string | undefined,
  index?: number | undefined,
];

/** The rows and contents that are appended together. After a kill, either all of them are there or none. */
export type Batch = {
  readonly rows: readonly RowChange[];
  readonly contents: readonly NewContent[];
};

export type NewContent = { readonly contentId: number; readonly bytes: Uint8Array };

/** Takes a content of a segment. `offset` is from the segment's start. */
export type TakeContent = (contentId: number, offset: number, length: number, checksum: number) => void;

/** Bytes of the rows, number of contents, bytes of the contents, checksum of these three, checksum of list and rows. */
const HEADER_BYTES = 20;
/** Content id, length, checksum. */
export const LISTED_BYTES = 16;
/** The most bytes of one UTF-16 unit. */
const MAX_UTF8_BYTES = 3;
const SCRATCH_BYTES = 256 * 1024;
/** A scratch buffer that a large batch has made larger than this is replaced by a small one. */
const MAX_RETAINED_BYTES = 1024 * 1024;

/** The approximate bytes of rows that are decoded as one text. */
const SLICE_BYTES = 1024 * 1024;
/** A segment is read and written in one call, and its lengths are numbers of 32 bits. */
const MAX_RECORD_BYTES = 2 ** 31 - 1;
/** A record that has moved by more than this is not found. It is about the size of a segment. */
const MAX_SHIFT = 16 * 1024 * 1024;

const PUT = '+';
const DELETED = '-';

/** Larger contents are written without being copied first. */
const MAX_COPIED_BYTES = 16 * 1024;

export class RecordWriter {
  #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  /** The record, in pieces. The first has header, list and rows. */
  #pieces: Uint8Array[] = [];
  #headBytes = 0;

  /** Encodes the batch independently of its place, and returns its length. `finish` completes it. */
  encode({ rows, contents }: Batch): number {
    const text = textOf(rows);
    const textStart = HEADER_BYTES + contents.length * LISTED_BYTES;
    const contentBytes = contents.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const mostBytes = textStart + text.length * MAX_UTF8_BYTES + contentBytes;
    if (mostBytes > MAX_RECORD_BYTES)
      throw new RangeError(`a batch of ${mostBytes} bytes is too large to be stored`);
    const scratch = this.#roomFor(textStart + text.length * MAX_UTF8_BYTES + copiedBytes(contents));
    const headEnd = textStart + scratch.write(text, textStart, 'utf8');
    scratch.writeUInt32LE(headEnd - textStart, 0);
    scratch.writeUInt32LE(contents.length, 4);
    scratch.writeUInt32LE(contentBytes, 8);
    this.#headBytes = headEnd;
    this.#addContents(contents, headEnd);
    return headEnd + contentBytes;
  }

  /**
   * Completes the record for its place and hands over its pieces, valid until the next `encode`. The pieces are not kept here, because a
   * large content would stay in memory until then.
   */
  finish(segment: number, offset: number): readonly Uint8Array[] {
    const scratch = this.#scratch;
    const seed = seedOf(segment, offset);
    scratch.writeUInt32LE(crc32(scratch.subarray(0, 12), seed), 12);
    scratch.writeUInt32LE(crc32(scratch.subarray(HEADER_BYTES, this.#headBytes), seed), 16);
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  /** Calls back with the place of each content, if the record is at this offset of its segment. */
  eachContent(offset: number, take: TakeContent): void {
    listContents(this.#scratch, 0, offset, take);
  }

  #addContents(contents: readonly NewContent[], contentStart: number): void {
    const scratch = this.#scratch;
    let listed = HEADER_BYTES;
    let start = 0;
    let end = contentStart;
    for (const { contentId, bytes } of contents) {
      scratch.writeDoubleLE(contentId, listed);
      scratch.writeUInt32LE(bytes.length, listed + 8);
      scratch.writeUInt32LE(crc32(bytes), listed + 12);
      listed += LISTED_BYTES;
      if (bytes.length <= MAX_COPIED_BYTES) {
        scratch.set(bytes, end);
        end += bytes.length;
      } else {
        this.#pieces.push(scratch.subarray(start, end), bytes);
        start = end;
      }
    }
    if (end > start) this.#pieces.push(scratch.subarray(start, end));
  }

  #roomFor(needed: number): Buffer {
    if (needed > this.#scratch.length || this.#scratch.length > MAX_RETAINED_BYTES) {
      this.#scratch = Buffer.allocUnsafeSlow(Math.max(needed, SCRATCH_BYTES));
    }
    return this.#scratch;
  }
}

function copiedBytes(contents: readonly NewContent[]): number {
  return contents.reduce(
    (sum, { bytes: { length } }) => (length <= MAX_COPIED_BYTES ? sum + length : sum),
    0,
  );
}

/** Joins all rows to one text, because a call into native code costs as much as a few hundred characters. */
function textOf(rows: readonly RowChange[]): string {
  let text = '';
  for (const [key, row] of rows) text += row === undefined ? `${DELETED}${key}\n` : `${PUT}${key} ${row}\n`;
  return text;
}

export type ReadRecord = {
  readonly rows: readonly RowChange[];
  eachContent(take: TakeContent): void;
};

/**
 * How the records of a segment end. A torn end is not damage: it was being written when the process or the machine stopped, and was never
 * confirmed.
 */
export type RecordsEnd = 'whole' | 'torn' | 'damaged';

export type ReadRecords = {
  readonly records: readonly ReadRecord[];
  /** The offset behind the last whole record. */
  readonly end: number;
  readonly state: RecordsEnd;
  /** Where reading can go on behind damage; undefined if no record follows. */
  readonly next: Found | undefined;
};

/** Where something was found in a segment. `shift`: its distance from the offset at which it was written; negative if it is before that. */
export type Found = { readonly offset: number; readonly shift: number };

/**
 * Reads the records of a segment from an offset, until its end or until zeros. Contents are checked only in the last record of a segment
 * that is not sealed, because a power cut may have left them incomplete.
 */
export function readRecords(
  bytes: Buffer,
  segment: number,
  { offset: start, shift }: Found,
  { isSealed }: { readonly isSealed: boolean },
): ReadRecords {
  const records: ReadRecord[] = [];
  let offset = start;
  let lastStart = start;
  for (;;) {
    const length = roomAt(bytes, offset);
    const isRecord = length !== undefined && writtenAt(bytes, segment, offset) === offset - shift;
    const record = isRecord ? recordAt(bytes, seedOf(segment, offset - shift), offset, length) : undefined;
    if (record === undefined || length === undefined) break;
    const isConfirmed = isSealed || !isBlank(bytes, offset + length) || areIntact(bytes, record);
    if (!isConfirmed) break;
    records.push(record);
    lastStart = offset;
    offset += length;
  }
  const isWhole = isSealed ? offset === bytes.length : isBlank(bytes, offset);
  if (isWhole) return { records, end: offset, state: 'whole', next: undefined };
  // Searched from the last record on, because bytes may be missing in its contents.
  const next = findRecord(bytes, segment, lastStart + 1, { offset, shift });
  // If no later record follows, this one was not confirmed: a power cut can leave any part of the last record.
  return { records, end: offset, state: isSealed || next !== undefined ? 'damaged' : 'torn', next };
}

/** Finds the first record at or behind `start` that was written at the place of the unreadable record, or behind it. */
function findRecord(bytes: Buffer, segment: number, start: number, unreadable: Found): Found | undefined {
  const writtenFrom = unreadable.offset - unreadable.shift;
  for (let offset = start; offset + HEADER_BYTES <= bytes.length; offset++) {
    const length = roomAt(bytes, offset);
    if (length === undefined) continue;
    const written = writtenAt(bytes, segment, offset);
    const shift = offset - written;
    if (written < writtenFrom || Math.abs(shift) > MAX_SHIFT) continue;
    const isInPlace = shift === unreadable.shift;
    if (isInPlace && offset === unreadable.offset) continue;
    // If the record is in its place, its header is proof enough. A record that has moved is proven only by its rows.
    if (isInPlace || hasRows(bytes, seedOf(segment, written), offset, length)) return { offset, shift };
  }
  return undefined;
}

/** The length of a record that may begin here; undefined when the file has no room for it. */
function roomAt(bytes: Buffer, offset: number): number | undefined {
  if (offset + HEADER_BYTES > bytes.length) return undefined;
  const rowBytes = bytes.readUInt32LE(offset);
  const contentCount = bytes.readUInt32LE(offset + 4);
  if (rowBytes === 0 && contentCount === 0) return undefined;
  const length = HEADER_BYTES + contentCount * LISTED_BYTES + rowBytes + bytes.readUInt32LE(offset + 8);
  return offset + length > bytes.length ? undefined : length;
}

/** The offset at which the record here was written, if its header is right. */
function writtenAt(bytes: Buffer, segment: number, offset: number): number {
  return offsetWrittenAt(segment, bytes.subarray(offset, offset + 12), bytes.readUInt32LE(offset + 12));
}

/** Whether list and rows are undamaged. */
function hasRows(bytes: Buffer, seed: number, offset: number, length: number): boolean {
  const contentStart = offset + length - bytes.readUInt32LE(offset + 8);
  const checksum = crc32(bytes.subarray(offset + HEADER_BYTES, contentStart), seed);
  return checksum === bytes.readUInt32LE(offset + 16);
}

function recordAt(bytes: Buffer, seed: number, offset: number, length: number): ReadRecord | undefined {
  if (!hasRows(bytes, seed, offset, length)) return undefined;
  const contentStart = offset + length - bytes.readUInt32LE(offset + 8);
  const eachContent = (take: TakeContent) => listContents(bytes, offset, offset, take);
  const textStart = offset + HEADER_BYTES + bytes.readUInt32LE(offset + 4) * LISTED_BYTES;
  return { rows: readRows(bytes.subarray(textStart, contentStart)), eachContent };
}

function areIntact(bytes: Buffer, { eachContent }: ReadRecord): boolean {
  let areAll = true;
  eachContent((_contentId, offset, length, checksum) => {
    if (crc32(bytes.subarray(offset, offset + length)) !== checksum) areAll = false;
  });
  return areAll;
}

const BLANK = Buffer.alloc(64 * 1024);

/** Whether only zeros follow, as in a file that was filled beforehand. */
export function isBlank(bytes: Buffer, start: number): boolean {
  for (let offset = start; offset < bytes.length; offset += BLANK.length) {
    const piece = bytes.subarray(offset, offset + BLANK.length);
    if (!piece.equals(BLANK.subarray(0, piece.length))) return false;
  }
  return true;
}

/** Reads the rows in slices, because a text cannot have more than 512 MB. */
function readRows(bytes: Buffer): RowChange[] {
  const rows: RowChange[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end =
      start + SLICE_BYTES < bytes.length ? bytes.indexOf('\n', start + SLICE_BYTES) + 1 : bytes.length;
    addRows(rows, bytes.toString('utf8', start, end));
    start = end;
  }
  return rows;
}

function addRows(rows: RowChange[], text: string): void {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    if (text[start] === DELETED) {
      rows.push([text.slice(start + 1, end), undefined]);
    } else {
      const space = text.indexOf(' ', start);
      rows.push([text.slice(start + 1, space), text.slice(space + 1, end)]);
    }
    start = end + 1;
  }
}

/** Lists the contents of the record at `recordStart`, whose offset in its segment is `recordOffset`. */
function listContents(bytes: Buffer, recordStart: number, recordOffset: number, take: TakeContent): void {
  const count = bytes.readUInt32LE(recordStart + 4);
  const listStart = recordStart + HEADER_BYTES;
  let offset = recordOffset + HEADER_BYTES + count * LISTED_BYTES + bytes.readUInt32LE(recordStart);
  for (let at = listStart; at < listStart + count * LISTED_BYTES; at += LISTED_BYTES) {
    const length = bytes.readUInt32LE(at + 8);
    take(bytes.readDoubleLE(at), offset, length, bytes.readUInt32LE(at + 12));
    offset += length;
  }
}
