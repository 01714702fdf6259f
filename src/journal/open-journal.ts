// Opens the journal of an emulator, in a directory or in memory.

import { dirname, join, resolve } from 'node:path';
import type { Journal } from '../engine/ports.js';
import { explainAccess } from './access-refusal.js';
import { ChecksummedStore } from './checksummed-store.js';
import { makeDirectory } from './data-directory.js';
import { FORMAT_VERSION, readFormat } from './format.js';
import { JournalError, translateError } from './journal-error.js';
import { LevelJournal, type LevelJournalOptions } from './level-journal.js';
import { checkDirectory } from './leveldb/check-directory.js';
import { refuseLocked } from './leveldb/lock.js';
import { MemoryJournal } from './memory-journal.js';
import { removePutAside, resetDirectory } from './reset-directory.js';
import type { RowStore } from './row-store.js';
import { type RowChange, writeChanges } from './write-ahead/record.js';
import { WRITE_AHEAD_FOLDER, WriteAheadLog } from './write-ahead/write-ahead-log.js';
import { WriteAheadStore } from './write-ahead/write-ahead-store.js';

type JournalOptions = {
  /** Default: in memory. */
  readonly directory?: string;
  /** `os` (default): appended events survive a killed process. `fsync`: they survive a power cut, too. */
  readonly durability?: 'os' | 'fsync';
  /** Whether to remove everything in the directory first. Default: false. */
  readonly reset?: boolean;
  /** Called when the journal has an earlier format and will be converted. */
  readonly warn?: (text: string) => void;
};

type StartOptions = LevelJournalOptions & Pick<JournalOptions, 'warn'>;

/** The most rows of a write-ahead log that are written to the store as one batch: LevelDB's binding copies a batch. */
const REPLAYED_ROWS = 1000;
const ENCODINGS = { keyEncoding: 'utf8', valueEncoding: 'buffer' } as const;
const LEVELDB_OPTIONS = {
  ...ENCODINGS,
  // Compression costs 2 to 3 µs of processor time a message, on a machine whose processors also run the tests.
  compression: false,
  // Twice LevelDB's default: with fewer files to merge, its thread takes 3 to 4 µs less of processor time a message.
  writeBufferSize: 8 * 1024 * 1024,
  // LevelDB maps its open files into memory, and more of them would count as memory of this process.
  maxOpenFiles: 64,
} as const;

/** Rejects with a JournalError when the directory cannot be used. Loads LevelDB only for a directory. */
export async function openJournal({
  directory,
  durability = 'os',
  reset = false,
  ...options
}: JournalOptions): Promise<Journal> {
  if (directory === undefined) return new MemoryJournal();
  return openDirectory({ ...options, location: resolve(directory), sync: durability === 'fsync' }, reset);
}

/**
 * Starts a journal on an open database, which must be empty or a journal; closes it otherwise. `checksums` adds checksums to
 * contents; in memory that would only copy them.
 */
export function startJournal(
  store: RowStore,
  { checksums, ...options }: StartOptions & { readonly checksums: boolean },
): Promise<LevelJournal> {
  return start(checksums ? new ChecksummedStore(store, options.location) : store, options);
}

async function start(store: RowStore, { warn, ...options }: StartOptions): Promise<LevelJournal> {
  try {
    const format = await readFormat(store, options.location);
    const isMarked = format === FORMAT_VERSION;
    if (format !== undefined && !isMarked) warn?.(conversionOf(format, options.location));
    return new LevelJournal(store, { ...options, isMarked });
  } catch (error) {
    await store.close();
    throw error;
  }
}

function conversionOf(format: number, location: string): string {
  return `The journal in ${location} is of format ${format} and becomes ${FORMAT_VERSION}; earlier versions cannot open it any more.`;
}

async function openDirectory(options: StartOptions, reset: boolean): Promise<LevelJournal> {
  const { location } = options;
  try {
    if (reset) await resetDirectory(location);
    const store = new ChecksummedStore(await openLevelDb(location), location);
    await removePutAside(location);
    return await start(await openWriteAhead(store, options), options);
  } catch (error) {
    throw await explainAccess(translateError(error, location, 'unreadable'), location, dirname(location));
  }
}

/** Writes the batches that a killed process left in the write-ahead log to the store, and starts the log anew. */
async function openWriteAhead(store: RowStore, { location, sync }: LevelJournalOptions): Promise<RowStore> {
  const directory = join(location, WRITE_AHEAD_FOLDER);
  try {
    const { batches, damaged } = await WriteAheadLog.readLeftBehind(directory);
    if (damaged !== undefined) {
      throw new JournalError('corrupt', location, `${WRITE_AHEAD_FOLDER}/${damaged} is not what was written`);
    }
    await writeMerged(store, batches);
    await WriteAheadLog.clear(directory);
  } catch (error) {
    await store.close();
    throw error;
  }
  return new WriteAheadStore(store, new WriteAheadLog(directory, { isSynced: sync }));
}

/** Writes the rows of all batches, the later of two changes to one row alone. After a kill in the middle the next start does it again. */
async function writeMerged(store: RowStore, batches: readonly (readonly RowChange[])[]): Promise<void> {
  const changes = [...new Map(batches.flat().map((change) => [change[0], change])).values()];
  for (let start = 0; start < changes.length; start += REPLAYED_ROWS) {
    const batch = store.batch();
    writeChanges(batch, changes.slice(start, start + REPLAYED_ROWS));
    await batch.write({ sync: true });
  }
}

async function openLevelDb(directory: string): Promise<RowStore> {
  const { Level } = await import('level');
  await makeDirectory(directory);
  const damage = await checkDirectory(directory);
  if (damage !== undefined) {
    await refuseLocked(directory);
    throw new JournalError('corrupt', directory, damage);
  }
  const store = new Level<string, Buffer>(directory, LEVELDB_OPTIONS);
  await store.open();
  return store;
}
