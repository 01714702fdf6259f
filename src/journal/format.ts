// The format of a journal's rows: what this version writes, what it reads, and how a journal says which it has.

import { JournalError } from './journal-error.js';
import { isCount, parseObject } from './json-row.js';
import { FORMAT_KEY } from './keys.js';
import { chunksOf, type RowBatch, type RowStore, TEXT } from './row-store.js';

/**
 * Raised when rows change so that an older version would misunderstand them. Format 5 is 6 without transfers that wait or have
 * failed: no entity names stores for them, and no message a destination. Format 4 is 5 without the mark of messages that
 * had been scheduled, and without durations, and times in the words of their clients, in rules; format 3 is 4 without topics,
 * subscriptions and rules, and without what a copy or a forwarded message has beyond a message that was sent; format 2 is 3
 * without session states, and without the session ids of messages; format 1 is 2 without messages that expire or are
 * scheduled, without message-ids and partitions. The rows of all of them are read as they stand.
 */
export const FORMAT_VERSION = 6;

export function markFormat(batch: RowBatch): void {
  batch.put(FORMAT_KEY, JSON.stringify({ format: FORMAT_VERSION }), TEXT);
}

/**
 * The format that the journal says it has; undefined: it is empty. One of an earlier format stays what it is until something
 * is written. Throws when it is no journal or of a later format.
 */
export async function readFormat(store: RowStore, place: string): Promise<number | undefined> {
  const row = (await store.get(FORMAT_KEY))?.toString();
  if (row === undefined) {
    await expectEmpty(store, place);
    return undefined;
  }
  const format = parseObject(row)?.format;
  if (!isCount(format) || format === 0) {
    throw new JournalError('corrupt', place, `it says its format is ${row}`);
  }
  if (format > FORMAT_VERSION) {
    const seen = `it is of format ${format}, and this version reads formats up to ${FORMAT_VERSION}`;
    throw new JournalError('newer-format', place, seen);
  }
  return format;
}

async function expectEmpty(store: RowStore, place: string): Promise<void> {
  const seen = await describeFirstRow(store);
  if (seen !== undefined) throw new JournalError('corrupt', place, seen);
}

/** The first row of a store that is no journal; undefined for a journal of any format, and for an empty store. */
export async function describeForeignRow(store: RowStore): Promise<string | undefined> {
  return (await store.get(FORMAT_KEY)) === undefined ? describeFirstRow(store) : undefined;
}

async function describeFirstRow(store: RowStore): Promise<string | undefined> {
  for await (const [first] of chunksOf(store, {}, { values: false })) {
    return `it holds ${JSON.stringify(first?.[0])}, but does not say its format`;
  }
  return undefined;
}
