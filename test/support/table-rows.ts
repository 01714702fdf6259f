// A table of rows over a store in memory: what it reads back, and a store that a crash stops after some batches.

import { MemoryLevel } from 'memory-level';
import { chunksOf, type RowStore } from '../../src/journal/table/row-store.js';
import { type Mark, type RowChanges, RowTable } from '../../src/journal/table/row-table.js';
import { messageIdKey, messageKey } from '../../src/journal/table/rows/keys.js';
import { writeMessage, writeMessageId } from '../../src/journal/table/rows/message-values.js';
import { type ReadRow, readRow } from '../../src/journal/table/rows/rows.js';
import { messageRecord } from './journal-rows.js';

export const NO_CHANGES: RowChanges = new Map();
export const NO_SYNC = { sync: false };

export async function openMemory(): Promise<RowStore> {
  const store = new MemoryLevel<string, string>();
  await store.open();
  return store;
}

export function markAt(offset: number, isClean = false): Mark {
  return { segment: 1, offset, isClean };
}

/** An open table that has been read and begun. */
export async function beginTable(store: RowStore): Promise<RowTable> {
  const table = await RowTable.open(store, 'memory');
  await readAll(table);
  await table.begin(table.mark ?? markAt(0));
  return table;
}

export async function readAll(table: RowTable, changes = NO_CHANGES): Promise<readonly ReadRow[]> {
  const rows: ReadRow[] = [];
  for await (const chunk of table.read(changes)) rows.push(...chunk);
  return rows;
}

/** What the next start reads. */
export async function reread(store: RowStore, changes = NO_CHANGES): Promise<readonly ReadRow[]> {
  return readAll(await RowTable.open(store, 'memory'), changes);
}

/** What a reader of these rows reads, in the order of pages. */
export function decoded(rows: ReadonlyMap<string, string>): readonly (ReadRow | undefined)[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, text]) => readRow(key, text));
}

export function messageRow(sequenceNumber: number, deliveryCount = 0): [string, string] {
  return [messageKey(1, sequenceNumber), writeMessage(messageRecord(sequenceNumber, { deliveryCount }))];
}

export function messageIdRow(
  sequenceNumber: number,
  duplicateKey = `order-${sequenceNumber}`,
): [string, string] {
  const noted = { duplicateKey, sequenceNumber, acceptedAt: 5000 };
  return [messageIdKey(1, sequenceNumber), writeMessageId(noted)];
}

/** The keys and values as they are in the store, from a key on. */
export async function storedIn(store: RowStore, from = ''): Promise<Map<string, string>> {
  const rows = new Map<string, string>();
  for await (const chunk of chunksOf(store)) {
    for (const [key, value] of chunk) if (key >= from) rows.set(key, value);
  }
  return rows;
}

/** The same store, which tells of its batches when they are opened and when they are written. */
export function watched(store: RowStore, opened: () => void, written: () => void): RowStore {
  return {
    ...bound(store),
    batch() {
      const batch = store.batch();
      opened();
      return {
        put: (key, value) => batch.put(key, value),
        del: (key) => batch.del(key),
        write: (options) => {
          written();
          return batch.write(options);
        },
      };
    },
  };
}

/** The same store, in which a process writes only this many batches before it is killed. */
export function killedAfter(store: RowStore, batchCount: number): RowStore {
  let left = batchCount;
  return {
    ...bound(store),
    batch() {
      const batch = store.batch();
      return {
        put: (key, value) => batch.put(key, value),
        del: (key) => batch.del(key),
        write: async (options) => {
          if (left === 0) throw new Error('the process was killed');
          left -= 1;
          await batch.write(options);
        },
      };
    },
  };
}

/** The same store, which counts what is asked of it. */
export function counted(store: RowStore): { readonly rows: RowStore; readonly reads: string[][] } {
  const reads: string[][] = [];
  const getMany: RowStore['getMany'] = (keys) => {
    reads.push(keys);
    return store.getMany(keys);
  };
  return { rows: { ...bound(store), getMany }, reads };
}

/** Whether the promise was rejected by `killedAfter`. */
export async function isKilled(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => false,
    (error: Error) => {
      if (!error.message.includes('the process was killed')) throw error;
      return true;
    },
  );
}

function bound(store: RowStore): RowStore {
  return {
    get: (key) => store.get(key),
    getMany: (keys) => store.getMany(keys),
    batch: () => store.batch(),
    iterator: (options) => store.iterator(options),
    close: () => store.close(),
  };
}
