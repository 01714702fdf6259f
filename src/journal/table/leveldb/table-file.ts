// Reads the blocks of a LevelDB table and the index of the blocks, and compares all checksums. LevelDB itself does not compare them, and
// a damaged block can make it end the process.

import { maskedCrc32c } from './crc32c.js';
import { VarintReader } from './varint-reader.js';

const FOOTER_BYTES = 48;
const MAGIC = Buffer.from('57fb808b247547db', 'hex');
/** A trailer follows each block: the kind of compression (1), and a checksum (4) that covers both. */
const TRAILER_BYTES = 5;
const UNCOMPRESSED = 0;

type Place = { readonly start: number; readonly end: number };

/** A block of rows, or a description of damage. */
export type TablePart =
  | { readonly kind: 'rows'; readonly block: Buffer }
  | { readonly kind: 'damage'; readonly seen: string };

export function* readTable(file: Buffer): Generator<TablePart> {
  const footerAt = file.length - FOOTER_BYTES;
  if (footerAt < 0 || !file.subarray(-MAGIC.length).equals(MAGIC)) {
    yield { kind: 'damage', seen: 'has lost its end' };
    return;
  }
  const footer = new VarintReader(file, footerAt);
  const meta = readPlace(footer);
  const index = readPlace(footer);
  // The index ends where the footer begins, unless bytes before it were inserted or removed.
  const shift = footerAt - TRAILER_BYTES - index.end;
  const intact = ({ start, end }: Place): Buffer | undefined =>
    [0, shift]
      .map((by) => file.subarray(Math.max(start + by, 0), Math.max(end + by + TRAILER_BYTES, 0)))
      .find((block) => block.length === end - start + TRAILER_BYTES && hasRightChecksum(block));
  const metaBlock = intact(meta);
  const indexBlock = intact(index);
  if (metaBlock === undefined || indexBlock === undefined)
    yield { kind: 'damage', seen: 'has a damaged index' };
  // The filter tells LevelDB which keys the table may have.
  for (const place of metaBlock === undefined ? [] : placesIn(metaBlock)) {
    if (intact(place) === undefined) yield { kind: 'damage', seen: 'has a damaged filter' };
  }
  for (const place of indexBlock === undefined ? [] : placesIn(indexBlock)) {
    const block = intact(place);
    if (block === undefined)
      yield { kind: 'damage', seen: `is not what was written from byte ${place.start} to byte ${place.end}` };
    else yield { kind: 'rows', block };
  }
}

/** Yields keys and values of an intact block; none of a compressed one, because this program does not write such blocks. */
export function* entriesIn(block: Buffer): Generator<{ readonly key: Buffer; readonly value: Uint8Array }> {
  const end = block.length - TRAILER_BYTES;
  if (block[end] !== UNCOMPRESSED) return;
  const restartsAt = end - 4 - block.readUInt32LE(end - 4) * 4;
  const entries = new VarintReader(block, 0, restartsAt);
  let key = Buffer.alloc(0);
  while (!entries.isAtEnd) {
    // A key is written as the number of bytes that it shares with the key before, and the rest.
    const sharedBytes = entries.number();
    const restBytes = entries.number();
    const valueBytes = entries.number();
    key = Buffer.concat([key.subarray(0, sharedBytes), entries.bytes(restBytes)]);
    yield { key, value: entries.bytes(valueBytes) };
  }
}

function* placesIn(block: Buffer): Generator<Place> {
  for (const { value } of entriesIn(block)) yield readPlace(new VarintReader(value));
}

/** Reads the offset and length of a block. */
function readPlace(reader: VarintReader): Place {
  const start = reader.number();
  return { start, end: start + reader.number() };
}

function hasRightChecksum(block: Buffer): boolean {
  const checksumAt = block.length - 4;
  return maskedCrc32c(block.subarray(0, checksumAt)) === block.readUInt32LE(checksumAt);
}
