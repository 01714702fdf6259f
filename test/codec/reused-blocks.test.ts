// Frames that come in several reads, when all reads go into the same memory and unfinished frames into blocks that are used again.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Frame, FrameReader } from '../../src/codec/frames.js';
import { ReusedBlocks } from '../../src/codec/reused-blocks.js';
import { frameOf } from '../support/frame-client.js';

const LIMIT = 65_536;
/** The memory into which everything is read. */
const READS = Buffer.alloc(4 * LIMIT + 1);
const SCRIBBLE = 0xee;

/** What a frame holds, copied before the next read. */
function bodyOf({ body, rest = [] }: Frame): Buffer {
  return Buffer.concat([body, ...rest]);
}

/** Takes a read, and returns the bodies of the frames that it completes. */
function read(reader: FrameReader, bytes: Buffer): Buffer[] {
  return pushed(reader, bytes, () => take(reader));
}

/** Takes a read of a client whose frames must wait, because it is still being checked who it is. */
function readUntaken(reader: FrameReader, bytes: Buffer): void {
  pushed(reader, bytes, () => {});
}

/** Takes the frames that are complete, although nothing was read. */
function goOn(reader: FrameReader): Buffer[] {
  const bodies = take(reader);
  reader.keep();
  return bodies;
}

function pushed<T>(reader: FrameReader, bytes: Buffer, handle: () => T): T {
  const view = READS.subarray(0, bytes.length);
  bytes.copy(view);
  reader.push(view);
  const result = handle();
  reader.keep();
  view.fill(SCRIBBLE);
  return result;
}

function take(reader: FrameReader): Buffer[] {
  const bodies: Buffer[] = [];
  for (let next = reader.takeFrame(2048); next !== undefined; next = reader.takeFrame(2048))
    bodies.push(bodyOf(next));
  return bodies;
}

function takeAll(blocks: ReusedBlocks): Buffer[] {
  const taken: Buffer[] = [];
  for (let block = blocks.take(); block !== undefined; block = blocks.take()) taken.push(block);
  return taken;
}

test('clients that share reads and blocks get their own frames, however the bytes are cut', () => {
  const anySize = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: LIMIT - 8 }));
  const anyClient = fc.record({
    sizes: fc.array(anySize, { maxLength: 4 }),
    cuts: fc.array(fc.integer({ min: 1, max: 80_000 }), { minLength: 1, maxLength: 6 }),
  });
  const property = fc.property(fc.array(anyClient, { minLength: 1, maxLength: 12 }), (clients) => {
    const blocks = new ReusedBlocks();
    const open = clients.map(({ sizes, cuts }, index) => {
      const bodies = sizes.map((size, each) => Buffer.alloc(size, `${index} ${each};`));
      const unread = Buffer.concat(bodies.map((body) => frameOf(body)));
      return {
        bodies,
        unread,
        cuts: [...cuts],
        reader: new FrameReader(LIMIT, blocks),
        seen: [] as Buffer[],
      };
    });
    // One read of each in turn, until all are at their end.
    while (open.some(({ unread }) => unread.length > 0)) {
      for (const client of open) {
        const [size = 1] = client.cuts;
        client.cuts.push(client.cuts.shift() ?? 1);
        client.seen.push(...read(client.reader, client.unread.subarray(0, size)));
        client.unread = client.unread.subarray(size);
      }
    }
    for (const { bodies, seen } of open)
      expect(seen.map((each, at) => bodies[at]?.equals(each))).toEqual(bodies.map(() => true));
    for (const { reader } of open) reader.drop();
    const given = takeAll(blocks);
    expect(new Set(given.map(({ buffer }) => buffer)).size).toBe(given.length);
    expect(given).toHaveLength(8);
  });
  fc.assert(property, { numRuns: 50 });
});

test('an unfinished frame lies in a block, and one that comes slowly in memory of its own size', () => {
  const blocks = new ReusedBlocks();
  const reader = new FrameReader(LIMIT, blocks);
  const bytes = frameOf(Buffer.alloc(20_000, 'a frame;'));
  expect(read(reader, bytes.subarray(0, 12_000))).toEqual([]);
  expect(takeAll(blocks)).toHaveLength(7);
  reader.release();
  expect(takeAll(blocks)).toHaveLength(1);
  expect(reader.unreadBytes).toBe(12_000);
  expect(read(reader, bytes.subarray(12_000))).toEqual([bytes.subarray(8)]);
});

test('frames that waited are taken without a read, and their block is given back', () => {
  const blocks = new ReusedBlocks();
  const reader = new FrameReader(LIMIT, blocks);
  const body = Buffer.alloc(5000, 'it waits;');
  readUntaken(reader, frameOf(body));
  expect(goOn(reader)).toEqual([body]);
  expect(takeAll(blocks)).toHaveLength(8);
  reader.release();
});

test.each([0, 1, 3])(
  'a frame that began behind a block, and %i bytes in it, is whole when its end comes in two more reads',
  (bytesInBlock) => {
    const reader = new FrameReader(LIMIT, new ReusedBlocks());
    const bodies = ['waits;', 'is late;'].map((text) => Buffer.alloc(60_000, text));
    const bytes = Buffer.concat(bodies.map((body) => frameOf(body)));
    const cut = 60_008 + bytesInBlock;
    readUntaken(reader, bytes.subarray(0, cut));
    readUntaken(reader, bytes.subarray(cut, cut + 10_000));
    const taken = [
      ...goOn(reader),
      ...read(reader, bytes.subarray(cut + 10_000, cut + 20_000)),
      ...read(reader, bytes.subarray(cut + 20_000)),
    ];
    expect(taken.map((each, index) => bodies[index]?.equals(each))).toEqual([true, true]);
  },
);
