// The format version of a journal: which one this version writes, which it reads, and the row that records it.

import { journalError } from './journal-error.js';
import { isCount, parseObject } from './json-row.js';
import { FORMAT_KEY } from './keys.js';
import { chunksOf, type RowStore } from './row-store.js';

/**
 * Raised when an older version would misread the new rows. Rows of all earlier formats are read unchanged. Additions by format:
 * - 2: messages that expire or are scheduled, message-ids and partitions.
 * - 3: session states and the session ids of messages.
 * - 4: topics, subscriptions and rules, and the additional fields of copies and forwarded messages.
 * - 5: the mark of messages that had been scheduled; in rules, durations and the clients' own notation of times.
 * - 6: waiting and failed transfers: their stores in entities, and the destinations of messages.
 * - 7: stores that were emptied, rows that are being removed, and the last holders of dead letters.
 * - 8: contents in the segments of the log; messages and message-ids in pages and as numbers; seals and the mark; epochs of the
 *   time.
 */
export const FORMAT_VERSION = 8;

export function formatRow(): string {
  return JSON.stringify({ format: FORMAT_VERSION });
}

/**
 * Returns the format that the journal records; undefined when the journal is empty. A journal of an earlier format keeps it until
 * the first write. Throws when the store is not a journal or has a later format.
 */
export async function readFormat(store: RowStore, location: string): Promise<number | undefined> {
  const row = (await store.get(FORMAT_KEY))?.toString();
  if (row === undefined) {
    await expectEmpty(store, location);
    return undefined;
  }
  const format = parseObject(row)?.format;
  if (!isCount(format) || format === 0) {
    throw journalError('corrupt', location, `it says its format is ${row}`);
  }
  if (format > FORMAT_VERSION) {
    const seen = `it is of format ${format}, and this version reads formats up to ${FORMAT_VERSION}`;
    throw journalError('newer-format', location, seen);
  }
  return format;
}

async function expectEmpty(store: RowStore, location: string): Promise<void> {
  const seen = await describeFirstRow(store);
  if (seen !== undefined) throw journalError('corrupt', location, seen);
}

/** Describes the first row of a store that is not a journal; undefined for a journal of any format and an empty store. */
export async function describeForeignRow(store: RowStore): Promise<string | undefined> {
  return (await store.get(FORMAT_KEY)) === undefined ? describeFirstRow(store) : undefined;
}

async function describeFirstRow(store: RowStore): Promise<string | undefined> {
  for await (const [first] of chunksOf(store, {}, { values: false })) {
    return `it holds ${JSON.stringify(first?.[0])}, but does not say its format`;
  }
  return undefined;
}
