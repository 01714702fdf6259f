// The files of a journal in a directory, and hands that damage them.

import { createHash } from 'node:crypto';
import { open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import type { LevelJournal } from '../../src/journal/level-journal.js';
import { startJournal } from '../../src/journal/open-journal.js';
import { ENCODINGS, makeTemporaryDirectory } from './journal-places.js';
import { queuePut, send } from './journal-rows.js';

/** Messages 1 to 50 are in a table, 51 to 100 in the log, ten to a batch; a batch is longer than a block of the log. */
export const IN_TABLE = 50;
export const IN_LOG = 50;
export const PER_BATCH = 10;
const SIZE_BYTES = 5000;

export async function makeStore(): Promise<string> {
  const directory = await makeTemporaryDirectory();
  const first = await openWithoutLog(directory);
  await first.append([queuePut(), ...send(1, IN_TABLE, SIZE_BYTES)]);
  await first.close();
  // LevelDB makes a table of the log that it finds.
  const second = await openWithoutLog(directory);
  for (let from = IN_TABLE + 1; from <= IN_TABLE + IN_LOG; from += PER_BATCH) {
    await second.append(send(from, from + PER_BATCH - 1, SIZE_BYTES));
  }
  await second.close();
  return directory;
}

/** Each batch goes to LevelDB as it is, as earlier versions had it with `fsync`. */
async function openWithoutLog(directory: string): Promise<LevelJournal> {
  const store = new Level<string, Buffer>(directory, { ...ENCODINGS, compression: false });
  await store.open();
  return startJournal(store, { location: directory, sync: true, checksums: true });
}

export type FileKind = 'CURRENT' | 'MANIFEST' | 'ldb' | 'log';

export async function fileIn(directory: string, kind: FileKind): Promise<string> {
  const names = await readdir(directory);
  const [name, ...others] = names.filter((each) => each.startsWith(kind) || each.endsWith(`.${kind}`));
  if (name === undefined || others.length > 0) throw new Error(`there is not one ${kind} among ${names}`);
  return join(directory, name);
}

/** Puts bytes where others were; a negative place counts from the end. */
export async function overwrite(path: string, at: number, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'r+');
  const { size } = await file.stat();
  await file.write(bytes, 0, bytes.length, at < 0 ? size + at : at);
  await file.close();
}

export async function cutOff(path: string, byteCount: number): Promise<void> {
  await truncate(path, (await sizeOf(path)) - byteCount);
}

export async function spoil(path: string): Promise<void> {
  await writeFile(path, garbage(await sizeOf(path)));
}

export async function sizeOf(path: string): Promise<number> {
  return (await stat(path)).size;
}

/** Looks like nothing that LevelDB writes. */
export function garbage(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => 0x80 | ((index * 37) % 128));
}

/** A digest of each file that holds data, by name. */
export async function digestsIn(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory)).filter((name) =>
    /^(CURRENT|MANIFEST.*|.*\.ldb|.*\.log)$/.test(name),
  );
  const digests = names.map(async (name) => {
    const digest = createHash('sha256').update(await readFile(join(directory, name)));
    return [name, digest.digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(digests));
}
