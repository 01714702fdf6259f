// The format of a journal: the row that records it, and the refusal of a journal with another format.

import { type JournalError, journalError } from './journal-error.js';
import { chunksOf, type RowStore } from './table/row-store.js';
import { FORMAT_KEY } from './table/rows/keys.js';
import { openValue } from './table/seal.js';

/** Must be raised if an older version would misread new rows, or this version would misread old ones. */
const FORMAT_VERSION = 1;
export const FORMAT_ROW = String(FORMAT_VERSION);

/** The row of all formats before this one. They were numbered up to 8, and their row had no seal. */
const FORMER_ROW = /^\{"format":(\d+)\}$/;
/** A folder that most of the former formats had beside LevelDB's files. */
export const FORMER_FOLDER = 'ahead';

/** Returns false if the store is empty. Rejects with a JournalError if it is not a journal or has another format. */
export async function hasFormat(store: RowStore, location: string): Promise<boolean> {
  const value = await store.get(FORMAT_KEY);
  if (value === undefined) {
    const seen = await describeFirstRow(store);
    if (seen !== undefined) throw journalError('corrupt', location, seen);
    return false;
  }
  refuseOtherFormat(value, location);
  return true;
}

/** Throws a JournalError unless the value of the format's row is that of this version. */
export function refuseOtherFormat(value: string, location: string): void {
  const format = Number(openValue(FORMAT_KEY, value)?.text);
  if (format === FORMAT_VERSION) return;
  if (format > FORMAT_VERSION) throw otherFormat('newer-format', location, `it has format ${format}`);
  const former = FORMER_ROW.exec(value)?.[1];
  if (former !== undefined) throw otherFormat('older-format', location, `it has the former format ${former}`);
  throw journalError('corrupt', location, `it says its format is ${value}`);
}

/** Throws a JournalError if a process with a former format may have left rows outside LevelDB in the directory. */
export function refuseFormerFolder(directory: string, names: readonly string[]): void {
  if (!names.includes(FORMER_FOLDER)) return;
  throw otherFormat('older-format', directory, `it has the folder ${FORMER_FOLDER} of a former format`);
}

function otherFormat(kind: 'newer-format' | 'older-format', location: string, seen: string): JournalError {
  return journalError(kind, location, `${seen}, but this version reads only format ${FORMAT_VERSION}`);
}

/** Describes the first row of a store that is not a journal; undefined for a journal of any format and an empty store. */
export async function describeForeignRow(store: RowStore): Promise<string | undefined> {
  return (await store.get(FORMAT_KEY)) === undefined ? describeFirstRow(store) : undefined;
}

async function describeFirstRow(store: RowStore): Promise<string | undefined> {
  for await (const [first] of chunksOf(store)) {
    return `it holds ${JSON.stringify(first?.[0])}, but does not say its format`;
  }
  return undefined;
}
