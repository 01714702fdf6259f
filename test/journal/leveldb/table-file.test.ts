// Tables of LevelDB: each flipped bit of a block, its checksum or the index is found.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Level } from 'level';
import { expect, test } from 'vitest';
import { findTableDamage } from '../../../src/journal/leveldb/table-file.js';
import { makeTemporaryDirectory } from '../../support/journal-places.js';

async function writeTable(): Promise<Buffer> {
  const directory = await makeTemporaryDirectory();
  const store = new Level<string, string>(directory, { compression: false });
  for (let number = 0; number < 500; number++) await store.put(`key ${number}`, `value ${number}`.repeat(10));
  await store.close();
  // LevelDB makes a table of the log that it finds.
  await store.open();
  await store.close();
  const name = readdirSync(directory).find((one) => one.endsWith('.ldb')) ?? '';
  return readFileSync(join(directory, name));
}

test('a table that LevelDB wrote is intact', async () => {
  const table = await writeTable();
  expect(table.length).toBeGreaterThan(40_000);
  expect(findTableDamage(table)).toBeUndefined();
});

test('a flipped bit is found wherever it is', async () => {
  const table = await writeTable();
  const footerAt = table.length - 48;
  for (let offset = 0; offset < footerAt; offset += 97) {
    const damaged = Buffer.from(table);
    damaged[offset] = (damaged[offset] ?? 0) ^ 0x10;
    expect(findTableDamage(damaged), `byte ${offset}`).toBeDefined();
  }
});

test('a table that is cut or zero is found', async () => {
  const table = await writeTable();
  expect(findTableDamage(table.subarray(0, 1000))).toBe('has lost its end');
  expect(findTableDamage(Buffer.alloc(0))).toBe('has lost its end');
  expect(findTableDamage(Buffer.from(table).fill(0, 5000, 6000))).toMatch(
    /^is not what was written from byte \d+ on$/,
  );
  expect(findTableDamage(Buffer.from(table).fill(0, table.length - 48, table.length - 8))).toBe(
    'has a damaged index',
  );
});
