// A batch as a record of the log in front of LevelDB: its length, twice, a checksum, and the changes to rows.

import { crc32 } from 'node:zlib';
import { type RowBatch, TEXT } from '../row-store.js';

/** A row put, or deleted when there is no value. A text is read back as its bytes. */
export type RowChange = readonly [key: string, value: Buffer | string | undefined];

export function writeChanges(batch: RowBatch, changes: Iterable<RowChange>): void {
  for (const [key, value] of changes) {
    if (value === undefined) batch.del(key);
    else if (typeof value === 'string') batch.put(key, value, TEXT);
    else batch.put(key, value);
  }
}

const HEADER_BYTES = 12;
/** In front of each change: the lengths of its key and value. */
const LENGTHS_BYTES = 6;
const DELETED = 0xffffffff;
/** Of one unit of a string. */
const MAX_UTF8_BYTES = 3;
const SCRATCH_BYTES = 64 * 1024;
/** A larger scratch, once grown for a large batch, is not kept. */
const KEPT_SCRATCH_BYTES = 1024 * 1024;

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
    for (const [key, value] of changes) needed += LENGTHS_BYTES + key.length + maxBytes(value);
    if (needed > this.#scratch.length || this.#scratch.length > KEPT_SCRATCH_BYTES) {
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
    // Both at once: the way into native code costs as much as a few hundred letters.
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

function maxBytes(value: RowChange[1]): number {
  return typeof value === 'string' ? value.length * MAX_UTF8_BYTES : (value?.length ?? 0);
}

export type ReadRecords = {
  readonly records: readonly (readonly RowChange[])[];
  /** `torn`: the last record was not written to its end, as when a process is killed. `damaged`: more follows behind. */
  readonly state: 'whole' | 'torn' | 'damaged';
};

/** The records from the start up to the first that is not as it was written. */
export function readRecords(bytes: Buffer): ReadRecords {
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

/** A file that grew before a power cut, but was not filled, ends in zeros. */
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
