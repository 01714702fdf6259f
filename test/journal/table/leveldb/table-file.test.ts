// Tables of LevelDB: damage to any part is found, and the rows of the other blocks are read.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Level } from 'level';
import { expect, test } from 'vitest';
import { entriesIn, readTable } from '../../../../src/journal/table/leveldb/table-file.js';
import { makeTemporaryDirectory } from '../../../support/journal-places.js';

const ROW_COUNT = 500;

async function writeTable(): Promise<Buffer> {
  const directory = await makeTemporaryDirectory();
  const store = new Level<string, string>(directory, { compression: false });
  for (let number = 0; number < ROW_COUNT; number++)
    await store.put(`key ${number}`, `value ${number}`.repeat(10));
  await store.close();
  // LevelDB makes a table of the log that it finds.
  await store.open();
  await store.close();
  const name = readdirSync(directory).find((one) => one.endsWith('.ldb')) ?? '';
  return readFileSync(join(directory, name));
}

function read(table: Buffer): { readonly keys: string[]; readonly damage: string[] } {
  const keys: string[] = [];
  const damage: string[] = [];
  for (const part of readTable(table)) {
    if (part.kind === 'damage') damage.push(part.seen);
    // A key ends with eight bytes of LevelDB's own.
    else for (const { key } of entriesIn(part.block)) keys.push(key.subarray(0, -8).toString());
  }
  return { keys, damage };
}

test('a table that LevelDB wrote is intact', async () => {
  const table = await writeTable();
  expect(table.length).toBeGreaterThan(40_000);
  const keys = Array.from({ length: ROW_COUNT }, (_, number) => `key ${number}`);
  expect(read(table)).toEqual({ keys: keys.sort(), damage: [] });
});

test('a flipped bit is found wherever it is', async () => {
  const table = await writeTable();
  const footerAt = table.length - 48;
  for (let offset = 0; offset < footerAt; offset += 97) {
    const damaged = Buffer.from(table);
    damaged[offset] = (damaged[offset] ?? 0) ^ 0x10;
    expect(read(damaged).damage, `byte ${offset}`).toHaveLength(1);
  }
});

test.each<[string, (table: Buffer) => Buffer]>([
  ['zeroed', (table) => Buffer.from(table).fill(0, 5000, 5010)],
  ['put in', (table) => Buffer.concat([table.subarray(0, 5000), Buffer.alloc(10), table.subarray(5000)])],
  ['taken out', (table) => Buffer.concat([table.subarray(0, 5000), table.subarray(5010)])],
])('ten bytes that are %s cost the rows of one block', async (_, change) => {
  const { keys, damage } = read(change(await writeTable()));
  expect(damage).toEqual([expect.stringMatching(/^is not what was written from byte \d+ to byte \d+$/)]);
  expect(keys.length).toBeGreaterThan(400);
  expect(keys.length).toBeLessThan(ROW_COUNT);
});

test('a table that has lost its end or its index has no rows', async () => {
  const table = await writeTable();
  expect(read(table.subarray(0, 1000))).toEqual({ keys: [], damage: ['has lost its end'] });
  expect(read(Buffer.alloc(0))).toEqual({ keys: [], damage: ['has lost its end'] });
  const blank = Buffer.from(table).fill(0, table.length - 48, table.length - 8);
  expect(read(blank)).toMatchObject({ keys: [], damage: expect.arrayContaining(['has a damaged index']) });
});
