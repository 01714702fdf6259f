// Whether the memory of a large buffer comes back.

import { afterEach, expect, test, vi } from 'vitest';
import { MemoryReturn } from '../../src/codec/memory-return.js';

const MIB = 1024 * 1024;
/** The heap of a test is larger than the emulator's, so V8 may need more steps. */
const TRIES = 50;
/** Of one call. */
const MAX_STEPS = 64;

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test('memory that nothing uses comes back soon', async () => {
  const memory = new MemoryReturn(Buffer.allocUnsafeSlow(90 * MIB));
  for (let tries = 0; tries < TRIES && !memory.isBack; tries++) await memory.hasten();
  expect(memory.isBack).toBe(true);
});

test('memory in use is waited for until a collection has left it, and stays', async () => {
  const used = Buffer.alloc(4 * MIB, 7);
  const memory = new MemoryReturn(used);
  const steps = vi.spyOn(globalThis, 'setImmediate');
  let fewest = MAX_STEPS;
  for (let tries = 0; tries < TRIES && fewest === MAX_STEPS; tries++) {
    steps.mockClear();
    await memory.hasten();
    fewest = Math.min(fewest, steps.mock.calls.length);
  }
  expect(fewest).toBeLessThan(MAX_STEPS);
  expect(memory.isBack).toBe(false);
  expect(used.equals(Buffer.alloc(4 * MIB, 7))).toBe(true);
});

test('without room for more pressure nothing is waited for', async () => {
  const used = Buffer.alloc(4 * MIB);
  const memory = new MemoryReturn(used);
  vi.stubGlobal('ArrayBuffer', function full() {
    throw new RangeError('Array buffer allocation failed');
  });
  await memory.hasten();
  expect([memory.isBack, used.length]).toEqual([false, 4 * MIB]);
});
