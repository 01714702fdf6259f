// Tests of the memory that an unfinished delivery keeps.

import { expect, test } from 'vitest';
import { PartialDelivery } from '../../../src/amqp/protocol/partial-delivery.js';
import type { Transfer } from '../../../src/codec/performatives.js';
import { ReusedBlocks } from '../../../src/codec/reused-blocks.js';

const FIRST = { messageFormat: 0 } as Transfer;
/** A read of a socket. */
const READ = Buffer.alloc(65_536, 7);

test('a piece that is kept does not keep the read that it came in', () => {
  const partial = new PartialDelivery(0, FIRST);
  partial.append(READ.subarray(10, 11), 1000);
  partial.keep();
  const payload = partial.payload();
  expect(payload.buffer.byteLength).toBe(1);
  expect(payload).toEqual(Buffer.of(7));
});

test('a delivery that is complete is not copied', () => {
  const whole = new PartialDelivery(0, FIRST);
  whole.append(READ.subarray(0, 1000), 1000);
  expect(whole.payload().buffer).toBe(READ.buffer);
});

test('a delivery of many pieces fills its memory, and one that is dropped has none', () => {
  const partial = new PartialDelivery(0, FIRST);
  for (let count = 1; count <= 40; count++) {
    partial.append(READ, 40 * READ.length);
    partial.keep();
  }
  expect(partial.byteLength).toBe(40 * READ.length);
  const payload = partial.payload();
  expect(payload.equals(Buffer.alloc(40 * READ.length, 7))).toBe(true);
  expect(payload.buffer.byteLength).toBe(payload.length);
  const tooLarge = new PartialDelivery(1, FIRST);
  for (let count = 1; count <= 41; count++) tooLarge.append(READ, 40 * READ.length);
  expect(tooLarge).toMatchObject({ isTooLarge: true, byteLength: 0, receivedBytes: 41 * READ.length });
  expect(tooLarge.payload()).toHaveLength(0);
});

/** How many blocks nobody has. */
function freeCount(blocks: ReusedBlocks): number {
  const taken: Buffer[] = [];
  for (let block = blocks.take(); block !== undefined; block = blocks.take()) taken.push(block);
  for (const block of taken) blocks.give(block);
  return taken.length;
}

test('a delivery in several reads is joined in a block, which it has until it is dropped', () => {
  const blocks = new ReusedBlocks();
  const free = freeCount(blocks);
  const partial = new PartialDelivery(0, FIRST, blocks);
  for (let count = 1; count <= 3; count++) {
    partial.append(Buffer.alloc(60_000, count), 200_000);
    partial.keep();
    expect(freeCount(blocks)).toBe(free - 1);
  }
  partial.append(Buffer.alloc(10, 4), 200_000);
  const payload = partial.payload();
  expect(
    payload.equals(
      Buffer.concat([1, 2, 3].map((each) => Buffer.alloc(60_000, each)).concat(Buffer.alloc(10, 4))),
    ),
  ).toBe(true);
  expect(payload.length * 2).toBeLessThan(payload.buffer.byteLength);
  partial.drop();
  expect(freeCount(blocks)).toBe(free);
});

test('a delivery whose payload is kept is joined in memory of its own size, and not in a block', () => {
  const blocks = new ReusedBlocks();
  const free = freeCount(blocks);
  const inOneRead = new PartialDelivery(0, FIRST, blocks);
  for (const piece of [1, 2]) inOneRead.append(Buffer.alloc(30_000, piece), 100_000);
  const payload = inOneRead.payload(true);
  expect(payload.equals(Buffer.concat([Buffer.alloc(30_000, 1), Buffer.alloc(30_000, 2)]))).toBe(true);
  expect(payload.buffer.byteLength).toBe(60_000);
  expect(freeCount(blocks)).toBe(free);
  const inTwoReads = new PartialDelivery(1, FIRST, blocks);
  inTwoReads.append(Buffer.alloc(6000, 1), 100_000);
  inTwoReads.keep();
  inTwoReads.append(Buffer.alloc(10, 2), 100_000);
  const later = inTwoReads.payload(true);
  inTwoReads.drop();
  for (const block of Array.from({ length: free }, () => blocks.take())) block?.fill(0xee);
  expect(later.equals(Buffer.concat([Buffer.alloc(6000, 1), Buffer.alloc(10, 2)]))).toBe(true);
  expect(later.buffer.byteLength).toBe(6010);
});

test.each([false, true])(
  'a delivery that does not fit into its block is whole and gives it back, also when its end is kept: %s',
  (isKept) => {
    const blocks = new ReusedBlocks();
    const free = freeCount(blocks);
    const partial = new PartialDelivery(0, FIRST, blocks);
    partial.append(Buffer.alloc(200_000, 1), 400_000);
    partial.keep();
    partial.append(Buffer.alloc(200_000, 2), 400_000);
    if (isKept) partial.keep();
    expect(
      partial.payload().equals(Buffer.concat([Buffer.alloc(200_000, 1), Buffer.alloc(200_000, 2)])),
    ).toBe(true);
    partial.drop();
    expect(freeCount(blocks)).toBe(free);
  },
);

test('a delivery whose end comes late gives its block to others', () => {
  const blocks = new ReusedBlocks();
  const free = freeCount(blocks);
  const partial = new PartialDelivery(0, FIRST, blocks);
  partial.append(Buffer.alloc(60_000, 1), 100_000);
  partial.keep();
  partial.release();
  expect(freeCount(blocks)).toBe(free);
  partial.append(Buffer.alloc(10, 2), 100_000);
  expect(partial.payload().equals(Buffer.concat([Buffer.alloc(60_000, 1), Buffer.alloc(10, 2)]))).toBe(true);
});
