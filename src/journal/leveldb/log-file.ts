// Reads the records of a LevelDB log or manifest: blocks of 32 KB that hold fragments, each with a checksum.
//
// LevelDB itself skips unreadable parts of a log; this reader reports them.

import { maskedCrc32c } from './crc32c.js';

const BLOCK_BYTES = 32 * 1024;
/** Checksum (4), length (2), type (1). The checksum covers the type and the payload. */
const HEADER_BYTES = 7;
const LENGTH_AT = 4;
const TYPE_AT = 6;

const TYPE = { full: 1, first: 2, middle: 3, last: 4 } as const;

/** A fragment, or the offset of damage that is not just an incomplete last write. */
type Finding =
  | { readonly kind: 'fragment'; readonly type: number; readonly payload: Uint8Array }
  | { readonly kind: 'damage'; readonly at: number };

/** Returns undefined when the file is damaged. An incomplete last record is no damage: its write was never confirmed. */
export function readLevelRecords(file: Buffer): Uint8Array[] | undefined {
  const records: Uint8Array[] = [];
  let parts: Uint8Array[] = [];
  for (const finding of findingsIn(file)) {
    if (finding.kind === 'damage') return undefined;
    const { type, payload } = finding;
    if (type === TYPE.full || type === TYPE.first) parts = [];
    parts.push(payload);
    if (type === TYPE.full || type === TYPE.last) records.push(Buffer.concat(parts));
  }
  return records;
}

/** Returns the offset at which damage begins; undefined when every confirmed record can be read. */
export function findDamage(file: Buffer): number | undefined {
  for (const finding of findingsIn(file)) if (finding.kind === 'damage') return finding.at;
  return undefined;
}

function* findingsIn(file: Buffer): Generator<Finding> {
  let at = 0;
  while (at + HEADER_BYTES <= file.length) {
    const roomInBlock = BLOCK_BYTES - (at % BLOCK_BYTES);
    if (roomInBlock < HEADER_BYTES) {
      at += roomInBlock;
      continue;
    }
    const payload = payloadAt(file, at);
    if (payload === undefined) {
      if (!isTornEnd(file, at)) yield { kind: 'damage', at };
      return;
    }
    yield { kind: 'fragment', type: file.readUInt8(at + TYPE_AT), payload };
    at += HEADER_BYTES + payload.length;
  }
}

/** Whether only the last write is lost: the rest of the file is its beginning, or space that was never filled. */
function isTornEnd(file: Buffer, start: number): boolean {
  const end = fragmentEnd(file, start);
  const isBlank = isZero(file.subarray(start, start + HEADER_BYTES));
  if (end === undefined && !isBlank) return false;
  const isWhole = end !== undefined && endsRecord(file, start);
  if (isWhole && !isZero(file.subarray(end))) return false;
  for (let at = start + 1; at + HEADER_BYTES <= file.length; at++) {
    if (payloadAt(file, at) !== undefined) return false;
  }
  return true;
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

function endsRecord(file: Buffer, at: number): boolean {
  const type = file.readUInt8(at + TYPE_AT);
  return type === TYPE.full || type === TYPE.last;
}

function payloadAt(file: Buffer, at: number): Uint8Array | undefined {
  const end = fragmentEnd(file, at);
  if (end === undefined || end > file.length) return undefined;
  const isIntact = maskedCrc32c(file.subarray(at + TYPE_AT, end)) === file.readUInt32LE(at);
  return isIntact ? file.subarray(at + HEADER_BYTES, end) : undefined;
}

/** The end of a fragment that begins here; undefined when none can begin here. */
function fragmentEnd(file: Buffer, at: number): number | undefined {
  const type = file.readUInt8(at + TYPE_AT);
  if (type < TYPE.full || type > TYPE.last) return undefined;
  const length = HEADER_BYTES + file.readUInt16LE(at + LENGTH_AT);
  return length <= BLOCK_BYTES - (at % BLOCK_BYTES) ? at + length : undefined;
}
