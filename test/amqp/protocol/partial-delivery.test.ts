// Tests of the memory that an unfinished delivery keeps.

import { expect, test } from 'vitest';
import { PartialDelivery } from '../../../src/amqp/protocol/partial-delivery.js';
import type { Transfer } from '../../../src/codec/performatives.js';

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
