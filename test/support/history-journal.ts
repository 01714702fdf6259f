// A journal in a directory with a random history behind it, in segments so small that many are full and some are deleted.

import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../compat-tests/support/seeded-random.js';
import type { Journal } from '../../src/engine/ports.js';
import { DiskFiles } from '../../src/journal/log/disk-files.js';
import { SEGMENTS_FOLDER } from '../../src/journal/log/segment.js';
import { openStore, startJournal } from '../../src/journal/open-journal.js';
import { append, MixedHistory } from './mixed-history.js';

const SEGMENT_BYTES = 20_000;
const BATCHES_PER_RUN = 40;

/** Starts a journal on a directory whose LevelDB files have been checked. */
export async function openHistory(
  directory: string,
  warn: (text: string) => void = () => {},
): Promise<Journal> {
  mkdirSync(directory, { recursive: true });
  const files = new DiskFiles(join(directory, SEGMENTS_FOLDER));
  const store = await openStore(directory);
  return startJournal(store, files, { location: directory, segmentBytes: SEGMENT_BYTES, warn });
}

/** Writes a history in `runs` starts. With `killed` a copy is made there of what a kill in the middle of another run leaves. */
export async function writeHistory(
  directory: string,
  { seed, runs, killed }: { readonly seed: number; readonly runs: number; readonly killed?: string },
): Promise<MixedHistory> {
  const history = new MixedHistory(seededRandom(seed));
  for (let run = 0; run < runs; run++) {
    const journal = await openHistory(directory);
    await journal.recover(() => {});
    if (run === 0) await append(journal, history.begin());
    for (let count = 0; count < BATCHES_PER_RUN; count++) await append(journal, history.next());
    await journal.close();
  }
  if (killed === undefined) return history;
  const journal = await openHistory(directory);
  await journal.recover(() => {});
  for (let count = 0; count < BATCHES_PER_RUN; count++) await append(journal, history.next());
  cpSync(directory, killed, { recursive: true });
  await journal.close();
  return history;
}

/** The contents with these ids; undefined for one that cannot be read. */
export async function readContents(
  journal: Journal,
  contentIds: Iterable<number>,
): Promise<ReadonlyMap<number, Uint8Array | undefined>> {
  const contents = new Map<number, Uint8Array | undefined>();
  for (const contentId of contentIds) {
    contents.set(
      contentId,
      await journal.readContent(contentId).catch((error: unknown) => {
        if (error instanceof Error && error.name === 'ContentUnreadable') return undefined;
        throw error;
      }),
    );
  }
  return contents;
}
