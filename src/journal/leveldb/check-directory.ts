// Checks a LevelDB directory before LevelDB opens it: LevelDB silently drops, and then deletes, data that it cannot read.

import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findDamage } from './log-file.js';
import { type Manifest, readManifest } from './manifest.js';
import { findTableDamage } from './table-file.js';

const CURRENT = 'CURRENT';
const MANIFEST_NAME = /^MANIFEST-\d+$/;
const LOG_NAME = /^(\d+)\.log$/;
const TABLE_NAME = /^(\d+)\.(?:ldb|sst)$/;

/** LevelDB's other files: its lock, its info log, and the temporary file that it renames to CURRENT. */
const OTHER_NAME = /^(?:LOCK|LOG|LOG\.old|\d+\.dbtmp)$/;

/** Whether LevelDB uses file names like this one. */
export function isStoreFile(name: string): boolean {
  return name === CURRENT || [MANIFEST_NAME, LOG_NAME, TABLE_NAME, OTHER_NAME].some((one) => one.test(name));
}

/** Describes damage to the store; undefined for an intact store and for a directory without one. */
export async function checkDirectory(directory: string): Promise<string | undefined> {
  const names = await readdir(directory);
  if (!names.includes(CURRENT)) return findLeftovers(names);
  try {
    return await findStoreDamage(directory, names);
  } catch (error) {
    // The file existed a moment ago: another process is working in the directory.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return error.message;
    throw error;
  }
}

/**
 * Whether nothing was ever stored in the directory: it holds a store without a table and with empty logs, and nothing else but empty
 * folders, and no file is missing that its manifest names. LevelDB does not bring its first manifest to the disk, so a power cut may leave
 * such a store damaged.
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

/** Finds store files without CURRENT: LevelDB would create a new store and delete them. */
function findLeftovers(names: readonly string[]): string | undefined {
  const leftover = names.find((name) =>
    [MANIFEST_NAME, LOG_NAME, TABLE_NAME].some((pattern) => pattern.test(name)),
  );
  return leftover && `there is ${leftover}, but no file ${CURRENT}`;
}

async function findStoreDamage(directory: string, names: readonly string[]): Promise<string | undefined> {
  const current = await readFile(join(directory, CURRENT), 'latin1');
  const manifestName = current.replace(/\n$/, '');
  if (!current.endsWith('\n') || !MANIFEST_NAME.test(manifestName)) {
    return `the file ${CURRENT} does not name a manifest`;
  }
  if (!names.includes(manifestName)) return `the file ${manifestName} is missing`;
  const manifest = readManifest(await readFile(join(directory, manifestName)));
  if (manifest === undefined) return `the file ${manifestName} is not what was written`;
  return (
    (await findDamagedTable(directory, names, manifest)) ?? (await findLogDamage(directory, names, manifest))
  );
}

async function findDamagedTable(
  directory: string,
  names: readonly string[],
  { logNumber, tables }: Manifest,
): Promise<string | undefined> {
  const present = numbered(names, TABLE_NAME);
  // Without a log there has been no write, so there cannot be a table.
  const [table] = present.values();
  if (logNumber === 0 && table !== undefined) return `the manifest names no log, though there is ${table}`;
  for (const [number, sizeBytes] of tables) {
    const name = present.get(number);
    if (name === undefined) return `the table ${number} is missing`;
    const { size } = await stat(join(directory, name));
    if (size !== sizeBytes) return `${name} has ${size} bytes instead of ${sizeBytes}`;
    const damage = findTableDamage(await readFile(join(directory, name)));
    if (damage !== undefined) return `${name} ${damage}`;
  }
  return undefined;
}

async function findLogDamage(
  directory: string,
  names: readonly string[],
  { logNumber }: Manifest,
): Promise<string | undefined> {
  const present = numbered(names, LOG_NAME);
  // A log exists before the manifest names it, and until the manifest names a later one.
  if (logNumber !== 0 && !present.has(logNumber)) return `the log ${logNumber} is missing`;
  for (const [number, name] of present) {
    if (number < logNumber) continue;
    const damagedAt = findDamage(await readFile(join(directory, name)));
    if (damagedAt !== undefined) return `${name} is not what was written from byte ${damagedAt} on`;
  }
  return undefined;
}

function numbered(names: readonly string[], pattern: RegExp): Map<number, string> {
  const found = new Map<number, string>();
  for (const name of names) {
    const number = pattern.exec(name)?.[1];
    if (number !== undefined) found.set(Number(number), name);
  }
  return found;
}
