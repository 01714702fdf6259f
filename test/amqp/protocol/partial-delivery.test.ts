// Tests of the memory that an unfinished delivery keeps.

import { expect, test } from 'vitest';
import { compacted, PartialDelivery } from '../../../src/amqp/protocol/partial-delivery.js';
import type { Transfer } from '../../../src/codec/performatives.js';

const FIRST = { messageFormat: 0 } as Transfer;
/** A read of a socket. */
const READ = Buffer.alloc(65_536, 7);

test('a piece that is kept does not keep the read that it came in', () => {
  const partial = new PartialDelivery(0, FIRST);
  partial.append(READ.subarray(10, 11), 1000, true);
  expect(partial.payload().buffer.byteLength).toBe(1);
  expect(partial.payload()).toEqual(Buffer.of(7));
});

test('half a read or more is not copied, and neither is a delivery that is complete', () => {
  expect(compacted(READ.subarray(0, 32_768)).buffer).toBe(READ.buffer);
  const whole = new PartialDelivery(0, FIRST);
  whole.append(READ.subarray(0, 1000), 1000, false);
  expect(whole.payload().buffer).toBe(READ.buffer);
});
