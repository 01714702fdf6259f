// The number with which the checksums of a record begin. It combines the segment and the offset at which the record is written, so that a
// record in another place counts as damage. Running a checksum backwards to that number shows where a record was written that has moved.

import { crc32 } from 'node:zlib';

export function seedOf(segment: number, offset: number): number {
  return (saltOf(segment) ^ offset) >>> 0;
}

/** The offset at which bytes with this checksum were written. For damaged bytes it is an arbitrary number. */
export function offsetWrittenAt(segment: number, bytes: Uint8Array, checksum: number): number {
  // A CRC is linear: after the bytes are taken out, the seed is left, pushed through as many zeros.
  let state = (checksum ^ crc32(bytes)) >>> 0;
  for (let count = 0; count < bytes.length; count++) {
    const index = INDEX_OF[state >>> 24] as number;
    state = (((state ^ (TABLE[index] as number)) << 8) | index) >>> 0;
  }
  return (state ^ saltOf(segment)) >>> 0;
}

function saltOf(segment: number): number {
  return Math.imul(segment, 0x9e3779b1);
}

/** The table of the CRC: what each value of eight bits becomes after a zero byte. */
const ZERO = new Uint8Array(1);
const TABLE = Uint32Array.from({ length: 256 }, (_, index) => crc32(ZERO, index) ^ crc32(ZERO));
/** Finds an entry of the table by its upper eight bits, which no other entry has. */
const INDEX_OF = new Uint8Array(256);
for (const [index, entry] of TABLE.entries()) INDEX_OF[entry >>> 24] = index;
