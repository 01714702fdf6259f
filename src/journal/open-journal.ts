// Opens the journal of an emulator: in a directory, or in memory and gone with the process.

import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AheadLog } from './ahead/ahead-log.js';
import { AheadStore } from './ahead/ahead-store.js';
import { writeChanges } from './ahead/record.js';
import { FORMAT_VERSION, readFormat } from './format.js';
import { JournalError, translateError } from './journal-error.js';
import { LevelJournal, type LevelJournalOptions } from './level-journal.js';
import { checkDirectory } from './leveldb/check-directory.js';
import type { RowStore } from './row-store.js';
import { SealedStore } from './sealed-store.js';

export type JournalOptions = {
  /** Default: in memory. */
  readonly directory?: string;
  /** `os` (default): what is appended survives a killed process; `fsync`: a power cut, too. */
  readonly durability?: 'os' | 'fsync';
  /** Told when the journal is of an earlier format, and so will be converted. */
  readonly warn?: (text: string) => void;
};

type StartOptions = LevelJournalOptions & Pick<JournalOptions, 'warn'>;

/** In the store's own directory; LevelDB minds only its own files. */
const AHEAD_FOLDER = 'ahead';
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
  ...told
}: JournalOptions): Promise<LevelJournal> {
  return directory === undefined
    ? openInMemory()
    : openDirectory({ ...told, place: resolve(directory), sync: durability === 'fsync' });
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

async function openDirectory(options: StartOptions): Promise<LevelJournal> {
  try {
    const sealed = new SealedStore(await openLevelDb(options.place), options.place);
    return await start(await openAhead(sealed, options), options);
  } catch (error) {
    throw translateError(error, options.place, 'unreadable');
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
    // LevelDB takes its lock before it minds that the store exists, and then changes nothing.
    const probe = new Level(directory, { createIfMissing: false, errorIfExists: true });
    const refusal = await probe
      .open()
      .catch((error: unknown) => translateError(error, directory, 'unreadable'));
    // Files that somebody else is writing do not fit together at every moment.
    if (refusal?.kind === 'locked') throw refusal;
    throw new JournalError('corrupt', directory, damage);
  }
  const store = new Level<string, Buffer>(directory, LEVELDB_OPTIONS);
  await store.open();
  return store;
}

/** Node 20's own `recursive` never returns in places where nothing can be made, such as /proc. */
async function makeDirectory(directory: string): Promise<void> {
  const parent = dirname(directory);
  await mkdir(directory).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return;
    if (error.code !== 'ENOENT' || parent === directory) throw error;
    await makeDirectory(parent);
    await mkdir(directory);
  });
}
