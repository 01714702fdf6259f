// The files of a journal in a directory, and hands that damage them.

import { createHash } from 'node:crypto';
import { open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalEvent } from '../../src/engine/ports.js';
import { makeTemporaryDirectory, placeIn, write } from './journal-places.js';
import {
  contentNumber,
  contentStored,
  counterPut,
  messagePut,
  messageRecord,
  queuePut,
} from './journal-rows.js';

/** Messages 1 to 99 are in LevelDB's table, 100 to 149 in its log, in pages that are longer than a block of the log. */
export const IN_TABLE = 99;
export const IN_LOG = 50;
const SIZE_BYTES = 5000;

/** A journal that two processes wrote. LevelDB makes a table of the log that the first has left. */
export async function makeStore(): Promise<string> {
  const directory = await makeTemporaryDirectory();
  const place = placeIn(directory);
  await write(place, [queuePut(), ...longMessages(1, IN_TABLE)]);
  await write(place, longMessages(IN_TABLE + 1, IN_TABLE + IN_LOG));
  return directory;
}

function longMessages(from: number, to: number): JournalEvent[] {
  const events: JournalEvent[] = [];
  for (let number = from; number <= to; number++) {
    const propertyChanges = [{ name: 'long', value: String(number).padEnd(SIZE_BYTES, 'x') }];
    events.push(contentStored(number, contentNumber(number, SIZE_BYTES)));
    events.push(messagePut(messageRecord(number, { details: { propertyChanges } })));
  }
  return [...events, counterPut(to + 1)];
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
