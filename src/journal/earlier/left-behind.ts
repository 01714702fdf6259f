// Brings what a killed process of format 7 or before left in its log to LevelDB, as that version would have done.

import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FORMAT_VERSION, readFormat } from '../format.js';
import { journalError } from '../journal-error.js';
import { isContentKey } from '../keys.js';
import type { RowStore } from '../row-store.js';
import { addChecksum } from '../row-values.js';
import { type EarlierChange, readBatchRecords } from './write-ahead-record.js';

/** The folder of that log in the store's directory. */
export const WRITE_AHEAD_FOLDER = 'ahead';
export const WRITE_AHEAD_NAME = /^\d{8}\.ahead$/;
/** The most rows that are written as one batch: LevelDB's binding copies a batch. */
const BATCH_ROWS = 1000;

/** Throws a JournalError and changes nothing when the log is damaged. After a kill in the middle the next start does it again. */
export async function takeLeftBehind(store: RowStore, location: string): Promise<void> {
  const folder = join(location, WRITE_AHEAD_FOLDER);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (names === undefined) return;
  const files = names.filter((name) => WRITE_AHEAD_NAME.test(name)).sort();
  const changes = new Map<string, EarlierChange>();
  for (const [index, name] of files.entries()) {
    const { records, state } = readBatchRecords(await readFile(join(folder, name)));
    for (const change of records.flat()) changes.set(change[0], change);
    const isLast = index === files.length - 1;
    if (state === 'damaged' || (state === 'torn' && !isLast)) {
      throw journalError('corrupt', location, `${WRITE_AHEAD_FOLDER}/${name} is not what was written`);
    }
  }
  // A journal of this format has them already: a power cut may bring the folder back.
  if ((await readFormat(store, location)) !== FORMAT_VERSION) await write(store, [...changes.values()]);
  for (const name of files) await rm(join(folder, name));
  if (names.length === files.length) await rm(folder, { recursive: true });
}

async function write(store: RowStore, changes: readonly EarlierChange[]): Promise<void> {
  for (let start = 0; start < changes.length; start += BATCH_ROWS) {
    const batch = store.batch();
    for (const [key, value] of changes.slice(start, start + BATCH_ROWS)) {
      if (value === undefined) batch.del(key);
      else batch.put(key, isContentKey(key) ? addChecksum(value) : value);
    }
    await batch.write({ sync: true });
  }
}
