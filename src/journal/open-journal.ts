// Opens the journal of an emulator: in a directory, or in memory and gone with the process.

import { dirname, join, resolve } from 'node:path';
import { explainAccess } from './access-refusal.js';
import { AHEAD_FOLDER, AheadLog } from './ahead/ahead-log.js';
import { AheadStore } from './ahead/ahead-store.js';
import { writeChanges } from './ahead/record.js';
import { makeDirectory } from './data-directory.js';
import { FORMAT_VERSION, readFormat } from './format.js';
import { JournalError, translateError } from './journal-error.js';
import { LevelJournal, type LevelJournalOptions } from './level-journal.js';
import { checkDirectory } from './leveldb/check-directory.js';
import { refuseLocked } from './leveldb/lock.js';
import { removePutAside, resetDirectory } from './reset-directory.js';
import type { RowStore } from './row-store.js';
import { SealedStore } from './sealed-store.js';

export type JournalOptions = {
  /** Default: in memory. */
  readonly directory?: string;
  /** `os` (default): what is appended survives a killed process; `fsync`: a power cut, too. */
  readonly durability?: 'os' | 'fsync';
  /** Everything in the directory is removed first. Default: nothing is. */
  readonly reset?: boolean;
  /** Told when the journal is of an earlier format, and so will be converted. */
  readonly warn?: (text: string) => void;
};

type StartOptions = LevelJournalOptions & Pick<JournalOptions, 'warn'>;

const ENCODINGS = { keyEncoding: 'utf8', valueEncoding: 'buffer' } as const;
const LEVELDB_OPTIONS = {
  ...ENCODINGS,
  // Compression costs 2 to 3 µs of processor time a message, on a machine whose processors are wanted by tests.
  compression: false,
  // Twice LevelDB's own: with fewer files to merge its thread takes 3 to 4 µs of processor time a message less.
  writeBufferSize: 8 * 1024 * 1024,
  // More files, mapped into memory, would look like memory of ours.
  maxOpenFiles: 64,
} as const;

/** Rejects with a JournalError when the directory cannot be used. Of the two databases only the one needed is loaded. */
export function openJournal({
  directory,
  durability = 'os',
  reset = false,
  ...told
}: JournalOptions): Promise<LevelJournal> {
  return directory === undefined
    ? openInMemory()
    : openDirectory({ ...told, place: resolve(directory), sync: durability === 'fsync' }, reset);
}

/**
 * Takes an open database: an empty one becomes a journal, any other has to be one, or is closed again. With `checksums`,
 * contents are sealed; in memory that would only be a second copy of them.
 */
export function startJournal(
  store: RowStore,
  { checksums, ...options }: StartOptions & { readonly checksums: boolean },
): Promise<LevelJournal> {
  return start(checksums ? new SealedStore(store, options.place) : store, options);
}

async function start(store: RowStore, { warn, ...options }: StartOptions): Promise<LevelJournal> {
  try {
    const format = await readFormat(store, options.place);
    const isMarked = format === FORMAT_VERSION;
    if (format !== undefined && !isMarked) warn?.(conversionOf(format, options.place));
    return new LevelJournal(store, { ...options, isMarked });
  } catch (error) {
    await store.close();
    throw error;
  }
}

function conversionOf(format: number, place: string): string {
  return `The journal in ${place} is of format ${format} and becomes ${FORMAT_VERSION}; earlier versions cannot open it any more.`;
}

async function openInMemory(): Promise<LevelJournal> {
  const { MemoryLevel } = await import('memory-level');
  const store = new MemoryLevel<string, Buffer>(ENCODINGS);
  await store.open();
  return start(store, { place: 'memory', sync: false });
}

async function openDirectory(options: StartOptions, reset: boolean): Promise<LevelJournal> {
  const { place } = options;
  try {
    if (reset) await resetDirectory(place);
    const sealed = new SealedStore(await openLevelDb(place), place);
    await removePutAside(place);
    return await start(await openAhead(sealed, options), options);
  } catch (error) {
    throw await explainAccess(translateError(error, place, 'unreadable'), place, dirname(place));
  }
}

/**
 * Takes over what a killed process left in the log in front of the store. With `sync` there is no such log from then on:
 * LevelDB's own goes to the disk as fast, and without blocking.
 */
async function openAhead(store: RowStore, { place, sync }: LevelJournalOptions): Promise<RowStore> {
  const directory = join(place, AHEAD_FOLDER);
  try {
    const { batches, damaged } = await AheadLog.readLeftBehind(directory);
    if (damaged !== undefined) {
      throw new JournalError('corrupt', place, `${AHEAD_FOLDER}/${damaged} is not what was written`);
    }
    for (const changes of batches) {
      const batch = store.batch();
      writeChanges(batch, changes);
      await batch.write({ sync: true });
    }
    await AheadLog.clear(directory);
  } catch (error) {
    await store.close();
    throw error;
  }
  return sync ? store : new AheadStore(store, new AheadLog(directory));
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
