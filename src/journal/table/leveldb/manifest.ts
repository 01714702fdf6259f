// Reads a LevelDB manifest: the tables of the store, and the first log whose writes are not in tables yet.

import { readLevelLog } from './log-file.js';
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
 * Applies the records in order; each changes the state before it. Returns undefined if the file cannot be read, or names no log, not even
 * log 0: LevelDB does not open such a store.
 */
export function readManifest(file: Buffer): Manifest | undefined {
  const tables = new Map<number, number>();
  let logNumber: number | undefined;
  for (const entry of readLevelLog(file)) {
    if (entry.kind === 'damage') return undefined;
    const edit = new VarintReader(entry.bytes);
    while (!edit.isAtEnd) {
      const field = edit.number();
      if (field === FIELD.logNumber) logNumber = edit.number();
      else if (!readField(field, edit, tables)) return undefined;
    }
    if (edit.isPastEnd) return undefined;
  }
  return logNumber === undefined ? undefined : { logNumber, tables };
}

/** Returns false for an unknown field. */
function readField(field: number, edit: VarintReader, tables: Map<number, number>): boolean {
  switch (field) {
    case FIELD.nextFileNumber:
    case FIELD.lastSequence:
    case FIELD.previousLogNumber:
      edit.number();
      return true;
    case FIELD.comparator:
      edit.lengthAndBytes();
      return true;
    case FIELD.compactPointer:
      edit.number(); // the level, as of a table
      edit.lengthAndBytes();
      return true;
    case FIELD.deletedTable:
      edit.number();
      tables.delete(edit.number());
      return true;
    case FIELD.newTable:
      edit.number();
      tables.set(edit.number(), edit.number());
      edit.lengthAndBytes();
      edit.lengthAndBytes();
      return true;
    default:
      return false;
  }
}
