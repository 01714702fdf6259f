// A table of an earlier format: read as it stands, and converted with the first write, which may be interrupted.

import { expect, test } from 'vitest';
import { contentKey } from '../../../src/journal/keys.js';
import { type RowStore, TEXT } from '../../../src/journal/row-store.js';
import { addChecksum } from '../../../src/journal/row-values.js';
import { type ReadRow, readRow } from '../../../src/journal/rows.js';
import { GroupedChanges, type RowChanges, RowTable } from '../../../src/journal/table/row-table.js';
import { putRow } from '../../support/journal-places.js';
import {
  beginTable,
  decoded,
  isKilled,
  killedAfter,
  markAt,
  NO_SYNC,
  openMemory,
  readAll,
  reread,
  storedIn,
} from '../../support/table-rows.js';

/** As format 7 has them. The counter looks like a seal and a shorter counter. */
const FEW: readonly [string, string][] = [
  ['S0000000001', '3041000123456'],
  ['T', '9000'],
  ['V0000000009', ''],
  ['i00000000010000000000000003', '{"duplicateKey":"order-3","acceptedAt":5000}'],
  ['m00000000010000000000000003', '{"enqueuedTime":5000,"contentId":3,"sizeBytes":3,"expiresAt":7000}'],
  [
    's0000000001b475ceab9d1084488333b3cfabfa909f1138e5d033010dcc6804f912a1f7eb14',
    '{"sessionId":"blue","contentId":5,"sizeBytes":3,"updatedTime":6000}',
  ],
];

function messageOf(number: number, sessionId: string): [string, string] {
  const row = `{"enqueuedTime":5000,"contentId":${number},"sizeBytes":3,"sessionId":"${sessionId}"}`;
  return [`m0000000001${String(number).padStart(16, '0')}`, row];
}

async function openEarlier(rows: readonly (readonly [string, string])[]): Promise<RowStore> {
  const store = await openMemory();
  const batch = store.batch();
  batch.put('F', '{"format":7}', TEXT);
  for (const [key, row] of rows) batch.put(key, row, TEXT);
  await batch.write(NO_SYNC);
  return store;
}

/** The rows without regard to the order of pages and of rows that are not in pages yet. */
function sorted(rows: readonly (ReadRow | undefined)[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}

test('a table of an earlier format has no mark, and stays as it is while it is only read', async () => {
  const store = await openEarlier(FEW);
  const before = await storedIn(store);
  const table = await RowTable.open(store, 'memory');
  expect(table.format).toBe(7);
  expect(table.mark).toBeUndefined();
  expect(await readAll(table)).toEqual(FEW.map(([key, row]) => readRow(key, row)));
  expect(await storedIn(store)).toEqual(before);
});

test('begun, it is of this format, has pages and seals, and the same rows', async () => {
  const store = await openEarlier(FEW);
  await beginTable(store);
  expect([...(await storedIn(store)).keys()].map((key) => key.slice(0, 2))).toEqual([
    ...['F', 'L', 'S0', 'T', 'V0', 'j0', 'n0', 's0'],
  ]);
  expect(await reread(store)).toEqual(decoded(new Map(FEW)));
});

test('rows are converted in chunks, and a page may begin in one chunk and end in the next', async () => {
  const rows = Array.from({ length: 10_050 }, (_, index) => messageOf(index, 'a'));
  const store = await openEarlier(rows);
  await beginTable(store);
  expect(await storedIn(store, { gte: 'm', lt: 'n' })).toEqual(new Map());
  expect((await reread(store)).length).toBe(rows.length);
});

test('a kill in the middle of the conversion leaves all rows, and the next start does the rest', async () => {
  // Three rows fill a piece.
  const all = [
    ...FEW,
    ...[105, 106, 207, 208, 309, 310].map((number) => messageOf(number, 'x'.repeat(100_000))),
  ];
  const expected = sorted(all.map(([key, row]) => readRow(key, row)));
  let killCount = 0;
  for (let batchCount = 0; ; batchCount++) {
    const store = await openEarlier(all);
    const hasBeenKilled = await isKilled(beginTable(killedAfter(store, batchCount)).then(() => undefined));
    expect(sorted(await reread(store))).toEqual(expected);
    await beginTable(store);
    expect(await storedIn(store, { gte: 'm', lt: 'n' })).toEqual(new Map());
    expect(sorted(await reread(store))).toEqual(expected);
    if (!hasBeenKilled) break;
    killCount += 1;
  }
  expect(killCount).toBe(4);
});

test('what the log has is laid over rows that are not converted yet', async () => {
  const store = await openEarlier([...FEW, messageOf(100, 'a')]);
  const changes: RowChanges = new Map([
    ['i00000000010000000000000003', undefined],
    ['m00000000010000000000000003', '5000,3,3,7000,2,,'],
    ['s0000000001b475ceab9d1084488333b3cfabfa909f1138e5d033010dcc6804f912a1f7eb14', undefined],
    ['T', '9500'],
  ]);
  const laid = sorted(await reread(store, changes));
  const table = await beginTable(store);
  await table.write(new GroupedChanges(changes), markAt(1), NO_SYNC);
  expect(laid).toHaveLength(5);
  expect(sorted(await reread(store))).toEqual(laid);
});

test('a row with a line feed, which would be two lines of a page, is refused', async () => {
  const store = await openEarlier([
    ['m00000000010000000000000003', '{"enqueuedTime":5000,\n"contentId":3,"sizeBytes":3}'],
  ]);
  await expect(reread(store)).rejects.toThrow('"m00000000010000000000000003" is not a row of a journal');
});

test('contents of earlier formats are listed, read and deleted where they are', async () => {
  const store = await openEarlier(FEW);
  const batch = store.batch();
  for (const contentId of [3, 5, 12])
    batch.put(contentKey(contentId), addChecksum(Buffer.from(`bytes ${contentId}`)));
  await batch.write(NO_SYNC);
  const table = await beginTable(store);
  expect(await table.earlierContentIds()).toEqual(Float64Array.of(3, 5, 12));
  expect((await table.readEarlierContent(5))?.toString()).toBe('bytes 5');
  expect(table.readEarlierContentNow(12)?.toString()).toBe('bytes 12');
  expect(await table.readEarlierContent(4)).toBeUndefined();
  await table.write(new GroupedChanges([[contentKey(5), undefined]]), markAt(1), NO_SYNC);
  expect(await table.earlierContentIds()).toEqual(Float64Array.of(3, 12));
  expect(await reread(store)).toHaveLength(FEW.length);
});

test('an earlier content that is not what was written is told apart from a missing one', async () => {
  const store = await openEarlier(FEW);
  await putRow(store, contentKey(3), 'bytes 3 and no checksum');
  const table = await RowTable.open(store, 'memory');
  const seen = 'content 3 is not what was written';
  await expect(table.readEarlierContent(3)).rejects.toMatchObject({ kind: 'corrupt', seen });
  expect(() => table.readEarlierContentNow(3)).toThrow(seen);
});
