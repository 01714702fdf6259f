// Damage to the table: every value that is not what was written is found when the table is read.

import { beforeEach, expect, test } from 'vitest';
import type { RowStore } from '../../../src/journal/table/row-store.js';
import { GroupedChanges, RowTable } from '../../../src/journal/table/row-table.js';
import { sequenceKey } from '../../../src/journal/table/rows/keys.js';
import { deleteRow, putRow } from '../../support/journal-places.js';
import {
  beginTable,
  markAt,
  messageIdRow,
  messageRow,
  NO_SYNC,
  openMemory,
  reread,
  storedIn,
} from '../../support/table-rows.js';

/** Read before the others. */
const SEEN = new Map<string, unknown>([
  ['F', expect.stringContaining('it says its format is ')],
  ['L', 'its mark is not what was written'],
]);
const COUNTER = sequenceKey(1, 0);
let store: RowStore;

beforeEach(async () => {
  store = await openMemory();
  const table = await beginTable(store);
  const rows = [messageRow(3), messageRow(4), messageIdRow(3), messageRow(300)];
  await table.write(new GroupedChanges([...rows, [COUNTER, '301']]), markAt(7), NO_SYNC);
});

test('a flipped bit in any character of any value is found', async () => {
  const stored = await storedIn(store);
  for (const [key, value] of stored) {
    for (let position = 0; position < value.length; position++) {
      const flipped = String.fromCharCode(value.charCodeAt(position) ^ 1);
      await putRow(store, key, value.slice(0, position) + flipped + value.slice(position + 1));
      const seen = SEEN.get(key) ?? `"${key}" is not what was written`;
      await expect(reread(store)).rejects.toMatchObject({ kind: 'corrupt', seen });
    }
    await putRow(store, key, value);
  }
  expect(await reread(store)).toHaveLength(5);
});

test('a missing row is found by the count', async () => {
  const stored = await storedIn(store);
  stored.delete('F');
  stored.delete('L');
  expect(stored.size).toBe(4);
  for (const [key, value] of stored) {
    await deleteRow(store, key);
    const seen = 'it has 4 rows and pages, and its mark says 5';
    await expect(reread(store)).rejects.toMatchObject({ kind: 'corrupt', seen });
    await putRow(store, key, value);
  }
});

test('a missing mark is found', async () => {
  await deleteRow(store, 'L');
  const seen = 'its mark is missing';
  await expect(RowTable.open(store, 'memory')).rejects.toMatchObject({ kind: 'corrupt', seen });
});

test('an earlier value of a row is found by the checksum of all', async () => {
  const earlier = await storedIn(store);
  const changed = new Map([messageRow(4, 1), [COUNTER, '302']] as [string, string][]);
  await (await beginTable(store)).write(new GroupedChanges(changed), markAt(8), NO_SYNC);
  const stored = await storedIn(store);
  const stale = [...stored].filter(([key, value]) => key !== 'L' && earlier.get(key) !== value);
  expect(stale).toHaveLength(2);
  for (const [key, value] of stale) {
    await putRow(store, key, earlier.get(key) ?? '');
    const seen = 'the checksum of all its rows differs from its mark: some rows are older than others';
    await expect(reread(store)).rejects.toMatchObject({ kind: 'corrupt', seen });
    await putRow(store, key, value);
  }
});

test('a value under the key of another is found', async () => {
  const stored = await storedIn(store, 'n');
  const [[first, one], [second, other]] = [...stored] as [[string, string], [string, string]];
  await putRow(store, first, other);
  await putRow(store, second, one);
  await expect(reread(store)).rejects.toThrow(`"${first}" is not what was written`);
});

test('a row that no version writes is refused, although its seal is right', async () => {
  const table = await beginTable(store);
  await table.write(new GroupedChanges([[messageRow(5)[0], 'many']]), markAt(8), NO_SYNC);
  await expect(reread(store)).rejects.toThrow('is not a row of a journal');
});

test('a page that was damaged after it was read is not written over', async () => {
  const table = await beginTable(store);
  const [key, value] = [...(await storedIn(store, 'n'))][0] as [string, string];
  const batch = store.batch();
  batch.put(key, value.replace('5000', '6000'));
  await batch.write(NO_SYNC);
  const seen = `"${key}" is not what was written`;
  const work = table.write(new GroupedChanges([messageRow(5)]), markAt(8), NO_SYNC);
  await expect(work).rejects.toMatchObject({ kind: 'corrupt', seen });
});
