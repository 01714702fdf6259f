// A segment of the log: its name, and the list of its contents, which is written at its end when it is full. With the list, the next
// start does not need to read the contents.

import { crc32 } from 'node:zlib';
import type { Found, TakeContent } from './record.js';

/** The folder of the log in the store's directory, where LevelDB ignores files that are not its own. */
export const SEGMENTS_FOLDER = 'segments';
export const SEGMENT_NAME = /^(\d{8,})\.segment$/;

export function segmentName(segment: number): string {
  return `${String(segment).padStart(8, '0')}.segment`;
}

/** Content id, offset, length, checksum. */
export const ENTRY_BYTES = 20;
/** Offset of the list, number of contents, checksum of the list and of these two numbers, and `SEAL`. */
export const TRAILER_BYTES = 16;
const SEAL = 0x4c41_4553;

const FIRST_ENTRIES = 512;

/** Collects the list of the segment that is being written. */
export class SealWriter {
  #bytes = Buffer.allocUnsafe(FIRST_ENTRIES * ENTRY_BYTES);
  #length = 0;

  readonly add: TakeContent = (contentId, offset, length, checksum) => {
    const at = this.#length;
    if (at + ENTRY_BYTES + TRAILER_BYTES > this.#bytes.length) this.#grow();
    this.#bytes.writeDoubleLE(contentId, at);
    this.#bytes.writeUInt32LE(offset, at + 8);
    this.#bytes.writeUInt32LE(length, at + 12);
    this.#bytes.writeUInt32LE(checksum, at + 16);
    this.#length = at + ENTRY_BYTES;
  };

  /** Returns the list and its trailer, to be written behind the segment's records, and starts a new list. */
  finish(segment: number, recordsEnd: number): Uint8Array {
    const at = this.#length;
    const bytes = this.#bytes.subarray(0, at + TRAILER_BYTES);
    bytes.writeUInt32LE(recordsEnd, at);
    bytes.writeUInt32LE(at / ENTRY_BYTES, at + 4);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, at + 8), segment), at + 8);
    bytes.writeUInt32LE(SEAL, at + 12);
    this.#length = 0;
    return bytes;
  }

  #grow(): void {
    const larger = Buffer.allocUnsafe(this.#bytes.length * 2);
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** The offset of the list, read from the last bytes of a segment of this size; undefined if it is not sealed. */
export function sealStart(trailer: Buffer, size: number): number | undefined {
  const seal = findSeal(trailer, size);
  return seal?.shift === 0 ? seal.offset : undefined;
}

/** Finds the list even if bytes before it were inserted or removed. */
export function findSeal(trailer: Buffer, size: number): Found | undefined {
  if (trailer.length < TRAILER_BYTES || trailer.readUInt32LE(12) !== SEAL) return undefined;
  const offset = size - TRAILER_BYTES - trailer.readUInt32LE(4) * ENTRY_BYTES;
  return offset < 0 ? undefined : { offset, shift: offset - trailer.readUInt32LE(0) };
}

/** Calls back with each content of the list. If list or trailer are damaged, returns false without any call. */
export function eachSealed(segment: number, bytes: Buffer, take: TakeContent): boolean {
  if (!isIntact(segment, bytes)) return false;
  const end = bytes.length - TRAILER_BYTES;
  for (let at = 0; at < end; at += ENTRY_BYTES) {
    const checksum = bytes.readUInt32LE(at + 16);
    take(bytes.readDoubleLE(at), bytes.readUInt32LE(at + 8), bytes.readUInt32LE(at + 12), checksum);
  }
  return true;
}

/** Yields the ids of the contents of the list; none if list or trailer are damaged. */
export function* sealedIds(segment: number, bytes: Buffer): Generator<number> {
  if (!isIntact(segment, bytes)) return;
  const end = bytes.length - TRAILER_BYTES;
  for (let at = 0; at < end; at += ENTRY_BYTES) yield bytes.readDoubleLE(at);
}

function isIntact(segment: number, bytes: Buffer): boolean {
  const end = bytes.length - TRAILER_BYTES;
  return crc32(bytes.subarray(0, end + 8), segment) === bytes.readUInt32LE(end + 8);
}
