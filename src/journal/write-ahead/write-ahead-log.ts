// The write-ahead log in front of LevelDB. A batch is appended in one synchronous write and is with the operating system when
// the write returns. That takes a few microseconds; a hop to LevelDB's thread and back takes a hundred. For a power cut it is
// synced as well, which is one `fdatasync`; LevelDB's own log would need the hop besides.

import { closeSync, fdatasync, fsyncSync, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { RecordWriter, type RowChange, readBatchRecords } from './record.js';

/** The log's folder in the store's directory, where LevelDB ignores files that are not its own. */
export const WRITE_AHEAD_FOLDER = 'ahead';
export const SEGMENT_NAME = /^\d{8}\.ahead$/;
const SEGMENT_BYTES = 8 * 1024 * 1024;

/** The content of a log that a killed process left behind. */
type LeftBehind = {
  /** All batches, the oldest first. */
  readonly batches: readonly (readonly RowChange[])[];
  /** The name of a damaged segment. An incomplete record at the end of the last one is no damage. */
  readonly damaged: string | undefined;
};

type LogOptions = {
  /** Size after which a new segment is started, so that old ones can be deleted. */
  readonly segmentBytes?: number;
  /** Whether `sync` brings what was appended to the disk. Default: false. */
  readonly isSynced?: boolean;
  /** Brings the data of an open file to the disk. */
  readonly syncData?: (descriptor: number) => Promise<void>;
};

export class WriteAheadLog {
  /** Whether what was appended survives a power cut once `sync` has resolved. */
  readonly isSynced: boolean;
  readonly #directory: string;
  readonly #maxSegmentBytes: number;
  readonly #syncData: (descriptor: number) => Promise<void>;
  readonly #writer = new RecordWriter();
  #segment = 0;
  #descriptor: number | undefined;
  #segmentBytes = 0;
  /** Full segments, the oldest first. */
  readonly #full: number[] = [];

  constructor(directory: string, options: LogOptions = {}) {
    this.#directory = directory;
    this.#maxSegmentBytes = options.segmentBytes ?? SEGMENT_BYTES;
    this.isSynced = options.isSynced ?? false;
    this.#syncData = options.syncData ?? syncData;
    mkdirSync(directory, { recursive: true });
    if (this.isSynced) syncDirectory(join(directory, '..'));
  }

  /** Reads the batches of a process that did not close its log. Changes nothing. */
  static async readLeftBehind(directory: string): Promise<LeftBehind> {
    const names = await segmentNames(directory);
    const batches: (readonly RowChange[])[] = [];
    for (const [index, name] of names.entries()) {
      const { records, state } = readBatchRecords(await readFile(join(directory, name)));
      batches.push(...records);
      const isLast = index === names.length - 1;
      if (state === 'damaged' || (state === 'torn' && !isLast)) return { batches, damaged: name };
    }
    return { batches, damaged: undefined };
  }

  /** Deletes a log left behind, once its batches are in LevelDB. */
  static async clear(directory: string): Promise<void> {
    for (const name of await segmentNames(directory)) unlinkSync(join(directory, name));
  }

  /** Returns the number of bytes written, once the operating system has them. Throws when the disk is full. */
  append(changes: readonly RowChange[]): number {
    if (this.#descriptor === undefined || this.#segmentBytes >= this.#maxSegmentBytes) this.#roll();
    const record = this.#writer.encode(changes);
    for (let written = 0; written < record.length; ) {
      written += writeSync(this.#descriptor as number, record, written);
    }
    this.#segmentBytes += record.length;
    return record.length;
  }

  /** Resolves when the disk has everything appended so far, or at once if the log is not synced. Call it before the next append. */
  async sync(): Promise<void> {
    if (this.isSynced && this.#descriptor !== undefined) await this.#syncData(this.#descriptor);
  }

  /** A mark for `release` that covers everything appended so far. */
  mark(): number {
    return this.#full.length === 0 ? this.#segment : (this.#full.at(-1) as number) + 1;
  }

  /**
   * Called when everything before the mark is in LevelDB. Deletes the full segments before it, the oldest first: a row of an older
   * segment would otherwise overwrite a newer one at the next start. Asynchronous, because a deletion takes milliseconds.
   */
  async release(mark: number): Promise<void> {
    for (let oldest = this.#full[0]; oldest !== undefined && oldest < mark; oldest = this.#full[0]) {
      await unlink(this.#path(oldest));
      this.#full.shift();
    }
  }

  /** Called when everything is in LevelDB and nothing more will be appended. */
  async close(): Promise<void> {
    if (this.#descriptor === undefined) return;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
    await this.release(this.#segment);
    await unlink(this.#path(this.#segment));
  }

  #roll(): void {
    if (this.#descriptor !== undefined) {
      closeSync(this.#descriptor);
      this.#full.push(this.#segment);
    }
    this.#segment += 1;
    this.#segmentBytes = 0;
    // 'x': an existing segment of that name would belong to another process.
    this.#descriptor = openSync(this.#path(this.#segment), 'wx');
    if (this.isSynced) syncDirectory(this.#directory);
  }

  #path(segment: number): string {
    return join(this.#directory, `${String(segment).padStart(8, '0')}.ahead`);
  }
}

function syncData(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(descriptor, (error) => (error === null ? resolve() : reject(error)));
  });
}

/** Brings the names of new files to the disk. Windows opens no directory, and keeps names by itself. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

async function segmentNames(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => SEGMENT_NAME.test(name)).sort();
}
