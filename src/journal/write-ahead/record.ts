// Encodes a batch as a record of the write-ahead log: its length and that length's complement, a checksum,
// and the changes to rows.

import { crc32 } from 'node:zlib';
import { type RowBatch, TEXT } from '../row-store.js';

/** A row that is put, or deleted when the value is undefined. A text is read back as its bytes. */
export type RowChange = readonly [key: string, value: Buffer | string | undefined];

export function writeChanges(batch: RowBatch, changes: Iterable<RowChange>): void {
  for (const [key, value] of changes) {
    if (value === undefined) batch.del(key);
    else if (typeof value === 'string') batch.put(key, value, TEXT);
    else batch.put(key, value);
  }
}

const HEADER_BYTES = 12;
/** The lengths of key and value, before each change. */
const LENGTHS_BYTES = 6;
const DELETED = 0xffffffff;
/** The most bytes of one UTF-16 unit. */
const MAX_UTF8_BYTES = 3;
const SCRATCH_BYTES = 64 * 1024;
/** A scratch buffer that has grown beyond this for a large batch is replaced. */
const MAX_RETAINED_BYTES = 1024 * 1024;

export class RecordWriter {
  #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  /** Valid until the next call. Layout: length, its complement, checksum, then for each change key length, value length, key, value. */
  encode(changes: readonly RowChange[]): Buffer {
    const scratch = this.#roomFor(changes);
    let offset = HEADER_BYTES;
    for (const [key, value] of changes) offset = encodeChange(scratch, offset, key, value);
    const length = offset - HEADER_BYTES;
    scratch.writeUInt32LE(length, 0);
    scratch.writeUInt32LE(~length >>> 0, 4);
    scratch.writeUInt32LE(crc32(scratch.subarray(HEADER_BYTES, offset)), 8);
    return scratch.subarray(0, offset);
  }

  #roomFor(changes: readonly RowChange[]): Buffer {
    let needed = HEADER_BYTES;
    for (const [key, value] of changes) needed += LENGTHS_BYTES + key.length + maxBytesOf(value);
    if (needed > this.#scratch.length || this.#scratch.length > MAX_RETAINED_BYTES) {
      this.#scratch = Buffer.allocUnsafeSlow(Math.max(needed, SCRATCH_BYTES));
    }
    return this.#scratch;
  }
}

function encodeChange(into: Buffer, start: number, key: string, value: RowChange[1]): number {
  const keyStart = start + LENGTHS_BYTES;
  const valueStart = keyStart + key.length;
  into.writeUInt16LE(key.length, start);
  if (typeof value === 'string') {
    // Both in one call: a call into native code costs as much as a few hundred characters.
    const end = keyStart + into.write(key + value, keyStart, 'utf8');
    into.writeUInt32LE(end - valueStart, start + 2);
    return end;
  }
  into.write(key, keyStart, 'latin1');
  into.writeUInt32LE(value === undefined ? DELETED : value.length, start + 2);
  if (value === undefined) return valueStart;
  into.set(value, valueStart);
  return valueStart + value.length;
}

function maxBytesOf(value: RowChange[1]): number {
  return typeof value === 'string' ? value.length * MAX_UTF8_BYTES : (value?.length ?? 0);
}

type ReadBatchRecords = {
  readonly records: readonly (readonly RowChange[])[];
  /** `torn`: the last record is incomplete, as after a kill. `damaged`: an invalid record is followed by more data. */
  readonly state: 'whole' | 'torn' | 'damaged';
};

/** Reads the records up to the first invalid one. */
export function readBatchRecords(bytes: Buffer): ReadBatchRecords {
  const records: (readonly RowChange[])[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const start = offset + HEADER_BYTES;
    if (start > bytes.length) return { records, state: 'torn' };
    const length = bytes.readUInt32LE(offset);
    const end = start + length;
    if (bytes.readUInt32LE(offset + 4) !== ~length >>> 0)
      return { records, state: stateOfRest(bytes, offset) };
    if (end > bytes.length) return { records, state: 'torn' };
    if (crc32(bytes.subarray(start, end)) !== bytes.readUInt32LE(offset + 8)) {
      return { records, state: end === bytes.length ? 'torn' : 'damaged' };
    }
    records.push(readChanges(bytes, start, end));
    offset = end;
  }
  return { records, state: 'whole' };
}

/** A file whose size had grown before a power cut, but not its data, ends in zeros. */
function stateOfRest(bytes: Buffer, offset: number): 'torn' | 'damaged' {
  return bytes.subarray(offset).every((byte) => byte === 0) ? 'torn' : 'damaged';
}

function readChanges(bytes: Buffer, start: number, end: number): RowChange[] {
  const changes: RowChange[] = [];
  for (let offset = start; offset < end; ) {
    const keyStart = offset + LENGTHS_BYTES;
    const length = bytes.readUInt32LE(offset + 2);
    offset = keyStart + bytes.readUInt16LE(offset);
    const key = bytes.toString('latin1', keyStart, offset);
    if (length === DELETED) {
      changes.push([key, undefined]);
    } else {
      changes.push([key, bytes.subarray(offset, offset + length)]);
      offset += length;
    }
  }
  return changes;
}
