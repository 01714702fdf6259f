// Reads the records of the log that formats up to 7 had in front of LevelDB: a length and its complement, a checksum, and the changes
// to rows.

import { crc32 } from 'node:zlib';

/** A row that is put, or deleted when the value is undefined. */
export type EarlierChange = readonly [key: string, value: Buffer | undefined];

const HEADER_BYTES = 12;
/** The lengths of key and value, before each change. */
const LENGTHS_BYTES = 6;
const DELETED = 0xffffffff;

type ReadBatchRecords = {
  readonly records: readonly (readonly EarlierChange[])[];
  /** `torn`: the last record is incomplete, as after a kill. `damaged`: an invalid record is followed by more data. */
  readonly state: 'whole' | 'torn' | 'damaged';
};

/** Reads the records up to the first invalid one. */
export function readBatchRecords(bytes: Buffer): ReadBatchRecords {
  const records: (readonly EarlierChange[])[] = [];
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

function readChanges(bytes: Buffer, start: number, end: number): EarlierChange[] {
  const changes: EarlierChange[] = [];
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
