// Where a journal under test lives: in a directory that is gone after the test, or in memory that outlives its journal.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Level } from 'level';
import { MemoryLevel } from 'memory-level';
import { onTestFinished } from 'vitest';
import type { Journal, JournalEvent } from '../../src/engine/ports.js';
import { openJournal, startJournal } from '../../src/journal/open-journal.js';
import { type RowStore, TEXT } from '../../src/journal/row-store.js';
import { type Kept, recover } from './journal-rows.js';

export const ENCODINGS = { keyEncoding: 'utf8', valueEncoding: 'buffer' } as const;

export type JournalPlace = {
  /** The same rows every time; one journal must be closed before the next. */
  open(): Promise<Journal>;
  /** The rows themselves, while no journal is open. */
  withRows(change: (rows: RowStore) => Promise<void>): Promise<void>;
};

export const PLACES: readonly (readonly [string, () => Promise<JournalPlace>])[] = [
  ['in a directory', makeDirectoryPlace],
  ['in memory', makeMemoryPlace],
];

/** What a process finds after one that appended these batches. */
export async function keep(place: JournalPlace, ...batches: JournalEvent[][]): Promise<Kept> {
  await write(place, ...batches);
  return reopen(place);
}

export async function write(place: JournalPlace, ...batches: JournalEvent[][]): Promise<void> {
  const journal = await place.open();
  for (const batch of batches) await journal.append(batch);
  await journal.close();
}

export async function reopen(place: JournalPlace): Promise<Kept> {
  const journal = await place.open();
  try {
    return await recover(journal);
  } finally {
    await journal.close();
  }
}

export async function makeTemporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'jitney-journal-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function makeDirectoryPlace(): Promise<JournalPlace> {
  return placeIn(await makeTemporaryDirectory());
}

export function placeIn(directory: string): JournalPlace {
  return {
    open: () => openJournal({ directory }),
    withRows: (change) => changeRows(new Level<string, Buffer>(directory, ENCODINGS), change),
  };
}

async function makeMemoryPlace(): Promise<JournalPlace> {
  const rows = new MemoryLevel<string, Buffer>(ENCODINGS);
  return {
    async open() {
      await rows.open();
      return startJournal(rows, { location: 'memory', sync: false, checksums: false });
    },
    withRows: (change) => changeRows(rows, change),
  };
}

export async function changeRows(
  rows: RowStore & { open(): Promise<void> },
  change: (rows: RowStore) => Promise<void>,
): Promise<void> {
  await rows.open();
  await change(rows);
  await rows.close();
}

export async function putRow(rows: RowStore, key: string, row: string): Promise<void> {
  const batch = rows.batch();
  batch.put(key, row, TEXT);
  await batch.write({ sync: false });
}

export async function deleteRow(rows: RowStore, key: string): Promise<void> {
  const batch = rows.batch();
  batch.del(key);
  await batch.write({ sync: false });
}

export async function rowOf(place: JournalPlace, key: string): Promise<string | undefined> {
  let row: Buffer | undefined;
  await place.withRows(async (rows) => {
    row = await rows.get(key);
  });
  return row?.toString();
}
