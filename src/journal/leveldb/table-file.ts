// Checks a LevelDB table: blocks of rows and the index that names them, each with a checksum. LevelDB itself does not compare them,
// and ends the process when it stumbles over a damaged block.

import { maskedCrc32c } from './crc32c.js';
import { VarintReader } from './varint-reader.js';

const FOOTER_BYTES = 48;
const MAGIC = Buffer.from('57fb808b247547db', 'hex');
/** Behind a block: how it is compressed (1), and a checksum (4) that covers both. */
const TRAILER_BYTES = 5;
const UNCOMPRESSED = 0;

type Block = { readonly start: number; readonly end: number };

/** Returns what is damaged; undefined when every block is what was written. */
export function findTableDamage(file: Buffer): string | undefined {
  const footerAt = file.length - FOOTER_BYTES;
  if (footerAt < 0 || !file.subarray(-MAGIC.length).equals(MAGIC)) return 'has lost its end';
  const footer = new VarintReader(file, footerAt, file.length);
  const meta = readBlock(footer);
  const index = readBlock(footer);
  for (const block of [meta, index]) {
    if (!isIntact(file, block, footerAt)) return 'has a damaged index';
  }
  for (const block of [...blocksIn(file, meta), ...blocksIn(file, index)]) {
    if (!isIntact(file, block, footerAt)) return `is not what was written from byte ${block.start} on`;
  }
  return undefined;
}

function isIntact(file: Buffer, { start, end }: Block, footerAt: number): boolean {
  if (!(start <= end && end + TRAILER_BYTES <= footerAt)) return false;
  return maskedCrc32c(file.subarray(start, end + 1)) === file.readUInt32LE(end + 1);
}

/** The blocks that an intact index names: those of rows, or the filter by which LevelDB knows the keys of the table. */
function* blocksIn(file: Buffer, { start, end }: Block): Generator<Block> {
  // The rows of a compressed index cannot be read here.
  if (file[end] !== UNCOMPRESSED) return;
  const restartsAt = end - 4 - file.readUInt32LE(end - 4) * 4;
  const entries = new VarintReader(file, start, restartsAt);
  while (!entries.isAtEnd) {
    entries.number();
    const keyBytes = entries.number();
    entries.number();
    entries.skip(keyBytes);
    yield readBlock(entries);
  }
}

/** Reads where a block begins and how long it is. */
function readBlock(reader: VarintReader): Block {
  const start = reader.number();
  return { start, end: start + reader.number() };
}
