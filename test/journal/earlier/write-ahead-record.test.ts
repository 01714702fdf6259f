// The log that formats up to 7 had in front of LevelDB: cut off it is torn, changed it is damaged.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readBatchRecords } from '../../../src/journal/earlier/write-ahead-record.js';

const HEADER_BYTES = 12;
const LOG = join(import.meta.dirname, '..', 'fixtures', 'format-7', 'ahead', '00000001.ahead');
const bytes = await readFile(LOG);
/** The offsets behind each record. */
const ends: number[] = [];
for (let end = 0; end < bytes.length; ends.push(end)) end += HEADER_BYTES + bytes.readUInt32LE(end);

test('all of it is read', () => {
  const { records, state } = readBatchRecords(bytes);
  expect(state).toBe('whole');
  expect(records).toHaveLength(ends.length);
  expect(records.at(-1)?.map(([key, value]) => [key, value?.toString()])).toEqual([
    ['m00000000210000000000000002', undefined],
    ['c0000000000000012', undefined],
    ['T', '1795470124741'],
  ]);
});

test('cut off at any byte, the whole records before are read and the rest is torn', () => {
  for (let length = 1; length < bytes.length; length++) {
    const { records, state } = readBatchRecords(bytes.subarray(0, length));
    expect(records).toHaveLength(ends.filter((end) => end <= length).length);
    expect(state).toBe(ends.includes(length) ? 'whole' : 'torn');
  }
});

test('with one wrong bit before the last record it is damaged', () => {
  for (let at = 0; at < (ends.at(-2) ?? 0); at++) {
    const spoiled = Buffer.from(bytes);
    spoiled[at] = (spoiled[at] as number) ^ 0x10;
    expect(readBatchRecords(spoiled).state).toBe('damaged');
  }
});

test('followed by zeros, as after a power cut, it is torn', () => {
  const { records, state } = readBatchRecords(Buffer.concat([bytes, Buffer.alloc(4096)]));
  expect(records).toHaveLength(ends.length);
  expect(state).toBe('torn');
});
