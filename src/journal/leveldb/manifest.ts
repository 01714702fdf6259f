// Reads a LevelDB manifest: the tables of the store, and the first log whose writes are not in tables yet.

import { readLevelRecords } from './log-file.js';
import { VarintReader } from './varint-reader.js';

export type Manifest = {
  /** 0 until the first log is in use. */
  readonly logNumber: number;
  /** The size in bytes of each table, by its number. */
  readonly tables: ReadonlyMap<number, number>;
};

const FIELD = {
  comparator: 1,
  logNumber: 2,
  nextFileNumber: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedTable: 6,
  newTable: 7,
  previousLogNumber: 9,
} as const;

/**
 * Applies the records in order: each edits the state before it. Returns undefined when the file cannot be read, or names no log, not even
 * 0: LevelDB does not open such a store.
 */
export function readManifest(file: Buffer): Manifest | undefined {
  const records = readLevelRecords(file);
  if (records === undefined || records.length === 0) return undefined;
  const tables = new Map<number, number>();
  let logNumber: number | undefined;
  for (const record of records) {
    const reader = new EditReader(record);
    while (!reader.isAtEnd) logNumber = readField(reader, tables) ?? logNumber;
    if (reader.isPastEnd) return undefined;
  }
  return logNumber === undefined ? undefined : { logNumber, tables };
}

/** Returns the log number if the field is one. */
function readField(reader: EditReader, tables: Map<number, number>): number | undefined {
  switch (reader.number()) {
    case FIELD.logNumber:
      return reader.number();
    case FIELD.nextFileNumber:
    case FIELD.lastSequence:
    case FIELD.previousLogNumber:
      reader.number();
      return undefined;
    case FIELD.comparator:
      reader.skipBytes();
      return undefined;
    case FIELD.compactPointer:
      reader.number();
      reader.skipBytes();
      return undefined;
    case FIELD.deletedTable:
      reader.number();
      tables.delete(reader.number());
      return undefined;
    case FIELD.newTable:
      reader.number();
      tables.set(reader.number(), reader.number());
      reader.skipBytes();
      reader.skipBytes();
      return undefined;
    default:
      reader.giveUp();
      return undefined;
  }
}

class EditReader extends VarintReader {
  /** Skips bytes that are preceded by their length. */
  skipBytes(): void {
    this.skip(this.number());
  }

  /** Ends reading: what is left cannot be understood. */
  giveUp(): void {
    this.skip(Number.POSITIVE_INFINITY);
  }
}
