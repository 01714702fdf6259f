// Output that is copied because its memory is used again.

import { expect, test } from 'vitest';
import { Output } from '../../../src/amqp/protocol/output.js';
import { ReusedBlocks } from '../../../src/codec/reused-blocks.js';

const PAYLOAD_BYTES = 100_000;

/** Writes payloads from memory that is overwritten after each. */
function write(output: Output, count: number): void {
  const memory = Buffer.alloc(2 * PAYLOAD_BYTES + 1);
  for (let index = 0; index < count; index++) {
    output.payload(memory.fill(index).subarray(0, PAYLOAD_BYTES), true);
    memory.fill(0xee);
  }
}

/** Compared as a whole: byte by byte takes seconds. */
function isFilledWith(payload: Buffer, byte: number): boolean {
  return payload.equals(Buffer.alloc(PAYLOAD_BYTES, byte));
}

/** Empties the pool. */
function takeAll(blocks: ReusedBlocks): Buffer[] {
  const taken: Buffer[] = [];
  for (let block = blocks.take(); block !== undefined; block = blocks.take()) taken.push(block);
  return taken;
}

/** How many blocks nobody has. */
function freeCount(blocks: ReusedBlocks): number {
  const taken = takeAll(blocks);
  for (const block of taken) blocks.give(block);
  return taken.length;
}

test('payloads are copied into as few blocks as hold them, which are used again once they are written', () => {
  const blocks = new ReusedBlocks();
  const all = freeCount(blocks);
  const output = new Output(blocks);
  write(output, 5);
  const taken = output.take();
  expect(taken.buffers.map(isFilledWith)).toEqual([true, true, true, true, true]);
  expect(taken.blocks).toHaveLength(3);
  expect(freeCount(blocks)).toBe(all - 3);
  output.give(taken.blocks);
  expect(freeCount(blocks)).toBe(all);
});

test('writes share a block, which is given back when the last of them has ended', () => {
  const blocks = new ReusedBlocks();
  const all = freeCount(blocks);
  const output = new Output(blocks);
  write(output, 1);
  output.breakWrite();
  write(output, 1);
  const first = output.take();
  write(output, 1);
  const second = output.take();
  expect([first.hasMore, second.hasMore]).toEqual([true, false]);
  expect(second.buffers).toHaveLength(2);
  expect([first.blocks.length, second.blocks.length]).toEqual([1, 2]);
  expect(first.blocks[0] === second.blocks[0]).toBe(true);
  output.give(second.blocks);
  expect(freeCount(blocks)).toBe(all - 1);
  output.give(first.blocks);
  expect(freeCount(blocks)).toBe(all);
});

test('without a free block, a payload is copied into memory of its own size', () => {
  const blocks = new ReusedBlocks();
  takeAll(blocks);
  const output = new Output(blocks);
  write(output, 2);
  const taken = output.take();
  expect(taken.blocks).toEqual([]);
  expect(taken.buffers.map(isFilledWith)).toEqual([true, true]);
  expect(taken.buffers[0]?.buffer.byteLength).toBe(PAYLOAD_BYTES);
});

test('a payload whose memory stays as it is, is not copied', () => {
  const output = new Output(new ReusedBlocks());
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  output.payload(payload, false);
  expect(output.take().buffers[0] === payload).toBe(true);
});

test('blocks that were not taken are given back when nothing more is written, and lost ones are replaced by others', () => {
  const blocks = new ReusedBlocks();
  const all = freeCount(blocks);
  const output = new Output(blocks);
  write(output, 1);
  const { blocks: lost } = output.take();
  output.lose(lost);
  write(output, 1);
  output.drop();
  expect(output.byteLength).toBe(0);
  const free = takeAll(blocks);
  expect(free).toHaveLength(all);
  expect(free.some((block) => block === lost[0])).toBe(false);
});
