// A snapshot as bytes, for a file or a test: a line that says what it is, then one record as in a segment of the log, with all rows and
// contents.

import { crc32 } from 'node:zlib';
import type { StoredEvent } from '../broker/contract/event.js';
import { Snapshot } from '../broker/contract/snapshot.js';
import { JitneyError } from '../jitney-error.js';
import { FORMAT_ROW } from './format.js';
import { GatheredBatch } from './gathered-batch.js';
import { RecordWriter, readRecords } from './log/record.js';
import { Stores } from './stores.js';
import { type ReadRow, readRow, writeEvents } from './table/rows/rows.js';

/** The rows are those of the journal, so both have the same format. */
const FIRST_LINE = /^jitney snapshot (\d{1,9})\n/;
const FIRST_LINE_BYTES = 32;
/** The record is written as if it were the first of a segment. */
const PLACE = { segment: 0, offset: 0 } as const;

export type SnapshotWithContents = {
  readonly snapshot: Snapshot;
  /** By the ids that the snapshot has. */
  readonly contents: ReadonlyMap<number, Uint8Array>;
};

export function encodeSnapshot({ snapshot, contents }: SnapshotWithContents): Uint8Array {
  const batch = new GatheredBatch();
  writeEvents(batch, [...snapshot.stored, { kind: 'time-put', now: snapshot.takenAt }]);
  for (const [contentId, bytes] of contents) batch.putContent(contentId, bytes);
  const writer = new RecordWriter();
  writer.encode(batch);
  const firstLine = Buffer.from(`jitney snapshot ${FORMAT_ROW}\n`);
  return Buffer.concat([firstLine, ...writer.finish(PLACE.segment, PLACE.offset)]);
}

/** Throws a JitneyError that says what is wrong. */
export function decodeSnapshot(given: Uint8Array): SnapshotWithContents {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.length);
  const line = FIRST_LINE.exec(bytes.toString('latin1', 0, FIRST_LINE_BYTES));
  if (line === null)
    throw refused(`it begins with ${shownStart(bytes)}, and not with the line of a snapshot`);
  const [text, format] = line;
  if (format !== FORMAT_ROW) {
    const seen = `it has format ${format}, and this version reads only format ${FORMAT_ROW}`;
    throw refused(seen, 'Take it again with this version.');
  }
  const { rows, contents } = readRecord(bytes.subarray(text.length));
  const times = rows.filter((row) => row.kind === 'time-put');
  const stored = rows.filter(isStored);
  checkStored(stored, contents);
  const [time] = times;
  if (time === undefined || times.length > 1) throw damaged('it does not say when it was taken');
  return { snapshot: new Snapshot(time.now, stored), contents };
}

type Read = { readonly rows: readonly ReadRow[]; readonly contents: ReadonlyMap<number, Uint8Array> };

function readRecord(bytes: Buffer): Read {
  const { records, state, end } = readRecords(bytes, PLACE.segment, PLACE_FOUND, { isSealed: true });
  const [record] = records;
  if (record === undefined || records.length > 1 || state !== 'whole') {
    throw damaged(
      `its rows or its length (${bytes.length} bytes, of which ${end} are sound) are not as they were written`,
    );
  }
  const contents = new Map<number, Uint8Array>();
  record.eachContent((contentId, offset, length, checksum) => {
    const content = bytes.subarray(offset, offset + length);
    if (crc32(content) !== checksum) throw damaged(`the content ${contentId} is not as it was written`);
    contents.set(contentId, new Uint8Array(content)); // a copy: a single message must not keep all bytes in memory
  });
  // In the order of a start: entities and counters come before the rows with sequence numbers.
  const inOrder = record.rows.toSorted(([one], [other]) => (one < other ? -1 : 1));
  const rows = inOrder.map(([key, text]) => {
    const row = text === undefined ? undefined : readRow(key, text);
    return row ?? refuse(damaged(`${JSON.stringify(key.slice(0, 100))} is not a row of a snapshot`));
  });
  return { rows, contents };
}

const PLACE_FOUND = { offset: PLACE.offset, shift: 0 } as const;

/** A snapshot has no rows of emptied stores, no marks of imports, and no epochs of time. */
function isStored(row: ReadRow): row is StoredEvent {
  switch (row.kind) {
    case 'time-put':
      return false;
    case 'time-epochs':
    case 'store-emptied':
    case 'rows-discarded':
    case 'import-marked':
      throw damaged(`it has a row that no snapshot has, of the kind ${row.kind}`);
    default:
      return true;
  }
}

/** Checks that rows do not contradict each other, and that every content is there. */
function checkStored(given: readonly StoredEvent[], contents: ReadonlyMap<number, Uint8Array>): void {
  const stores = new Stores();
  for (const event of given) {
    const problem = stores.note(event);
    if (problem !== undefined) throw damaged(problem);
    const contentId = contentIdOf(event);
    if (contentId !== undefined && !contents.has(contentId))
      throw damaged(`the content ${contentId} is missing`);
  }
}

function contentIdOf(event: StoredEvent): number | undefined {
  if (event.kind === 'message-put') return event.message.contentId;
  return event.kind === 'session-state-put' ? event.state.contentId : undefined;
}

function shownStart(bytes: Buffer): string {
  return bytes.length === 0 ? 'nothing' : JSON.stringify(bytes.toString('latin1', 0, 20));
}

/** The error for a snapshot that contradicts itself. */
export function damaged(seen: string): JitneyError {
  return refused(`it is damaged: ${seen}`);
}

function refused(seen: string, remedy = 'Take it again, or restore another one.'): JitneyError {
  return new JitneyError('bad-snapshot', `This is not a snapshot that can be restored: ${seen}. ${remedy}`);
}

function refuse(error: JitneyError): never {
  throw error;
}
