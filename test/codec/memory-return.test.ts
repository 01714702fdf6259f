// Whether the memory of a large buffer comes back.

import { expect, test } from 'vitest';
import { MemoryReturn } from '../../src/codec/memory-return.js';

const MIB = 1024 * 1024;
/** The heap of a test is larger than the emulator's, so V8 may need more steps. */
const TRIES = 50;

test('memory that nothing uses comes back soon', async () => {
  const memory = new MemoryReturn(Buffer.allocUnsafeSlow(90 * MIB));
  for (let tries = 0; tries < TRIES && !memory.isBack; tries++) await memory.hasten();
  expect(memory.isBack).toBe(true);
});

test('memory in use is not waited for, and stays', async () => {
  const used = Buffer.alloc(4 * MIB, 7);
  const memory = new MemoryReturn(used);
  await memory.hasten();
  expect(memory.isBack).toBe(false);
  expect(used.equals(Buffer.alloc(4 * MIB, 7))).toBe(true);
});
