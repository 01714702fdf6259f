// Tests of bytes that come in pieces: they are right, and in memory once.

import { beforeEach, expect, test } from 'vitest';
import { type Block, GatheredBytes, resizableBlock } from '../../src/codec/gathered-bytes.js';
import { compacted } from '../../src/codec/small-part.js';

const MIB = 1024 * 1024;
/** A read of a socket. */
const READ = Buffer.alloc(65_536, 7);

/** The sizes of blocks that were not given back, and the bytes that were in them when each was. */
let inBlocks: number;
let highest: number;
let freed: number;
let takenBefore: number;
beforeEach(() => {
  inBlocks = 0;
  highest = 0;
  freed = 0;
  takenBefore = 0;
});

function countedBlock(bytes: number): Block {
  inBlocks += bytes;
  highest = Math.max(highest, inBlocks);
  return {
    bytes: new Uint8Array(bytes),
    free: () => {
      takenBefore += bytes;
      // The block is in the result as well.
      highest = Math.max(highest, inBlocks + takenBefore);
      inBlocks -= bytes;
      freed += 1;
    },
  };
}

/** A pattern in which no two places of a block look the same. */
function patterned(byteLength: number): Buffer {
  const bytes = Buffer.alloc(byteLength);
  for (let offset = 0; offset + 4 <= byteLength; offset += 4) bytes.writeUInt32LE(offset, offset);
  return bytes;
}

function gather(bytes: Buffer, pieceBytes: number, gathered = new GatheredBytes()): GatheredBytes {
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    gathered.append(bytes.subarray(start, start + pieceBytes), true);
  }
  return gathered;
}

test('a large sum is in memory once, but for one block, also while it is joined', () => {
  const gathered = new GatheredBytes(countedBlock);
  const bytes = patterned(20 * MIB);
  gather(bytes, 60_000, gathered);
  expect(gathered.byteLength).toBe(bytes.length);
  expect(inBlocks).toBe(bytes.length);
  const taken = gathered.take();
  expect(highest).toBeLessThanOrEqual(bytes.length + MIB);
  expect({ inBlocks, freed }).toEqual({ inBlocks: 0, freed: 20 });
  expect(taken.equals(bytes)).toBe(true);
  expect(taken.buffer.byteLength).toBe(bytes.length);
});

test('what is dropped is given back at once, though nothing has looked for garbage', () => {
  const gathered = gather(patterned(3 * MIB), 60_000, new GatheredBytes(countedBlock));
  gathered.drop();
  expect({ inBlocks, freed, byteLength: gathered.byteLength }).toEqual({
    inBlocks: 0,
    freed: 3,
    byteLength: 0,
  });
  const block = resizableBlock(MIB);
  expect(block.bytes).toHaveLength(MIB);
  block.free();
  expect(block.bytes.buffer.byteLength).toBe(0);
});

test.each([1, 7, 1000, 60_000, MIB, 3 * MIB])('pieces of %i bytes give the same bytes', (pieceBytes) => {
  for (const byteLength of [0, 1, 5000, MIB, MIB + 1, 2 * MIB, 2 * MIB + 1, 3 * MIB + 4321]) {
    if (byteLength / pieceBytes > 10_000) continue;
    const bytes = patterned(byteLength);
    const head = Buffer.from('head');
    expect(gather(bytes, pieceBytes).take().equals(bytes)).toBe(true);
    expect(
      gather(bytes, pieceBytes)
        .take(head)
        .equals(Buffer.concat([head, bytes])),
    ).toBe(true);
  }
});

test('the only piece is not copied when all of it is wanted', () => {
  const gathered = new GatheredBytes(countedBlock);
  gathered.append(READ, false);
  expect(gathered.take()).toBe(READ);
  expect(gathered.take()).toHaveLength(0);
});

test('a message of 1 MiB costs no block', () => {
  const gathered = gather(patterned(MIB + 5000), 60_000, new GatheredBytes(countedBlock));
  expect(gathered.take()).toHaveLength(MIB + 5000);
  expect({ inBlocks, freed }).toEqual({ inBlocks: 0, freed: 0 });
});

test('half a read or more is not copied when it is kept, and less is', () => {
  expect(compacted(READ.subarray(0, 32_768)).buffer).toBe(READ.buffer);
  expect(compacted(READ.subarray(10, 11)).buffer.byteLength).toBe(1);
  expect(gather(READ.subarray(0, 64), 1).take().buffer.byteLength).toBe(64);
});
