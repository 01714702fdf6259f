// The directory of a journal whose process was killed before anything came from its log to LevelDB.

import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { MemoryLevel } from 'memory-level';
import type { JournalEvent } from '../../src/engine/ports.js';
import { startJournal } from '../../src/journal/open-journal.js';
import { WriteAheadLog } from '../../src/journal/write-ahead/write-ahead-log.js';
import { WriteAheadStore } from '../../src/journal/write-ahead/write-ahead-store.js';
import { changeRows, ENCODINGS, makeTemporaryDirectory, putRow } from './journal-places.js';

type Row = readonly [key: string, row: string];

/** Each batch is a record of its log; `before` are rows that an earlier process left in LevelDB. */
export async function killedJournal(
  batches: readonly JournalEvent[][],
  before: readonly Row[] = [],
): Promise<string> {
  const directory = await makeTemporaryDirectory();
  const putBefore = async (rows: Level<string, Buffer> | MemoryLevel<string, Buffer>) =>
    changeRows(rows, async (store) => {
      for (const [key, row] of before) await putRow(store, key, row);
    });
  await putBefore(new Level(directory, ENCODINGS));
  // It is killed in time because its store is another one, in memory.
  const memory = new MemoryLevel<string, Buffer>(ENCODINGS);
  await putBefore(memory);
  await memory.open();
  const logDirectory = await makeTemporaryDirectory();
  const store = new WriteAheadStore(memory, new WriteAheadLog(logDirectory));
  const journal = await startJournal(store, { location: 'memory', sync: false, checksums: false });
  for (const batch of batches) await journal.append(batch);
  await cp(logDirectory, join(directory, 'ahead'), { recursive: true });
  await journal.close();
  return directory;
}

/** The one file of its log. */
export async function segmentIn(directory: string): Promise<string> {
  const [segment, ...others] = await readdir(join(directory, 'ahead'));
  if (segment === undefined || others.length > 0) throw new Error('there is not one segment');
  return join(directory, 'ahead', segment);
}
