// The number with which the checksums of a record begin. It combines the segment and the offset at which the record is written, so that a
// record in another place counts as damage. Running a checksum backwards to that number shows where a record was written that has moved.

import { crc32 } from 'node:zlib';

export function seedOf(segment: number, offset: number): number {
  return (saltOf(segment) ^ offset) >>> 0;
}

/** The offset at which bytes with this checksum were written. For damaged bytes it is an arbitrary number. */
export function offsetWrittenAt(segment: number, bytes: Uint8Array, checksum: number): number {
  // A CRC is linear: after the bytes are taken out, the seed is left, pushed through as many zeros.
  table ??= makeTable();
  const { entries, indexOf } = table;
  let state = (checksum ^ crc32(bytes)) >>> 0;
  for (let count = 0; count < bytes.length; count++) {
    const index = indexOf[state >>> 24] as number;
    state = (((state ^ (entries[index] as number)) << 8) | index) >>> 0;
  }
  return (state ^ saltOf(segment)) >>> 0;
}

function saltOf(segment: number): number {
  return Math.imul(segment, 0x9e3779b1);
}

type CrcTable = {
  /** Each value of eight bits as it is after a zero byte. */
  readonly entries: Uint32Array;
  /** Finds an entry by its upper eight bits, which no other entry has. */
  readonly indexOf: Uint8Array;
};

/** Made for the first record that is in the wrong place: a sound journal has none. */
let table: CrcTable | undefined;

function makeTable(): CrcTable {
  const zero = new Uint8Array(1);
  const entries = Uint32Array.from({ length: 256 }, (_, index) => crc32(zero, index) ^ crc32(zero));
  const indexOf = new Uint8Array(256);
  for (const [index, entry] of entries.entries()) indexOf[entry >>> 24] = index;
  return { entries, indexOf };
}
