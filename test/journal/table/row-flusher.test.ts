// From the log to the table: when waiting rows are written, what holds appends up, and what a failure leaves.

import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Cleaner } from '../../../src/journal/log/cleaner.js';
import { ContentPlaces } from '../../../src/journal/log/content-places.js';
import { ContentReader } from '../../../src/journal/log/content-reader.js';
import type { NewContent, RowChange } from '../../../src/journal/log/record.js';
import { type LogOptions, SegmentLog } from '../../../src/journal/log/segment-log.js';
import { RowFlusher } from '../../../src/journal/table/row-flusher.js';
import type { RowStore } from '../../../src/journal/table/row-store.js';
import { GroupedChanges, RowTable } from '../../../src/journal/table/row-table.js';
import { TIME_KEY } from '../../../src/journal/table/rows/keys.js';
import { HeldRows } from '../../support/held-rows.js';
import { MemoryFiles } from '../../support/memory-files.js';
import {
  beginTable,
  decoded,
  messageIdRow,
  messageRow,
  openMemory,
  reread,
} from '../../support/table-rows.js';

const MEBIBYTE = 1024 * 1024;

// Only the clock of the half second is simulated: a slow machine changes nothing.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

type UnderTest = {
  readonly flusher: RowFlusher;
  readonly held: HeldRows;
  readonly files: MemoryFiles;
  readonly store: RowStore;
  readonly places: ContentPlaces;
  readonly log: SegmentLog;
  append(rows: readonly RowChange[], contents?: readonly NewContent[]): void;
};

async function startFlusher(options: LogOptions = {}): Promise<UnderTest> {
  const store = await openMemory();
  const held = new HeldRows(store);
  const files = new MemoryFiles();
  const places = new ContentPlaces();
  const table = await beginTable(held.store);
  held.syncs.length = 0;
  const log = new SegmentLog(files, places, { sealed: new Map(), lastSegment: 0 }, options);
  const cleaner = new Cleaner(files, log, places, new ContentReader(files));
  const flusher = new RowFlusher({ table, log, cleaner }, new GroupedChanges());
  const append = (rows: readonly RowChange[], contents: readonly NewContent[] = []) => {
    flusher.add(rows, log.append({ rows, contents }));
  };
  return { flusher, held, files, store, places, log, append };
}

/** Everything that waits for nothing but its turn has happened. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await nextTurnOfTheLoop();
}

async function markOf(store: RowStore) {
  return (await RowTable.open(store, 'memory')).mark;
}

test('rows come to the table half a second after the first of them, with the position of the log behind them', async () => {
  const { append, store } = await startFlusher();
  append([messageRow(1)]);
  vi.advanceTimersByTime(499);
  append([messageRow(2)]);
  await settled();
  expect(await reread(store)).toEqual([]);
  expect(await markOf(store)).toMatchObject({ segment: 1, offset: 0 });
  vi.advanceTimersByTime(1);
  await settled();
  expect(await reread(store)).toEqual(decoded(new Map([messageRow(1), messageRow(2)])));
  expect((await markOf(store))?.offset).toBeGreaterThan(0);
});

test('of a row that changes several times the table gets the last value', async () => {
  const { append, store } = await startFlusher();
  append([messageRow(1), [TIME_KEY, '1']]);
  append([messageRow(1, 1), [TIME_KEY, '2']]);
  append([messageRow(2)]);
  append([[messageRow(2)[0], undefined]]);
  vi.advanceTimersByTime(500);
  await settled();
  expect(await reread(store)).toEqual(decoded(new Map([messageRow(1, 1), [TIME_KEY, '2']])));
});

test('a row whose page is known comes to its page, and its key is not read', async () => {
  const { append, store } = await startFlusher();
  const [[firstKey, text], [, next]] = [messageRow(1), messageRow(2)];
  const pageStart = firstKey.slice(0, -2);
  append([
    [firstKey, text, pageStart, 1],
    ['unread', next, pageStart, 2],
  ]);
  vi.advanceTimersByTime(500);
  await settled();
  expect(await reread(store)).toEqual(decoded(new Map([messageRow(1), messageRow(2)])));
});

test('a row that is put and deleted while the table gets it is gone in the end', async () => {
  const { append, held, store } = await startFlusher();
  held.hold();
  append([messageRow(1), messageRow(2)]);
  vi.advanceTimersByTime(500);
  await settled();
  append([[messageRow(1)[0], undefined], messageRow(3)]);
  append([[messageRow(3)[0], undefined]]);
  held.release();
  await settled();
  vi.advanceTimersByTime(500);
  await settled();
  expect(await reread(store)).toEqual(decoded(new Map([messageRow(2)])));
});

test('8 MB of rows are written at once, but not within the call that appends them', async () => {
  const { append, held } = await startFlusher();
  held.hold();
  append([messageIdRow(1, 'x'.repeat(8 * MEBIBYTE))]);
  expect(held.heldCount).toBe(0);
  await settled();
  expect(held.heldCount).toBe(1);
});

test('with 64 MB in the log behind the mark, few rows are written at once, too', async () => {
  const { flusher, held } = await startFlusher();
  held.hold();
  flusher.add([messageRow(1)], 64 * MEBIBYTE - 1);
  await settled();
  expect(held.heldCount).toBe(0);
  flusher.add([messageRow(2)], 1);
  await settled();
  expect(held.heldCount).toBe(1);
});

test('with 32 MB of waiting rows an append waits until the table has them, so that memory stays bounded', async () => {
  const { flusher, held, append } = await startFlusher();
  held.hold();
  const told: string[] = [];
  append([messageIdRow(1, 'x'.repeat(31 * MEBIBYTE))]);
  await flusher.room();
  // The first flush takes these rows; the table does not get any further.
  await settled();
  append([messageIdRow(2, 'x'.repeat(32 * MEBIBYTE))]);
  const room = flusher.room().then(() => told.push('room'));
  await settled();
  expect(told).toEqual([]);
  held.release();
  await room;
});

test('what changes while rows are written is written half a second later', async () => {
  const { append, held, store } = await startFlusher();
  held.hold();
  append([messageRow(1)]);
  vi.advanceTimersByTime(500);
  await settled();
  append([messageRow(2)]);
  vi.advanceTimersByTime(10_000);
  await settled();
  expect(held.heldCount).toBe(1);
  held.release();
  await settled();
  expect(await reread(store)).toEqual(decoded(new Map([messageRow(1)])));
  vi.advanceTimersByTime(500);
  await settled();
  expect(await reread(store)).toEqual(decoded(new Map([messageRow(1), messageRow(2)])));
});

test('after the table has failed nothing more is written, and the log still has everything', async () => {
  const { append, flusher, held, files, store } = await startFlusher();
  append([messageRow(1)]);
  held.fail(new Error('no room'));
  vi.advanceTimersByTime(500);
  await settled();
  expect(() => flusher.throwFailure()).toThrow('no room');
  append([messageRow(2)]);
  vi.advanceTimersByTime(10_000);
  await settled();
  expect(held.syncs).toEqual([]);
  await expect(flusher.room()).resolves.toBeUndefined();
  await expect(flusher.close()).rejects.toThrow('no room');
  expect(await reread(store)).toEqual([]);
  expect(files.bytesOf('00000001.segment').toString('latin1')).toContain(`+${messageRow(1)[0]} `);
});

test('closing writes everything, seals the log and marks a clean stop on the disk', async () => {
  const { append, flusher, held, files, store } = await startFlusher();
  append([messageRow(1)], [{ contentId: 1, bytes: Uint8Array.of(1) }]);
  await flusher.close();
  expect(await reread(store)).toEqual(decoded(new Map([messageRow(1)])));
  expect(await markOf(store)).toMatchObject({ isClean: true });
  expect(files.bytesOf('00000001.segment').toString('latin1')).toMatch(/SEAL$/);
  expect(held.syncs).toEqual([true]);
});

test('closing waits for the rows that are being written', async () => {
  const { append, flusher, held, store } = await startFlusher();
  held.hold();
  append([messageRow(1)]);
  vi.advanceTimersByTime(500);
  await settled();
  append([messageRow(2)]);
  const closed = flusher.close();
  held.release();
  await closed;
  expect(await reread(store)).toEqual(decoded(new Map([messageRow(1), messageRow(2)])));
});

test('rows are synced with a synced log, and before a segment is deleted', async () => {
  for (const isSynced of [true, false]) {
    const { append, held, files, places } = await startFlusher({ isSynced, segmentBytes: 200 });
    append([messageRow(1)], [{ contentId: 1, bytes: new Uint8Array(150) }]);
    append([messageRow(2)], [{ contentId: 2, bytes: new Uint8Array(150) }]);
    vi.advanceTimersByTime(500);
    await settled();
    expect(held.syncs).toEqual([isSynced]);
    places.delete(1);
    append([[messageRow(1)[0], undefined]]);
    held.hold();
    vi.advanceTimersByTime(500);
    await settled();
    expect(files.names).toContain('00000001.segment');
    held.release();
    await settled();
    expect(held.syncs).toEqual([isSynced, true]);
    expect(files.names).not.toContain('00000001.segment');
  }
});

test('a segment whose contents die while rows are written goes half a second later, though nothing else changes', async () => {
  const { append, flusher, held, files, places } = await startFlusher({ segmentBytes: 200 });
  append([messageRow(1)], [{ contentId: 1, bytes: new Uint8Array(150) }]);
  append([messageRow(2)], [{ contentId: 2, bytes: new Uint8Array(150) }]);
  held.hold();
  vi.advanceTimersByTime(500);
  await settled();
  places.delete(1);
  flusher.flushLater();
  vi.advanceTimersByTime(500);
  held.release();
  await settled();
  vi.advanceTimersByTime(500);
  await settled();
  expect(files.names).not.toContain('00000001.segment');
});

test('a content that dies after the stop leaves the mark of a clean stop', async () => {
  const { append, flusher, store } = await startFlusher();
  append([messageRow(1)]);
  await flusher.close();
  flusher.flushLater();
  vi.advanceTimersByTime(500);
  await settled();
  expect(await markOf(store)).toMatchObject({ isClean: true });
});
