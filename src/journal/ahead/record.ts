// A batch as a record of the log in front of LevelDB: its length, twice, a checksum, and the changes to rows.

import { crc32 } from 'node:zlib';

/** A row put, or deleted when there is no value. */
export type RowChange = readonly [key: string, value: Buffer | undefined];

const HEADER_BYTES = 12;
const DELETED = 0xffffffff;
const SCRATCH_BYTES = 64 * 1024;
/** A larger scratch, once grown for a large batch, is not kept. */
const KEPT_SCRATCH_BYTES = 1024 * 1024;

export class RecordWriter {
  #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  /** Valid until the next call. Layout: length, its complement, checksum, then for each change key length, key, value length, value. */
  encode(changes: readonly RowChange[]): Buffer {
    const scratch = this.#roomFor(changes);
    let offset = HEADER_BYTES;
    for (const [key, value] of changes) {
      offset = scratch.writeUInt16LE(key.length, offset);
      offset += scratch.write(key, offset, 'latin1');
      offset = scratch.writeUInt32LE(value === undefined ? DELETED : value.length, offset);
      if (value === undefined) continue;
      scratch.set(value, offset);
      offset += value.length;
    }
    const length = offset - HEADER_BYTES;
    scratch.writeUInt32LE(length, 0);
    scratch.writeUInt32LE(~length >>> 0, 4);
    scratch.writeUInt32LE(crc32(scratch.subarray(HEADER_BYTES, offset)), 8);
    return scratch.subarray(0, offset);
  }

  #roomFor(changes: readonly RowChange[]): Buffer {
    let needed = HEADER_BYTES;
    for (const [key, value] of changes) needed += 6 + key.length + (value?.length ?? 0);
    if (needed > this.#scratch.length || this.#scratch.length > KEPT_SCRATCH_BYTES) {
      this.#scratch = Buffer.allocUnsafeSlow(Math.max(needed, SCRATCH_BYTES));
    }
    return this.#scratch;
  }
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
    const keyEnd = offset + 2 + bytes.readUInt16LE(offset);
    const key = bytes.toString('latin1', offset + 2, keyEnd);
    const length = bytes.readUInt32LE(keyEnd);
    offset = keyEnd + 4;
    if (length === DELETED) {
      changes.push([key, undefined]);
    } else {
      changes.push([key, bytes.subarray(offset, offset + length)]);
      offset += length;
    }
  }
  return changes;
}
