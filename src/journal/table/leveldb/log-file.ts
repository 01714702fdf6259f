// Reads the records of a LevelDB log or manifest: blocks of 32 KB that hold fragments, each with a checksum.
//
// LevelDB itself skips unreadable bytes up to the next block. This reader reports where they are, and also finds records that have moved.

import { maskedCrc32c } from './crc32c.js';

const BLOCK_BYTES = 32 * 1024;
/** Checksum (4), length (2), type (1). The checksum covers the type and the payload. */
const HEADER_BYTES = 7;
const LENGTH_AT = 4;
const TYPE_AT = 6;

const TYPE = { full: 1, first: 2, middle: 3, last: 4 } as const;

/** A record, or a range of damaged bytes. */
export type LogEntry =
  | { readonly kind: 'record'; readonly bytes: Buffer }
  | { readonly kind: 'damage'; readonly start: number; readonly end: number };

/** Yields the records. An incomplete last record is left out and is not damage, because its write was never confirmed. */
export function* readLevelLog(file: Buffer): Generator<LogEntry> {
  let parts: Uint8Array[] | undefined;
  for (let at = 0; at < file.length; ) {
    const payload = payloadAt(file, at);
    if (payload === undefined) {
      const next = findFragment(file, at + 1);
      if (next === undefined && isUnfinished(file, at)) return;
      const end = next ?? file.length;
      // A block ends in up to six zeros if there is no room for a header.
      if (end - at >= HEADER_BYTES || !isZero(file.subarray(at, end))) {
        parts = undefined;
        yield { kind: 'damage', start: at, end };
      }
      at = end;
      continue;
    }
    const type = file.readUInt8(at + TYPE_AT);
    if (type === TYPE.full || type === TYPE.first) parts = [];
    parts?.push(payload);
    if (parts !== undefined && (type === TYPE.full || type === TYPE.last)) {
      yield { kind: 'record', bytes: Buffer.concat(parts) };
      parts = undefined;
    }
    at += HEADER_BYTES + payload.length;
  }
}

/** Whether the rest of the file is the beginning of one write, or space that was never filled. No fragment follows. */
function isUnfinished(file: Buffer, start: number): boolean {
  const end = fragmentEnd(file, start);
  if (end === undefined)
    return start + HEADER_BYTES > file.length || isZero(file.subarray(start, start + HEADER_BYTES));
  const type = file.readUInt8(start + TYPE_AT);
  return type === TYPE.first || type === TYPE.middle || isZero(file.subarray(end));
}

function findFragment(file: Buffer, start: number): number | undefined {
  for (let at = start; at + HEADER_BYTES <= file.length; at++) {
    if (payloadAt(file, at) !== undefined) return at;
  }
  return undefined;
}

function payloadAt(file: Buffer, at: number): Uint8Array | undefined {
  const end = fragmentEnd(file, at);
  if (end === undefined || end > file.length) return undefined;
  const isIntact = maskedCrc32c(file.subarray(at + TYPE_AT, end)) === file.readUInt32LE(at);
  return isIntact ? file.subarray(at + HEADER_BYTES, end) : undefined;
}

/** The end of a fragment that begins here; undefined if none can begin here. */
function fragmentEnd(file: Buffer, at: number): number | undefined {
  if (at + HEADER_BYTES > file.length) return undefined;
  const type = file.readUInt8(at + TYPE_AT);
  const length = HEADER_BYTES + file.readUInt16LE(at + LENGTH_AT);
  return type >= TYPE.full && type <= TYPE.last && length <= BLOCK_BYTES ? at + length : undefined;
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
