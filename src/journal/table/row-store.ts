// The part of an abstract-level database of texts that the journal uses. LevelDB implements it; in tests, memory-level does.

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

export type RowBatch = {
  put(key: string, value: string): unknown;
  del(key: string): unknown;
  write(options: { readonly sync: boolean }): Promise<void>;
};

export type RowEntry = readonly [key: string, row: string];

export type RowStore = {
  get(key: string): Promise<string | undefined>;
  getMany(keys: string[]): Promise<(string | undefined)[]>;
  /** Collects operations; nothing is written before `write`. The later of two operations on one key wins. */
  batch(): RowBatch;
  /** Goes over the rows in the order of their keys. */
  iterator(options: { readonly highWaterMarkBytes: number }): {
    nextv(size: number): Promise<RowEntry[]>;
    close(): Promise<void>;
  };
  close(): Promise<void>;
};

const CHUNK_ROWS = 10_000;
/** LevelDB's binding defaults to 16 KB; chunks of 4 MB would use 20 MB more memory, which is never freed. */
const CHUNK_BYTES = 512 * 1024;

/** Yields all rows in order, in chunks; other work can run between two chunks. */
export async function* chunksOf(store: RowStore): AsyncGenerator<readonly RowEntry[]> {
  const iterator = store.iterator({ highWaterMarkBytes: CHUNK_BYTES });
  try {
    for (;;) {
      const entries = await iterator.nextv(CHUNK_ROWS);
      if (entries.length === 0) return;
      yield entries;
      await yieldToEventLoop();
    }
  } finally {
    await iterator.close();
  }
}

/** A store of these rows that cannot be written. */
export function readOnlyStore(rows: ReadonlyMap<string, string>): RowStore {
  return {
    get: async (key) => rows.get(key),
    getMany: async (keys) => keys.map((key) => rows.get(key)),
    batch: () => {
      throw new Error('these rows can only be read');
    },
    iterator: () => {
      const entries = [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
      return { nextv: async (size) => entries.splice(0, size), close: async () => {} };
    },
    close: async () => {},
  };
}
