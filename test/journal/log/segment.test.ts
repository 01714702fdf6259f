// The list of contents at the end of a full segment.

import { expect, test } from 'vitest';
import { ENTRY_BYTES, eachSealed, SealWriter, sealedIds } from '../../../src/journal/log/segment.js';

const SEGMENT = 3;

/** The list of the contents 1 to `count`. */
function listOf(count: number): Buffer {
  const writer = new SealWriter();
  for (let contentId = 1; contentId <= count; contentId++) writer.add(contentId, contentId * 10, 10, 0);
  return Buffer.from(writer.finish(SEGMENT, count * 10));
}

test.each([0, 1, 3000])('the ids of %i contents are read from the list', (count) => {
  const list = listOf(count);
  const taken: number[] = [];
  expect(eachSealed(SEGMENT, list, (contentId) => taken.push(contentId))).toBe(true);
  expect([...sealedIds(SEGMENT, list)]).toEqual(taken);
  expect(taken).toHaveLength(count);
});

test('a damaged list, or that of another segment, gives no ids', () => {
  const list = listOf(5);
  expect([...sealedIds(SEGMENT + 1, list)]).toEqual([]);
  list[2 * ENTRY_BYTES] = (list[2 * ENTRY_BYTES] ?? 0) ^ 1;
  expect([...sealedIds(SEGMENT, list)]).toEqual([]);
});

test('the ids are read one at a time', () => {
  const list = listOf(3);
  const ids = sealedIds(SEGMENT, list);
  expect(ids.next().value).toBe(1);
  list.writeDoubleLE(20, ENTRY_BYTES);
  expect(ids.next().value).toBe(20);
});
