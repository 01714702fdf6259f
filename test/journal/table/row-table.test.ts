// The table of rows: what was written is read back, in pages, after any history and after a crash at any moment.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GroupedChanges, type RowChanges, RowTable } from '../../../src/journal/table/row-table.js';
import { sequenceKey, sessionStateKey, TIME_KEY } from '../../../src/journal/table/rows/keys.js';
import { writeSessionState } from '../../../src/journal/table/rows/row-values.js';
import {
  beginTable,
  counted,
  decoded,
  isKilled,
  killedAfter,
  markAt,
  messageIdRow,
  messageRow,
  NO_SYNC,
  openMemory,
  readAll,
  reread,
  storedIn,
  watched,
} from '../../support/table-rows.js';

const FIRST_PAGE = 'n000000000100000000000000';
const MANY = Array.from({ length: 100 }, (_, number) => messageRow(number));

function deleted(rows: readonly (readonly [string, string])[]): RowChanges {
  return new Map(rows.map(([key]) => [key, undefined]));
}

test('an empty store is a table without a mark and rows', async () => {
  const table = await RowTable.open(await openMemory(), 'memory');
  expect(table.mark).toBeUndefined();
  expect(await readAll(table)).toEqual([]);
});

test('before the first append to the log, the table says its format and that the log may go on', async () => {
  const store = await openMemory();
  await beginTable(store);
  expect((await storedIn(store)).get('F')?.slice(8)).toBe('1');
  const table = await RowTable.open(store, 'memory');
  expect(table.mark).toEqual({ segment: 1, offset: 0, isClean: false });
});

test('the mark of a clean stop is one no longer once the table is begun again', async () => {
  const store = await openMemory();
  const table = await beginTable(store);
  await table.write(new GroupedChanges(), markAt(70, true), NO_SYNC);
  expect((await RowTable.open(store, 'memory')).mark).toEqual({ segment: 1, offset: 70, isClean: true });
  await beginTable(store);
  expect((await RowTable.open(store, 'memory')).mark).toEqual({ segment: 1, offset: 70, isClean: false });
});

test('a hundred messages with neighbouring numbers are one page, a line each', async () => {
  const store = await openMemory();
  const table = await beginTable(store);
  await table.write(new GroupedChanges([...MANY, messageRow(100)]), markAt(1), NO_SYNC);
  const stored = await storedIn(store, 'd');
  expect([...stored.keys()]).toEqual([FIRST_PAGE, 'n000000000100000000000001']);
  expect(stored.get(FIRST_PAGE)?.split('\n')[7]).toBe('075000,7,3');
});

test('a page that is new, or that loses all its rows, is written without being read', async () => {
  const { rows: store, reads } = counted(await openMemory());
  const table = await beginTable(store);
  await table.write(new GroupedChanges(MANY), markAt(1), NO_SYNC);
  await table.write(new GroupedChanges(deleted(MANY.slice(0, 40))), markAt(2), NO_SYNC);
  expect(reads).toEqual([[FIRST_PAGE]]);
  await table.write(new GroupedChanges(deleted(MANY)), markAt(3), NO_SYNC);
  expect(reads).toHaveLength(1);
  expect(await storedIn(store, 'd')).toEqual(new Map());
});

test('a row that came and went before it reached the table costs nothing', async () => {
  const store = await openMemory();
  const table = await beginTable(store);
  await table.write(new GroupedChanges([messageRow(3)]), markAt(1), NO_SYNC);
  const before = await storedIn(store, 'd');
  await table.write(new GroupedChanges(deleted([messageRow(4), messageIdRow(4)])), markAt(1), NO_SYNC);
  expect(await storedIn(store, 'd')).toEqual(before);
});

test('what only the log has is read at its place among the rows', async () => {
  const store = await openMemory();
  const table = await beginTable(store);
  const rows = [[TIME_KEY, '9000'], messageRow(150), messageRow(151), messageRow(350)] as const;
  await table.write(new GroupedChanges(rows), markAt(1), NO_SYNC);
  const changes = new Map<string, string | undefined>([
    messageRow(5),
    messageIdRow(7),
    [messageRow(151)[0], undefined],
    messageRow(152),
    messageRow(350, 2),
    [TIME_KEY, '9500'],
    messageRow(900),
  ]);
  const merged = [[TIME_KEY, '9500'], messageIdRow(7), messageRow(5), messageRow(150), messageRow(152)];
  expect(await reread(store, changes)).toEqual(
    decoded(new Map([...merged, messageRow(350, 2), messageRow(900)] as [string, string][])),
  );
});

test('every batch that is opened is written: the store would keep another for ever', async () => {
  let [openedCount, writtenCount] = [0, 0];
  const opened = () => void openedCount++;
  const written = () => void writtenCount++;
  const table = await beginTable(watched(await openMemory(), opened, written));
  const rows = Array.from({ length: 10_000 }, (_, number) => messageRow(number));
  await table.write(new GroupedChanges(rows), markAt(1), NO_SYNC);
  await table.write(new GroupedChanges(), markAt(2), NO_SYNC);
  expect(openedCount).toBeGreaterThan(2);
  expect(openedCount).toBe(writtenCount);
});

test('a large change is written in several pieces, and the position of the log comes with the last', async () => {
  const store = await openMemory();
  const rows = Array.from({ length: 40_000 }, (_, number) => messageRow(number));
  await (await beginTable(store)).write(new GroupedChanges(), markAt(1), NO_SYNC);
  const table = await beginTable(killedAfter(store, 3));
  expect(await isKilled(table.write(new GroupedChanges(rows), markAt(2), NO_SYNC))).toBe(true);
  const next = await RowTable.open(store, 'memory');
  expect(next.mark).toEqual(markAt(1));
  expect((await readAll(next)).length).toBeGreaterThan(1000);
});

type Step = { readonly changes: RowChanges; readonly batchCount: number };

const numbers = fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 90, max: 330 }));
const row = fc.oneof(
  fc.tuple(numbers, fc.nat(3)).map(([number, count]) => messageRow(number, count)),
  numbers.map((number) => messageIdRow(number)),
  // Two of these fill a piece.
  fc.nat(9).map((number) => messageIdRow(number, 'x'.repeat(200_000))),
  fc.nat(9).map((storeId): [string, string] => [sequenceKey(storeId, 0), '12345678']),
  fc.constantFrom('red', 'blau', 'größe\ud800').map((sessionId): [string, string] => {
    const state = { sessionId, contentId: 7, sizeBytes: 3, updatedTime: 5000 };
    return [sessionStateKey(1, sessionId), writeSessionState(state)];
  }),
);
const change = fc.tuple(row, fc.boolean()).map(([[key, text], isPut]): [string, string | undefined] => {
  return [key, isPut ? text : undefined];
});
/** A flush, and after how many batches the process is killed. The first begins the table. */
const step: fc.Arbitrary<Step> = fc.record({
  changes: fc.array(change, { minLength: 20, maxLength: 100 }).map((changes) => new Map(changes)),
  batchCount: fc.nat(4),
});

test('after any history with kills at any moment the table has the rows of a plain map', async () => {
  /** Of those in the middle of a flush, behind its first piece. */
  let killCount = 0;
  const history = async (steps: readonly Step[]) => {
    const store = await openMemory();
    const rows = new Map<string, string>();
    for (const { changes, batchCount } of steps) {
      const killed = killedAfter(store, batchCount);
      const work = async () =>
        (await beginTable(killed)).write(new GroupedChanges(changes), markAt(1), NO_SYNC);
      if (await isKilled(work())) {
        if (batchCount > 1) killCount += 1;
        // The log has the changes: they are read over the rows, and written again.
        await (await beginTable(store)).write(new GroupedChanges(changes), markAt(1), NO_SYNC);
      }
      for (const [key, text] of changes) {
        if (text === undefined) rows.delete(key);
        else rows.set(key, text);
      }
      expect(await reread(store)).toEqual(decoded(rows));
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 6 }), history), { numRuns: 12 });
  expect(killCount).toBeGreaterThan(5);
});

test('changes that only the log has are read as they are after they were written', async () => {
  const over = async (first: RowChanges, later: RowChanges) => {
    const store = await openMemory();
    const table = await beginTable(store);
    await table.write(new GroupedChanges(first), markAt(1), NO_SYNC);
    const laid = await reread(store, later);
    await table.write(new GroupedChanges(later), markAt(2), NO_SYNC);
    expect(laid).toEqual(await reread(store));
  };
  const flush = fc.array(change, { maxLength: 100 }).map((changes) => new Map(changes));
  await fc.assert(fc.asyncProperty(flush, flush, over), { numRuns: 60 });
});

test('others have their turn while many rows are deleted, although no piece is full', async () => {
  const store = await openMemory();
  const table = await beginTable(store);
  const rows = Array.from({ length: 10_000 }, (_, number) => messageRow(number));
  await table.write(new GroupedChanges(rows), markAt(1), NO_SYNC);
  let turnCount = 0;
  const watch = () => {
    turnCount += 1;
    watching = setImmediate(watch);
  };
  let watching = setImmediate(watch);
  await table.write(new GroupedChanges(deleted(rows)), markAt(2), NO_SYNC);
  clearImmediate(watching);
  expect(turnCount).toBeGreaterThanOrEqual(4);
  expect(await reread(store)).toEqual([]);
});
