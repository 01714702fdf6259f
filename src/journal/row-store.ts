// What the journal uses of an abstract-level database: LevelDB in a directory and its twin in memory both fit this shape.

import { setImmediate as restOfTheLoop } from 'node:timers/promises';
import type { KeyRange } from './keys.js';

/** Keys are text and values buffers, except where this is said. */
export const TEXT = { valueEncoding: 'utf8' } as const;

export type RowBatch = {
  put(key: string, value: Buffer): unknown;
  put(key: string, value: string, options: typeof TEXT): unknown;
  del(key: string): unknown;
  write(options: { readonly sync: boolean }): Promise<void>;
};

type IteratorOptions = KeyRange &
  typeof TEXT & { readonly values: boolean; readonly highWaterMarkBytes: number };

export type Entry = readonly [key: string, row: string];

export type RowStore = {
  get(key: string): Promise<Buffer | undefined>;
  /** The same at once; others wait meanwhile. */
  getSync(key: string): Buffer | undefined;
  /** Nothing is written before `write`; of two operations on one key the later wins. */
  batch(): RowBatch;
  iterator(options: IteratorOptions): {
    nextv(size: number): Promise<Entry[]>;
    close(): Promise<void>;
  };
  close(): Promise<void>;
};

const CHUNK_ROWS = 10_000;
/** LevelDB's binding would stop at 16 KB. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/** The rows of a range in order, many at a time; others have their turn between two chunks. */
export async function* chunksOf(
  store: RowStore,
  range: KeyRange,
  options: { readonly values: boolean },
): AsyncGenerator<readonly Entry[]> {
  const iterator = store.iterator({ ...range, ...TEXT, ...options, highWaterMarkBytes: CHUNK_BYTES });
  try {
    for (;;) {
      const entries = await iterator.nextv(CHUNK_ROWS);
      if (entries.length === 0) return;
      yield entries;
      await restOfTheLoop();
    }
  } finally {
    await iterator.close();
  }
}
