// The records of a LevelDB log, as LevelDB itself wrote them, and what is taken for damage in them.

import { readFile } from 'node:fs/promises';
import { Level } from 'level';
import { expect, test } from 'vitest';
import { readLevelLog } from '../../../../src/journal/table/leveldb/log-file.js';
import { fileIn } from '../../../support/journal-files.js';
import { makeTemporaryDirectory } from '../../../support/journal-places.js';

const BLOCK_BYTES = 32 * 1024;
const HEADER_BYTES = 7;
/** What LevelDB adds to a value of this size under a key of one letter, when it is put alone. */
const PUT_BYTES = 12 + 1 + 1 + 1 + 3;
/** A record with a value of 5,000 bytes, and where the second of two begins. */
const SHORT = PUT_BYTES - 1 + 5000;
const SECOND = HEADER_BYTES + SHORT;

/** Of puts with values of these sizes, one record each. */
async function logOf(...valueSizes: number[]): Promise<Buffer> {
  const directory = await makeTemporaryDirectory();
  const level = new Level<string, Buffer>(directory, { valueEncoding: 'buffer' });
  for (const [index, size] of valueSizes.entries())
    await level.put(`${index}`, Buffer.alloc(size, index + 1));
  await level.close();
  return readFile(await fileIn(directory, 'log'));
}

/** The lengths of the records, and the ranges that are damaged, in their order. */
function read(log: Buffer): (number | string)[] {
  return [...readLevelLog(log)].map((entry) =>
    entry.kind === 'record' ? entry.bytes.length : `${entry.start} to ${entry.end}`,
  );
}

test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  'records are read when %i bytes are left in the block behind one of them',
  async (left) => {
    const size = BLOCK_BYTES - HEADER_BYTES - PUT_BYTES - left;
    const log = await logOf(size, 20_000, 20_000);
    expect(read(log)).toEqual([size + PUT_BYTES, 20_000 + PUT_BYTES, 20_000 + PUT_BYTES]);
  },
);

test('a record longer than a block is put together', async () => {
  const [entry, ...others] = readLevelLog(await logOf(100_000));
  expect(others).toEqual([]);
  expect(entry).toMatchObject({ kind: 'record', bytes: { length: 100_000 + PUT_BYTES } });
  expect(entry?.kind === 'record' && entry.bytes.at(-1)).toBe(1);
});

test('an empty log has no records and no damage', () => {
  expect(read(Buffer.alloc(0))).toEqual([]);
});

test.each([1, 5000, 5020])('a record cut short by %i bytes at the end is left out', async (count) => {
  const log = await logOf(5000, 5000);
  expect(read(log.subarray(0, log.length - count))).toEqual([SHORT]);
});

test('a wrong bit costs the record that it is in', async () => {
  const log = await logOf(5000, 5000, 5000);
  log.writeUInt8(log.readUInt8(SECOND + 1000) ^ 1, SECOND + 1000);
  expect(read(log)).toEqual([SHORT, `${SECOND} to ${2 * SECOND}`, SHORT]);
});

test('bytes put in or taken out cost the record that they were in, and blocks may end elsewhere behind them', async () => {
  const log = await logOf(5000, 5000, 40_000, 40_000, 5000);
  const long = PUT_BYTES + 40_000;
  const at = SECOND + 1000;
  const longer = Buffer.concat([log.subarray(0, at), Buffer.from('new'), log.subarray(at)]);
  expect(read(longer)).toEqual([SHORT, `${SECOND} to ${2 * SECOND + 3}`, long, long, SHORT]);
  const shorter = Buffer.concat([log.subarray(0, at), log.subarray(at + 3)]);
  expect(read(shorter)).toEqual([SHORT, `${SECOND} to ${2 * SECOND - 3}`, long, long, SHORT]);
});

test('a record of which only the end is left is none', async () => {
  const log = await logOf(40_000, 5000);
  log.fill(0, 100, 200);
  expect(read(log)).toEqual([`0 to ${BLOCK_BYTES}`, SHORT]);
});

test('a wrong bit in the last record is not told from a write cut short', async () => {
  const log = await logOf(5000, 5000);
  log.writeUInt8(log.readUInt8(log.length - 10) ^ 1, log.length - 10);
  expect(read(log)).toEqual([SHORT]);
});

test('garbage from within a record to the end is damage when it is more than that record', async () => {
  const log = await logOf(5000, 5000, 5000);
  log.fill(0xa5, 7000);
  expect(read(log)).toEqual([SHORT, `${SECOND} to ${log.length}`]);
});

test('room that was never filled is no damage, unless records follow it', async () => {
  const log = await logOf(5000);
  const unfilled = Buffer.alloc(BLOCK_BYTES - log.length + BLOCK_BYTES);
  expect(read(Buffer.concat([log, unfilled]))).toEqual([SHORT]);
  expect(read(Buffer.concat([log, unfilled, log]))).toEqual([
    SHORT,
    `${log.length} to ${2 * BLOCK_BYTES}`,
    SHORT,
  ]);
});
