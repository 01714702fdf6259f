// A journal in memory whose process was killed before anything came from its log to its table.

import { MemoryLevel } from 'memory-level';
import { onTestFinished, vi } from 'vitest';
import type { JournalEvent } from '../../src/engine/ports.js';
import { startJournal } from '../../src/journal/open-journal.js';
import { changeRows, type JournalPlace, placeOf, putRow } from './journal-places.js';
import { recover } from './journal-rows.js';
import { MemoryFiles } from './memory-files.js';
import { storedIn } from './table-rows.js';

export type KilledJournal = {
  readonly place: JournalPlace;
  readonly files: MemoryFiles;
  /** What starts have warned of. */
  readonly warnings: string[];
};

/** Each batch is a record of its log. */
export async function killedJournal(batches: readonly JournalEvent[][]): Promise<KilledJournal> {
  // Rows come to the table half a second later: for this process, never.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const rows = new MemoryLevel<string, string>();
  await rows.open();
  const files = new MemoryFiles();
  const journal = await startJournal(rows, files, { location: 'memory' });
  await recover(journal);
  for (const batch of batches) await journal.append(batch);
  return left(await copyOf(rows), files.kill());
}

/** The same, in which only so many bytes of the log's one segment are written. */
export async function cutShort({ place, files }: KilledJournal, lengthBytes: number): Promise<KilledJournal> {
  const copy = files.kill();
  copy.put(segmentIn(files), files.bytesOf(segmentIn(files)).subarray(0, lengthBytes));
  let rows: MemoryLevel<string, string> | undefined;
  await place.withRows(async (store) => {
    rows = await copyOf(store);
  });
  return left(rows as MemoryLevel<string, string>, copy);
}

export function logBytes({ files }: KilledJournal): number {
  return files.bytesOf(segmentIn(files)).length;
}

/** The one file of its log. */
export function segmentIn({ names }: MemoryFiles): string {
  const [segment, ...others] = names;
  if (segment === undefined || others.length > 0) throw new Error('there is not one segment');
  return segment;
}

async function copyOf(rows: Parameters<typeof storedIn>[0]): Promise<MemoryLevel<string, string>> {
  const stored = await storedIn(rows);
  const copy = new MemoryLevel<string, string>();
  await changeRows(copy, async (store) => {
    for (const [key, value] of stored) await putRow(store, key, value);
  });
  return copy;
}

function left(rows: MemoryLevel<string, string>, files: MemoryFiles): KilledJournal {
  const warnings: string[] = [];
  return { place: placeOf(rows, files, (text) => warnings.push(text)), files, warnings };
}
