// The records of a LevelDB log, as LevelDB itself wrote them, and what is taken for damage in them.

import { readFile } from 'node:fs/promises';
import { Level } from 'level';
import { expect, test } from 'vitest';
import { findDamage, readLevelRecords } from '../../../src/journal/leveldb/log-file.js';
import { fileIn } from '../../support/journal-files.js';
import { makeTemporaryDirectory } from '../../support/journal-places.js';

const BLOCK_BYTES = 32 * 1024;
const HEADER_BYTES = 7;
/** What LevelDB adds to a value of this size under a key of one letter, when it is put alone. */
const PUT_BYTES = 12 + 1 + 1 + 1 + 3;

/** Of puts with values of these sizes, one record each. */
async function logOf(...valueSizes: number[]): Promise<Buffer> {
  const directory = await makeTemporaryDirectory();
  const level = new Level<string, Buffer>(directory, { valueEncoding: 'buffer' });
  for (const [index, size] of valueSizes.entries())
    await level.put(`${index}`, Buffer.alloc(size, index + 1));
  await level.close();
  return readFile(await fileIn(directory, 'log'));
}

test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  'records are read when %i bytes are left in the block behind one of them',
  async (left) => {
    const size = BLOCK_BYTES - HEADER_BYTES - PUT_BYTES - left;
    const log = await logOf(size, 20_000, 20_000);
    expect(findDamage(log)).toBeUndefined();
    const lengths = readLevelRecords(log)?.map((record) => record.length);
    expect(lengths).toEqual([size + PUT_BYTES, 20_000 + PUT_BYTES, 20_000 + PUT_BYTES]);
  },
);

test('a record longer than a block is put together', async () => {
  const [record, ...others] = readLevelRecords(await logOf(100_000)) ?? [];
  expect(others).toEqual([]);
  expect(record?.length).toBe(100_000 + PUT_BYTES);
  expect(record?.at(-1)).toBe(1);
});

test('an empty log has no records and no damage', () => {
  expect(readLevelRecords(Buffer.alloc(0))).toEqual([]);
});

test('a record cut short at the end is left out', async () => {
  const log = await logOf(20_000, 20_000);
  const cut = log.subarray(0, log.length - 1);
  expect(findDamage(cut)).toBeUndefined();
  expect(readLevelRecords(cut)).toHaveLength(1);
});

test('a wrong bit in a record that others follow is damage, at the place where the record begins', async () => {
  const log = await logOf(5000, 5000, 5000);
  const second = HEADER_BYTES + PUT_BYTES - 1 + 5000;
  log.writeUInt8(log.readUInt8(second + 1000) ^ 1, second + 1000);
  expect(findDamage(log)).toBe(second);
  expect(readLevelRecords(log)).toBeUndefined();
});

test('a wrong bit in the last record is not told from a write cut short', async () => {
  const log = await logOf(5000, 5000);
  log.writeUInt8(log.readUInt8(log.length - 10) ^ 1, log.length - 10);
  expect(findDamage(log)).toBeUndefined();
  expect(readLevelRecords(log)).toHaveLength(1);
});

test('garbage from within a record to the end is damage when it is more than that record', async () => {
  const log = await logOf(5000, 5000, 5000);
  log.fill(0xa5, 7000);
  expect(findDamage(log)).toBe(HEADER_BYTES + PUT_BYTES - 1 + 5000);
});

test('room that was never filled is no damage, unless records follow it', async () => {
  const log = await logOf(5000);
  const unfilled = Buffer.alloc(BLOCK_BYTES - log.length + BLOCK_BYTES);
  expect(findDamage(Buffer.concat([log, unfilled]))).toBeUndefined();
  expect(findDamage(Buffer.concat([log, unfilled, log]))).toBe(log.length);
});
