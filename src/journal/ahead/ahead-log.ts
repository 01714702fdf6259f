// The files in front of LevelDB: a batch is appended in one synchronous write and is with the operating system when it
// returns. That takes microseconds; a hop to LevelDB's thread and back takes a hundred.

import { closeSync, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { RecordWriter, type RowChange, readRecords } from './record.js';

/** In the store's own directory; LevelDB minds only its own files. */
export const AHEAD_FOLDER = 'ahead';
export const SEGMENT_NAME = /^\d{8}\.ahead$/;
const SEGMENT_BYTES = 8 * 1024 * 1024;

/** What a log left behind by a killed process says. */
export type LeftBehind = {
  /** All batches, the oldest first. */
  readonly batches: readonly (readonly RowChange[])[];
  /** The name of a segment that is not what was written; a torn end of the last one is no damage. */
  readonly damaged: string | undefined;
};

export class AheadLog {
  readonly #directory: string;
  readonly #maxSegmentBytes: number;
  readonly #writer = new RecordWriter();
  #segment = 0;
  #descriptor: number | undefined;
  #segmentBytes = 0;
  /** Segments that are full, the oldest first. */
  readonly #full: number[] = [];

  /** A new segment is begun beyond `segmentBytes`, so that old ones can go. */
  constructor(directory: string, segmentBytes = SEGMENT_BYTES) {
    this.#directory = directory;
    this.#maxSegmentBytes = segmentBytes;
    mkdirSync(directory, { recursive: true });
  }

  /** The batches of a process that did not close its log; nothing is changed. */
  static async readLeftBehind(directory: string): Promise<LeftBehind> {
    const names = await segmentNames(directory);
    const batches: (readonly RowChange[])[] = [];
    for (const [index, name] of names.entries()) {
      const { records, state } = readRecords(await readFile(join(directory, name)));
      batches.push(...records);
      const isLast = index === names.length - 1;
      if (state === 'damaged' || (state === 'torn' && !isLast)) return { batches, damaged: name };
    }
    return { batches, damaged: undefined };
  }

  /** Deletes what was left behind, once it is in LevelDB. */
  static async clear(directory: string): Promise<void> {
    for (const name of await segmentNames(directory)) unlinkSync(join(directory, name));
  }

  /** Returns, with their number, when the operating system has the bytes; throws when it has no room for them. */
  append(changes: readonly RowChange[]): number {
    if (this.#descriptor === undefined || this.#segmentBytes >= this.#maxSegmentBytes) this.#roll();
    const record = this.#writer.encode(changes);
    for (let written = 0; written < record.length; ) {
      written += writeSync(this.#descriptor as number, record, written);
    }
    this.#segmentBytes += record.length;
    return record.length;
  }

  /** A mark for `release`: everything appended so far. */
  mark(): number {
    return this.#full.length === 0 ? this.#segment : (this.#full.at(-1) as number) + 1;
  }

  /**
   * What was appended before the mark is in LevelDB: full segments before it go, one after the other, because a row of
   * an older segment would else come back over a newer one. Not synchronous, because that takes milliseconds.
   */
  async release(mark: number): Promise<void> {
    for (let oldest = this.#full[0]; oldest !== undefined && oldest < mark; oldest = this.#full[0]) {
      await unlink(this.#path(oldest));
      this.#full.shift();
    }
  }

  /** Everything is in LevelDB, and nothing more will be appended. */
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
    // 'x': a segment of that name would be somebody else's.
    this.#descriptor = openSync(this.#path(this.#segment), 'wx');
  }

  #path(segment: number): string {
    return join(this.#directory, `${String(segment).padStart(8, '0')}.ahead`);
  }
}

async function segmentNames(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => SEGMENT_NAME.test(name)).sort();
}
