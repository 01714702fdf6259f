// Where a journal under test lives: in a directory that is gone after the test, or in memory that outlives its journal.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Level } from 'level';
import { MemoryLevel } from 'memory-level';
import { onTestFinished } from 'vitest';
import type { Journal, JournalEvent } from '../../src/engine/ports.js';
import { openJournal, startJournal } from '../../src/journal/open-journal.js';
import { everyRow } from '../../src/journal/table/page.js';
import type { RowStore } from '../../src/journal/table/row-store.js';
import { GroupedChanges, type RowChanges, RowTable } from '../../src/journal/table/row-table.js';
import { indexInPage, isPagedKey, pageKeyOf } from '../../src/journal/table/rows/keys.js';
import { openValue } from '../../src/journal/table/seal.js';
import { type Kept, recover } from './journal-rows.js';
import { MemoryFiles } from './memory-files.js';

export type JournalPlace = {
  /** The same rows every time; one journal must be closed before the next. */
  open(): Promise<Journal>;
  /** The rows themselves, while no journal is open. */
  withRows(change: (rows: RowStore) => Promise<void>): Promise<void>;
};

export const PLACES: readonly (readonly [string, () => Promise<JournalPlace>])[] = [
  ['in a directory', makeDirectoryPlace],
  ['in memory', memoryPlace],
];

/** What a process finds after one that appended these batches. */
export async function keep(place: JournalPlace, ...batches: JournalEvent[][]): Promise<Kept> {
  await write(place, ...batches);
  return reopen(place);
}

export async function write(place: JournalPlace, ...batches: JournalEvent[][]): Promise<void> {
  const journal = await started(place);
  for (const batch of batches) await journal.append(batch);
  await journal.close();
}

/** An open journal that has been recovered, so that it can be written. Closed again when it is damaged. */
export async function started(place: JournalPlace): Promise<Journal> {
  const journal = await place.open();
  try {
    await recover(journal);
    return journal;
  } catch (error) {
    await journal.close();
    throw error;
  }
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
    withRows: (change) => changeRows(new Level<string, string>(directory), change),
  };
}

export async function memoryPlace(): Promise<JournalPlace> {
  return placeOf(new MemoryLevel<string, string>(), new MemoryFiles());
}

/** `warn` is called as the journal's. */
export function placeOf(
  rows: MemoryLevel<string, string>,
  files: MemoryFiles,
  warn: (text: string) => void = () => {},
): JournalPlace {
  return {
    async open() {
      await rows.open();
      return startJournal(rows, files, { location: 'memory', warn });
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

/** Puts a value as it is: whole, seal and all. */
export async function putRow(rows: RowStore, key: string, row: string): Promise<void> {
  const batch = rows.batch();
  batch.put(key, row);
  await batch.write({ sync: false });
}

export async function deleteRow(rows: RowStore, key: string): Promise<void> {
  const batch = rows.batch();
  batch.del(key);
  await batch.write({ sync: false });
}

/** Changes rows of the table as this version writes them. */
export async function changeTable(place: JournalPlace, changes: RowChanges): Promise<void> {
  await place.withRows(async (rows) => {
    const table = await RowTable.open(rows, 'memory');
    for await (const _ of table.read(new Map()));
    const mark = table.mark ?? { segment: 1, offset: 0, isClean: false };
    await table.begin(mark);
    await table.write(new GroupedChanges(changes), mark, { sync: false });
  });
}

/** The text of a row of the table, without its seal, also when it lies in a page. */
export async function rowOf(place: JournalPlace, key: string): Promise<string | undefined> {
  const valueKey = isPagedKey(key) ? pageKeyOf(key) : key;
  const value = await rawValue(place, valueKey);
  if (value === undefined) return undefined;
  const text = openValue(valueKey, value)?.text;
  if (text === undefined || valueKey === key) return text;
  let row: string | undefined;
  everyRow(text, (index, start, end) => {
    if (index === indexInPage(key)) row = text.slice(start, end);
    return true;
  });
  return row;
}

/** A value as it is. */
export async function rawValue(place: JournalPlace, key: string): Promise<string | undefined> {
  let value: string | undefined;
  await place.withRows(async (rows) => {
    value = await rows.get(key);
  });
  return value;
}
