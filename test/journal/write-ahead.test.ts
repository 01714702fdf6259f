// The log in front of LevelDB: what is appended is there after a kill at any moment, and comes to LevelDB in the end.

import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises';
import fc from 'fast-check';
import { Level } from 'level';
import { MemoryLevel } from 'memory-level';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { contentKey, isContentKey } from '../../src/journal/keys.js';
import { openJournal } from '../../src/journal/open-journal.js';
import { type RowBatch, type RowStore, TEXT } from '../../src/journal/row-store.js';
import { RecordWriter, type RowChange, readBatchRecords } from '../../src/journal/write-ahead/record.js';
import { WriteAheadLog } from '../../src/journal/write-ahead/write-ahead-log.js';
import { WriteAheadStore } from '../../src/journal/write-ahead/write-ahead-store.js';
import { makeTemporaryDirectory } from '../support/journal-places.js';
import { contentNumber, queuePut, send } from '../support/journal-rows.js';
import { killedJournal } from '../support/killed-journal.js';

const NO_SYNC = { sync: false } as const;

// Rows come to the store when their time has come only where a test says so: a slow machine changes nothing.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function openMemory(): Promise<MemoryLevel<string, Buffer>> {
  const store = new MemoryLevel<string, Buffer>({ keyEncoding: 'utf8', valueEncoding: 'buffer' });
  await store.open();
  return store;
}

/** A store whose batches are written, or fail, only when told. */
function heldStore(store: RowStore) {
  const held: { write(): Promise<void>; fail(cause: unknown): void }[] = [];
  const batch = (): RowBatch => {
    const inner = store.batch();
    return {
      put: (...given: [string, never]) => inner.put(...given),
      del: (key) => inner.del(key),
      write: (options) =>
        new Promise((resolve, reject) => {
          held.push({ write: () => inner.write(options).then(resolve, reject), fail: reject });
        }),
    };
  };
  const rows: RowStore = {
    get: (key) => store.get(key),
    getSync: (key) => store.getSync(key),
    batch,
    iterator: (options) => store.iterator(options),
    close: () => store.close(),
  };
  return { rows, held };
}

async function put(store: RowStore, key: string, value: string | undefined): Promise<void> {
  const batch = store.batch();
  if (value === undefined) batch.del(key);
  else batch.put(key, Buffer.from(value));
  await batch.write(NO_SYNC);
}

async function contentsOf(directory: string): Promise<Map<string, string>> {
  const { batches, damaged } = await WriteAheadLog.readLeftBehind(directory);
  expect(damaged).toBeUndefined();
  const rows = new Map<string, string>();
  for (const [key, value] of batches.flat()) {
    if (value === undefined) rows.delete(key);
    else rows.set(key, value.toString());
  }
  return rows;
}

const BATCHES: readonly (readonly RowChange[])[] = [
  [
    ['a', Buffer.from('1')],
    ['b', Buffer.alloc(300, 7)],
  ],
  [['a', undefined]],
  [['c', Buffer.alloc(0)]],
];

function encodeAll(batches: readonly (readonly RowChange[])[]): Buffer {
  const writer = new RecordWriter();
  return Buffer.concat(batches.map((changes) => Buffer.from(writer.encode(changes))));
}

describe('records', () => {
  test('are read as they were written', () => {
    expect(readBatchRecords(encodeAll(BATCHES))).toEqual({ records: BATCHES, state: 'whole' });
  });

  test('cut off at any byte, the whole ones before are read and the rest is torn', () => {
    const bytes = encodeAll(BATCHES);
    const ends = BATCHES.map((_, index) => encodeAll(BATCHES.slice(0, index + 1)).length);
    for (let length = 1; length < bytes.length; length++) {
      const wholeCount = ends.filter((end) => end <= length).length;
      const { records, state } = readBatchRecords(bytes.subarray(0, length));
      expect(records).toEqual(BATCHES.slice(0, wholeCount));
      expect(state).toBe(ends.includes(length) ? 'whole' : 'torn');
    }
  });

  test('with one wrong bit before the last one, they are damaged', () => {
    const bytes = encodeAll(BATCHES);
    const lastStart = encodeAll(BATCHES.slice(0, 2)).length;
    for (let at = 0; at < lastStart; at++) {
      const spoiled = Buffer.from(bytes);
      spoiled[at] = (spoiled[at] as number) ^ 0x10;
      expect(readBatchRecords(spoiled).state).toBe('damaged');
    }
  });

  test('followed by zeros, as after a power cut, they are torn', () => {
    const bytes = Buffer.concat([encodeAll(BATCHES), Buffer.alloc(4096)]);
    expect(readBatchRecords(bytes)).toEqual({ records: BATCHES, state: 'torn' });
  });
});

test('a text in a record is read back as its bytes, whatever its letters', () => {
  const text = 'Größe \u{1f4e6} \u4e2d';
  const { records, state } = readBatchRecords(encodeAll([[['k', text]], [['l', '']]]));
  expect(state).toBe('whole');
  expect(records).toEqual([[['k', Buffer.from(text)]], [['l', Buffer.alloc(0)]]]);
});

describe('the store behind the log', () => {
  test('a batch is in the file before its write resolves, and in the store only later', async () => {
    const directory = await makeTemporaryDirectory();
    const inner = await openMemory();
    const store = new WriteAheadStore(
      { ...bound(inner), close: async () => {} },
      new WriteAheadLog(directory),
    );
    await put(store, 'k', 'v');
    expect(await contentsOf(directory)).toEqual(new Map([['k', 'v']]));
    expect(await inner.get('k')).toBeUndefined();
    expect((await store.get('k'))?.toString()).toBe('v');
    expect(store.getSync('k')?.toString()).toBe('v');
    vi.runOnlyPendingTimers();
    await store.close();
    expect((await inner.get('k'))?.toString()).toBe('v');
  });

  test('a row that was just appended is read within the call, bytes and text alike', async () => {
    const store = new WriteAheadStore(await openMemory(), new WriteAheadLog(await makeTemporaryDirectory()));
    const batch = store.batch();
    batch.put('bytes', Buffer.of(0, 255));
    batch.put('text', 'Größe', TEXT);
    batch.del('gone');
    void batch.write(NO_SYNC);
    expect(store.getSync('bytes')).toEqual(Buffer.of(0, 255));
    expect(store.getSync('text')).toEqual(Buffer.from('Größe'));
    expect(store.getSync('gone')).toBeUndefined();
    expect(store.getSync('never')).toBeUndefined();
    await store.close();
  });

  test('nothing is passed on within the call that appends, however much it is', async () => {
    const { rows, held } = heldStore(await openMemory());
    const store = new WriteAheadStore(rows, new WriteAheadLog(await makeTemporaryDirectory()));
    await put(store, 'k', 'x'.repeat(17 * 1024 * 1024));
    expect(held.length).toBe(0);
    await nextTurnOfTheLoop();
    expect(held.length).toBe(1);
    const closed = store.close();
    await held.shift()?.write();
    await closed;
  });

  test('an empty batch changes nothing, and closing does not wait for it', async () => {
    const store = new WriteAheadStore(await openMemory(), new WriteAheadLog(await makeTemporaryDirectory()));
    await store.batch().write(NO_SYNC);
    await store.close();
  });

  test('thousands of rows in one batch all come to the store, and the last change to each counts', async () => {
    const inner = await openMemory();
    const store = new WriteAheadStore(
      { ...bound(inner), close: async () => {} },
      new WriteAheadLog(await makeTemporaryDirectory()),
    );
    const batch = store.batch();
    for (let index = 0; index < 5000; index++) batch.put(`k${index % 3000}`, Buffer.from(String(index)));
    await batch.write(NO_SYNC);
    await store.close();
    const last = await inner.iterator().all();
    expect(last.length).toBe(3000);
    for (const [key, value] of last) {
      const index = Number(key.slice(1));
      expect(value.toString()).toBe(String(index < 2000 ? index + 3000 : index));
    }
  });

  test('closing it passes everything on and leaves no file', async () => {
    const directory = await makeTemporaryDirectory();
    const inner = await openMemory();
    const { rows, held } = heldStore({ ...bound(inner), close: async () => {} });
    const store = new WriteAheadStore(rows, new WriteAheadLog(directory, { segmentBytes: 50 }));
    for (let index = 0; index < 20; index++) await put(store, `k${index}`, 'value');
    await put(store, 'k3', undefined);
    const closed = store.close();
    await held.shift()?.write();
    await closed;
    expect((await inner.get('k19'))?.toString()).toBe('value');
    expect(await inner.get('k3')).toBeUndefined();
    expect(await readdir(directory)).toEqual([]);
  });

  test('a row is found while it is on its way, and its deletion as well', async () => {
    const { rows, held } = heldStore(await openMemory());
    const store = new WriteAheadStore(rows, new WriteAheadLog(await makeTemporaryDirectory()));
    const large = 'x'.repeat(2 * 1024 * 1024);
    await put(store, 'old', 'there');
    await put(store, 'large', large);
    vi.runOnlyPendingTimers();
    expect(held.length).toBe(1);
    await put(store, 'old', undefined);
    expect((await store.get('large'))?.length).toBe(large.length);
    expect(store.getSync('large')?.length).toBe(large.length);
    expect(await store.get('old')).toBeUndefined();
    expect(store.getSync('old')).toBeUndefined();
    await held.shift()?.write();
    expect(await store.get('old')).toBeUndefined();
    expect(store.getSync('old')).toBeUndefined();
    expect(store.getSync('large')?.length).toBe(large.length);
    const closed = store.close();
    await nextTurnOfTheLoop();
    await held.shift()?.write();
    await closed;
  });

  test('a content that is deleted before the store has it costs the store nothing', async () => {
    const inner = await openMemory();
    const written: string[] = [];
    const batch = (): RowBatch => {
      const rows = inner.batch();
      return {
        put: (...given: [string, never]) => written.push(`put ${given[0]}`) && rows.put(...given),
        del: (key) => written.push(`delete ${key}`) && rows.del(key),
        write: (options) => rows.write(options),
      };
    };
    const store = new WriteAheadStore(
      { ...bound(inner), batch, close: async () => {} },
      new WriteAheadLog(await makeTemporaryDirectory()),
    );
    const [consumed, early, left] = [contentKey(1), contentKey(2), contentKey(3)];
    await put(store, early, 'v');
    await store.iterator({ keys: true } as never).nextv(1);
    for (const key of [consumed, left, 'row']) await put(store, key, 'v');
    for (const key of [consumed, early, 'row']) await put(store, key, undefined);
    expect(await store.get(consumed)).toBeUndefined();
    await store.close();
    expect(written).toEqual([`put ${early}`, `put ${left}`, 'delete row', `delete ${early}`]);
  });

  test('a content that has the id of one that is being deleted leaves neither in the store', async () => {
    const inner = await openMemory();
    const key = contentKey(1);
    await inner.put(key, Buffer.from('an orphan'));
    const store = new WriteAheadStore(
      { ...bound(inner), close: async () => {} },
      new WriteAheadLog(await makeTemporaryDirectory()),
    );
    for (const value of [undefined, 'v', undefined]) await put(store, key, value);
    expect(await store.get(key)).toBeUndefined();
    await store.close();
    expect(await inner.get(key)).toBeUndefined();
  });

  test('when the store is slow, appending waits for it, so that memory stays bounded', async () => {
    const { rows, held } = heldStore(await openMemory());
    const store = new WriteAheadStore(rows, new WriteAheadLog(await makeTemporaryDirectory()));
    const value = 'x'.repeat(8 * 1024 * 1024);
    let written = 0;
    const appends = Array.from({ length: 8 }, (_, index) =>
      put(store, `k${index}`, value).then(() => {
        written += 1;
      }),
    );
    await nextTurnOfTheLoop();
    expect(written).toBeLessThan(8);
    await held.shift()?.write();
    await Promise.all(appends);
    const closed = store.close();
    await nextTurnOfTheLoop();
    await held.shift()?.write();
    await closed;
  });

  test('when the store fails, the next append says so, and the file still has everything', async () => {
    const directory = await makeTemporaryDirectory();
    const { rows, held } = heldStore(await openMemory());
    const store = new WriteAheadStore(rows, new WriteAheadLog(directory));
    await put(store, 'k', 'v');
    vi.runOnlyPendingTimers();
    held.shift()?.fail(new Error('no room'));
    await nextTurnOfTheLoop();
    await expect(put(store, 'l', 'v')).rejects.toThrow('no room');
    expect([...(await contentsOf(directory)).keys()]).toEqual(['k']);
    await expect(store.close()).rejects.toThrow('no room');
  });

  test('a batch of a synced log is written when the disk has it, and nothing is after the disk has failed', async () => {
    const directory = await makeTemporaryDirectory();
    const syncs: { done: () => void; fail: (cause: unknown) => void }[] = [];
    const syncData = () => new Promise<void>((done, fail) => syncs.push({ done, fail }));
    const log = new WriteAheadLog(directory, { isSynced: true, syncData });
    const store = new WriteAheadStore(await openMemory(), log);
    const written: string[] = [];
    const first = put(store, 'k', 'v').then(() => written.push('k'));
    await nextTurnOfTheLoop();
    expect([written, syncs.length]).toEqual([[], 1]);
    syncs[0]?.done();
    await first;
    expect(written).toEqual(['k']);
    const second = put(store, 'l', 'v');
    syncs[1]?.fail(new Error('the disk is gone'));
    await expect(second).rejects.toThrow('the disk is gone');
    await expect(put(store, 'm', 'v')).rejects.toThrow('the disk is gone');
    expect([...(await contentsOf(directory)).keys()]).toEqual(['k', 'l']);
  });

  test('what a synced log passes on is synced as well, so that its files may be deleted', async () => {
    const syncs: boolean[] = [];
    const inner = await openMemory();
    const batch = (): RowBatch => {
      const rows = inner.batch();
      return {
        put: (...given: [string, never]) => rows.put(...given),
        del: (key) => rows.del(key),
        write: (options) => rows.write(options).then(() => void syncs.push(options.sync)),
      };
    };
    for (const isSynced of [true, false]) {
      const log = new WriteAheadLog(await makeTemporaryDirectory(), { isSynced });
      const store = new WriteAheadStore({ ...bound(inner), batch, close: async () => {} }, log);
      await put(store, 'k', 'v');
      await store.close();
    }
    expect(syncs).toEqual([true, false]);
  });

  test('killed at any moment, the file and the store together hold exactly what was appended', async () => {
    const name = fc.constantFrom('a', 'b', 'd', 'content');
    const change = fc.tuple(name, fc.option(fc.string({ maxLength: 20 })));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(change, fc.nat(5)), { maxLength: 40 }), async (steps) => {
        const directory = await makeTemporaryDirectory();
        const inner = await openMemory();
        const { rows, held } = heldStore(inner);
        const store = new WriteAheadStore(rows, new WriteAheadLog(directory, { segmentBytes: 100 }));
        const expected = new Map<string, string>();
        let contentCount = 0;
        for (const [[name, value], dice] of steps) {
          // A content is put once; the oldest is deleted.
          const oldest = [...expected.keys()].find(isContentKey) ?? contentKey(0);
          const isContentPut = name === 'content' && value !== null;
          const key = isContentPut ? contentKey(++contentCount) : name === 'content' ? oldest : name;
          await put(store, key, value ?? undefined);
          if (value === null) expected.delete(key);
          else expected.set(key, value);
          // Now and then the store is given what waits, as the clock would have it.
          if (dice === 0) void store.iterator({ keys: true } as never).nextv(1);
          await Promise.resolve();
          if (dice <= 1) await held.shift()?.write();
        }
        const rowsAfter = new Map<string, string>();
        for await (const [key, value] of inner.iterator()) rowsAfter.set(key, value.toString());
        for (const [key, value] of (await readWhileAlive(directory)).flat()) {
          if (value === undefined) rowsAfter.delete(key);
          else rowsAfter.set(key, value.toString());
        }
        expect(rowsAfter).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});

/** The process that is to be dead still deletes segments it needs no more: one may go between its listing and its reading. */
async function readWhileAlive(directory: string) {
  for (let attempt = 0; ; attempt++) {
    try {
      return (await WriteAheadLog.readLeftBehind(directory)).batches;
    } catch (error) {
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isGone || attempt === 100) throw error;
    }
  }
}

describe('a journal whose process was killed', () => {
  test('opens with every batch that was appended', async () => {
    const directory = await makeTemporaryDirectory();
    const journal = await openJournal({ directory });
    await journal.append([queuePut(), ...send(1, 30)]);
    const copy = join(await makeTemporaryDirectory(), 'copy');
    await cp(directory, copy, { recursive: true });
    await journal.close();
    await expectNumbers(copy, 30);
  });

  test('takes the contents over with their checksums, as if they had been passed on before', async () => {
    const copy = await killedCopy();
    await expectNumbers(copy, 40);
    const rows = new Level<string, Buffer>(copy, { keyEncoding: 'utf8', valueEncoding: 'buffer' });
    await rows.open();
    const stored = await rows.get(contentKey(7));
    await rows
      .batch()
      .put(contentKey(7), Buffer.concat([stored ?? Buffer.alloc(0), Buffer.of(1)]))
      .write();
    await rows.close();
    const journal = await openJournal({ directory: copy });
    expect(Buffer.from(await journal.readContent(8))).toEqual(Buffer.from(contentNumber(8)));
    await expect(journal.readContent(7)).rejects.toThrow('content 7 is not what was written');
    expect(new Uint8Array(journal.readContentNow(8))).toEqual(contentNumber(8));
    expect(() => journal.readContentNow(7)).toThrow('content 7 is not what was written');
    await journal.close();
  });

  test('opens without the batch that was being written', async () => {
    const copy = await killedCopy();
    const [segment] = await readdir(join(copy, 'ahead'));
    const path = join(copy, 'ahead', segment as string);
    const bytes = await readFile(path);
    await writeFile(path, bytes.subarray(0, bytes.length - 1));
    await expectNumbers(copy, 30);
  });

  test('with garbage in the middle of its log is damaged, and nothing is deleted', async () => {
    const copy = await killedCopy();
    const [segment] = await readdir(join(copy, 'ahead'));
    const path = join(copy, 'ahead', segment as string);
    const bytes = await readFile(path);
    bytes.fill(0xee, 40, 60);
    await writeFile(path, bytes);
    await expect(openJournal({ directory: copy })).rejects.toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining(`ahead/${segment} is not what was written`),
    });
    expect(await readFile(path)).toEqual(bytes);
  });

  test('is taken over by one that goes to the disk with every batch', async () => {
    const copy = await killedCopy();
    const journal = await openJournal({ directory: copy, durability: 'fsync' });
    await journal.close();
    expect(await readdir(join(copy, 'ahead'))).toEqual([]);
    await expectNumbers(copy, 40);
  });
});

function killedCopy(): Promise<string> {
  return killedJournal([[queuePut(), ...send(1, 30)], send(31, 40)]);
}

async function expectNumbers(directory: string, count: number): Promise<void> {
  const journal = await openJournal({ directory });
  const numbers: number[] = [];
  await journal.recover((stored) => {
    for (const event of stored) if (event.kind === 'message-put') numbers.push(event.message.sequenceNumber);
  });
  await journal.sweepContents(() => true);
  await journal.close();
  expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index + 1));
}

function bound(store: RowStore): RowStore {
  return {
    get: (key) => store.get(key),
    getSync: (key) => store.getSync(key),
    batch: () => store.batch(),
    iterator: (options) => store.iterator(options),
    close: () => store.close(),
  };
}
