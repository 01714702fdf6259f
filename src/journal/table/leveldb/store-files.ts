// Reads the files of a LevelDB store without LevelDB, which silently drops, and then deletes, what it cannot read. A start uses this to
// look for damage before LevelDB opens the store; a check also reads the rows.

import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readLevelLog } from './log-file.js';
import { type Manifest, readManifest } from './manifest.js';
import { entriesIn, readTable } from './table-file.js';
import { VarintReader } from './varint-reader.js';

const CURRENT = 'CURRENT';
const MANIFEST_NAME = /^MANIFEST-\d+$/;
const LOG_NAME = /^(\d+)\.log$/;
const TABLE_NAME = /^(\d+)\.(?:ldb|sst)$/;

/** LevelDB's other files: its lock, its info log, and the temporary file that it renames to CURRENT. */
const OTHER_NAME = /^(?:LOCK|LOG|LOG\.old|\d+\.dbtmp)$/;

/** Sequence number and type of a change: together the last eight bytes of a key in a table. */
const SEQUENCE_BYTES = 8;
const BATCH_HEADER_BYTES = 12;
const DELETED = 0;

/** Whether the name is one that LevelDB gives to its files. */
export function isStoreFile(name: string): boolean {
  return name === CURRENT || [MANIFEST_NAME, LOG_NAME, TABLE_NAME, OTHER_NAME].some((one) => one.test(name));
}

/** Describes the first damage to the store, if there is any, and reads the newest value of a key. LevelDB need not open it for that. */
export async function inspectStore(
  directory: string,
  key: string,
): Promise<{ readonly damage: string | undefined; readonly value: string | undefined }> {
  let damage: string | undefined;
  let newest: Change | undefined;
  try {
    for await (const part of readStore(directory)) {
      if (part.kind === 'damage') damage ??= part.seen;
      else {
        for (const change of changesOf(part, key))
          if (change.sequence >= (newest?.sequence ?? 0)) newest = change;
      }
    }
  } catch (error) {
    // The file existed a moment ago, so another process is working in the directory.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    damage ??= error.message;
  }
  return { damage, value: newest?.value };
}

/** The changes of one key. The rows of a block are sorted, so nothing is read behind the key. */
function* changesOf(part: ReadablePart, key: string): Generator<Change> {
  for (const change of part.kind === 'batch' ? changesIn(part.bytes) : rowsIn(part.block)) {
    if (change.key === key) yield change;
    if (part.kind === 'rows' && change.key > key) return;
  }
}

export type StoredRows = {
  readonly rows: ReadonlyMap<string, string>;
  /** One sentence for each part that cannot be read. */
  readonly damage: readonly string[];
};

/** Reads all rows that have the right checksum, in no order. */
export async function readStoreRows(directory: string): Promise<StoredRows> {
  const rows = new Map<string, { readonly sequence: number; readonly value: string | undefined }>();
  const damage: string[] = [];
  for await (const part of readStore(directory)) {
    if (part.kind === 'damage') damage.push(part.seen);
    else {
      for (const { key, sequence, value } of part.kind === 'batch'
        ? changesIn(part.bytes)
        : rowsIn(part.block)) {
        // The change with the highest number counts, in whichever file it is.
        if ((rows.get(key)?.sequence ?? -1) < sequence) rows.set(key, { sequence, value });
      }
    }
  }
  const values = [...rows].flatMap(([key, { value }]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return { rows: new Map(values), damage };
}

/**
 * Whether nothing was ever stored in the directory: it has only empty folders and a store without tables and with empty logs, and no file
 * is missing that the manifest names. LevelDB does not sync its first manifest, so a power cut may leave such a store damaged.
 */
export async function isUnusedStore(directory: string): Promise<boolean> {
  const names = await readdir(directory);
  for (const name of names) if (!(await isUnusedEntry(join(directory, name), name))) return false;
  const current = names.includes(CURRENT) ? (await readFile(join(directory, CURRENT), 'latin1')).trim() : '';
  const manifest = names.includes(current)
    ? readManifest(await readFile(join(directory, current)))
    : undefined;
  if (manifest === undefined) return true;
  const { logNumber, tables } = manifest;
  return tables.size === 0 && (logNumber === 0 || numbered(names, LOG_NAME).has(logNumber));
}

async function isUnusedEntry(path: string, name: string): Promise<boolean> {
  const found = await lstat(path);
  if (found.isDirectory()) return (await readdir(path)).length === 0;
  if (LOG_NAME.test(name)) return found.size === 0;
  return isStoreFile(name) && !TABLE_NAME.test(name);
}

/** A batch of a log, or a block of a table. */
type ReadablePart =
  | { readonly kind: 'batch'; readonly bytes: Buffer }
  | { readonly kind: 'rows'; readonly block: Buffer };
type StorePart = ReadablePart | { readonly kind: 'damage'; readonly seen: string };

/** Reads all files, and goes on behind damage. If the manifest is damaged, all tables and logs count as files of the store. */
async function* readStore(directory: string): AsyncGenerator<StorePart> {
  const names = await readdir(directory);
  const [tables, logs] = [numbered(names, TABLE_NAME), numbered(names, LOG_NAME)];
  const found = await findManifest(directory, names);
  const problems = typeof found === 'string' ? [found] : missingFiles(found, tables, logs);
  for (const seen of problems) yield { kind: 'damage', seen };
  const manifest = typeof found === 'object' && problems.length === 0 ? found : undefined;
  for (const [number, name] of tables) {
    const sizeBytes = manifest?.tables.get(number);
    if (manifest === undefined || sizeBytes !== undefined) yield* readTableFile(directory, name, sizeBytes);
  }
  for (const [number, name] of logs) {
    if (manifest === undefined || number >= manifest.logNumber) yield* readLogFile(directory, name);
  }
}

function missingFiles(
  manifest: Manifest | undefined,
  tables: ReadonlyMap<number, string>,
  logs: ReadonlyMap<number, string>,
): readonly string[] {
  if (manifest === undefined) return [];
  const { logNumber } = manifest;
  const [table] = tables.values();
  // Without a log there has been no write, so there cannot be a table.
  if (logNumber === 0 && table !== undefined)
    return [`the manifest names no log, although there is ${table}`];
  const missing = [...manifest.tables.keys()].filter((number) => !tables.has(number));
  return [
    ...missing.map((number) => `the table ${number} is missing`),
    // A log exists before the manifest names it, and until the manifest names a later one.
    ...(logNumber === 0 || logs.has(logNumber) ? [] : [`the log ${logNumber} is missing`]),
  ];
}

/** The manifest; undefined for a directory without a store, and a sentence about the problem if it cannot be read. */
async function findManifest(
  directory: string,
  names: readonly string[],
): Promise<Manifest | string | undefined> {
  if (!names.includes(CURRENT)) {
    // LevelDB would create a new store and delete what is there.
    const leftover = names.find((name) =>
      [MANIFEST_NAME, LOG_NAME, TABLE_NAME].some((one) => one.test(name)),
    );
    return leftover && `there is ${leftover}, but no file ${CURRENT}`;
  }
  const current = await readFile(join(directory, CURRENT), 'latin1');
  const name = current.replace(/\n$/, '');
  if (!current.endsWith('\n') || !MANIFEST_NAME.test(name))
    return `the file ${CURRENT} does not name a manifest`;
  if (!names.includes(name)) return `the file ${name} is missing`;
  return readManifest(await readFile(join(directory, name))) ?? `the file ${name} is not what was written`;
}

/** `sizeBytes`: the size according to the manifest. */
async function* readTableFile(
  directory: string,
  name: string,
  sizeBytes: number | undefined,
): AsyncGenerator<StorePart> {
  const { size } = await stat(join(directory, name));
  if (sizeBytes !== undefined && size !== sizeBytes) {
    yield { kind: 'damage', seen: `${name} has ${size} bytes instead of ${sizeBytes}` };
  }
  for (const part of readTable(await readFile(join(directory, name)))) {
    yield part.kind === 'damage' ? { kind: 'damage', seen: `${name} ${part.seen}` } : part;
  }
}

async function* readLogFile(directory: string, name: string): AsyncGenerator<StorePart> {
  for (const entry of readLevelLog(await readFile(join(directory, name)))) {
    if (entry.kind === 'record') yield { kind: 'batch', bytes: entry.bytes };
    else {
      const seen = `${name} is not what was written from byte ${entry.start} to byte ${entry.end}`;
      yield { kind: 'damage', seen };
    }
  }
}

type Change = { readonly key: string; readonly sequence: number; readonly value: string | undefined };

/** The changes in a batch, which begins with the sequence number of the first one and their count. */
function* changesIn(batch: Buffer): Generator<Change> {
  const changes = new VarintReader(batch, BATCH_HEADER_BYTES);
  for (let sequence = batch.readUIntLE(0, 6); !changes.isAtEnd; sequence++) {
    const isDeleted = changes.number() === DELETED;
    const key = textOf(changes.lengthAndBytes());
    yield { key, sequence, value: isDeleted ? undefined : textOf(changes.lengthAndBytes()) };
  }
}

/** The rows in a block. A key in a table ends with the type of the change and its sequence number. */
function* rowsIn(block: Buffer): Generator<Change> {
  for (const { key, value } of entriesIn(block)) {
    const typeAt = key.length - SEQUENCE_BYTES;
    if (typeAt < 0) continue;
    const isDeleted = key[typeAt] === DELETED;
    yield {
      key: textOf(key.subarray(0, typeAt)),
      sequence: key.readUIntLE(typeAt + 1, 6),
      value: isDeleted ? undefined : textOf(value),
    };
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

function numbered(names: readonly string[], pattern: RegExp): Map<number, string> {
  const found = new Map<number, string>();
  for (const name of names) {
    const number = pattern.exec(name)?.[1];
    if (number !== undefined) found.set(Number(number), name);
  }
  return found;
}
