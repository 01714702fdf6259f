// Where the checksums of a record begin: with a number for its segment and the offset at which it is written, so that a record in
// another place is damage. A checksum can be run backwards to that number, which tells where a record was written that has moved.

import { crc32 } from 'node:zlib';

export function seedOf(segment: number, offset: number): number {
  return (saltOf(segment) ^ offset) >>> 0;
}

/** The offset at which bytes with this checksum were written. Any number for bytes that are not what was written. */
export function offsetWrittenAt(segment: number, bytes: Uint8Array, checksum: number): number {
  // A CRC is linear: what is left without the bytes is the seed, pushed through as many zeros.
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

/** The table of the CRC: what a zero byte makes of each value of eight bits. */
const ZERO = new Uint8Array(1);
const TABLE = Uint32Array.from({ length: 256 }, (_, index) => crc32(ZERO, index) ^ crc32(ZERO));
/** The upper eight bits of an entry occur in no other one. */
const INDEX_OF = new Uint8Array(256);
for (const [index, entry] of TABLE.entries()) INDEX_OF[entry >>> 24] = index;
