// What a LevelDB manifest says, read from records made by hand.

import { expect, test } from 'vitest';
import { maskedCrc32c } from '../../../../src/journal/table/leveldb/crc32c.js';
import { readManifest } from '../../../../src/journal/table/leveldb/manifest.js';

const COMPARATOR = [1, 3, 0x61, 0x62, 0x63];
const logNumber = (number: number) => [2, number];
const newTable = (number: number, ...size: number[]) => [7, 0, number, ...size, 1, 0x61, 2, 0x62, 0x63];
const deletedTable = (number: number) => [6, 0, number];
const POINTER = [5, 1, 2, 0x61, 0x62];
const COUNTERS = [3, 9, 4, 0x80, 0x80, 0x01, 9, 0];

/** One record for each list of fields. */
function manifestOf(...edits: number[][][]): Buffer {
  const records = edits.map((fields) => {
    const typed = Buffer.from([1, ...fields.flat()]);
    const record = Buffer.alloc(6 + typed.length);
    record.writeUInt32LE(maskedCrc32c(typed), 0);
    record.writeUInt16LE(typed.length - 1, 4);
    record.set(typed, 6);
    return record;
  });
  return Buffer.concat(records);
}

test('tables and the log number are those that all records give together', () => {
  const manifest = readManifest(
    manifestOf(
      [COMPARATOR, COUNTERS, logNumber(3)],
      [logNumber(4), newTable(5, 0x80, 0x01), newTable(6, 77)],
      [POINTER, deletedTable(5), newTable(7, 1)],
    ),
  );
  expect(manifest).toEqual({
    logNumber: 4,
    tables: new Map([
      [6, 77],
      [7, 1],
    ]),
  });
});

test.each([
  ['nothing', []],
  ['a field nobody knows', [[COMPARATOR, [8, 1]]]],
  ['a field cut short', [[COMPARATOR, [1, 9, 0x61]]]],
  ['a number cut short', [[COMPARATOR, [2, 0x80]]]],
])('a manifest of %s cannot be read', (_, edits) => {
  expect(readManifest(manifestOf(...edits))).toBeUndefined();
});

test('the checksum is that of LevelDB', () => {
  // CRC-32C of "123456789" is e3069283, from the standard's table of examples.
  const crc = 0xe3069283;
  const masked = (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
  expect(maskedCrc32c(Buffer.from('123456789'))).toBe(masked);
});
