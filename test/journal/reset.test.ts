// A journal that is reset: what is removed, what is refused with nothing removed, and what a kill in the middle leaves.

import { copyFile, mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { expect, test } from 'vitest';
import { openJournal } from '../../src/journal/open-journal.js';
import { fileIn } from '../support/journal-files.js';
import { makeTemporaryDirectory } from '../support/journal-places.js';
import { numbersIn, queuePut, recover, send } from '../support/journal-rows.js';

type Open = { readonly reset?: boolean; readonly durability?: 'os' | 'fsync' };

/** A directory for a journal, in one that holds nothing else. */
async function makePlace(): Promise<string> {
  return join(await makeTemporaryDirectory(), 'journal');
}

async function fill(directory: string, durability: 'os' | 'fsync' = 'os'): Promise<void> {
  const journal = await openJournal({ directory, durability });
  await recover(journal);
  await journal.append([queuePut(), ...send(1, 3)]);
  await journal.close();
}

async function numbersKeptIn(directory: string, options: Open = {}): Promise<number[]> {
  const journal = await openJournal({ directory, ...options });
  try {
    return numbersIn(await recover(journal));
  } finally {
    await journal.close();
  }
}

test.each(['os', 'fsync'] as const)(
  'a reset with durability %s removes all that was kept',
  async (durability) => {
    const directory = await makePlace();
    await fill(directory, durability);
    expect(await numbersKeptIn(directory, { durability, reset: true })).toEqual([]);
    expect(await numbersKeptIn(directory, { durability })).toEqual([]);
    expect(await readdir(join(directory, '..'))).toEqual(['journal']);
  },
);

test('a reset of a missing or empty directory is an ordinary start', async () => {
  const directory = await makePlace();
  expect(await numbersKeptIn(directory, { reset: true })).toEqual([]);
  const empty = await makeTemporaryDirectory();
  expect(await numbersKeptIn(empty, { reset: true })).toEqual([]);
});

test('a reset removes what a killed process has left in its segments', async () => {
  const directory = await makePlace();
  const journal = await openJournal({ directory });
  await recover(journal);
  await journal.append([queuePut(), ...send(1, 3)]);
  const killed = join(await makeTemporaryDirectory(), 'journal');
  const segment = join('segments', '00000001.segment');
  await mkdir(join(killed, 'segments'), { recursive: true });
  await copyFile(join(directory, segment), join(killed, segment));
  await journal.close();
  expect(await numbersKeptIn(killed, { reset: true })).toEqual([]);
});

test('while another emulator has it open, a reset is refused and removes nothing', async () => {
  const directory = await makePlace();
  const journal = await openJournal({ directory });
  await recover(journal);
  await journal.append([queuePut(), ...send(1, 3)]);
  await expect(openJournal({ directory, reset: true })).rejects.toMatchObject({ kind: 'locked' });
  await journal.append(send(4, 4));
  await journal.close();
  expect(await numbersKeptIn(directory)).toHaveLength(4);
});

test('foreign files in the directory of the journal make a reset refuse, and it names what it saw', async () => {
  const directory = await makePlace();
  await fill(directory);
  await writeFile(join(directory, 'notes.txt'), 'mine');
  await expect(openJournal({ directory, reset: true })).rejects.toMatchObject({
    kind: 'foreign',
    message: expect.stringMatching(/: it holds "notes\.txt"\. Nothing was removed\./),
  });
  expect(await numbersKeptIn(directory)).toEqual([1, 2, 3]);
});

test('the LevelDB store of another program is not reset, whether in order or damaged', async () => {
  const directory = await makePlace();
  const other = new Level(directory);
  await other.put('theirs', '1');
  await other.close();
  await expect(openJournal({ directory, reset: true })).rejects.toMatchObject({
    kind: 'foreign',
    message: expect.stringContaining('it holds "theirs", but does not say its format'),
  });
  await writeFile(await fileIn(directory, 'CURRENT'), '');
  const before = await readdir(directory);
  await expect(openJournal({ directory, reset: true })).rejects.toMatchObject({
    kind: 'foreign',
    message: expect.stringContaining('and no folder segments'),
  });
  expect(await readdir(directory)).toEqual(before);
});

test('a link in the place of the journal is not reset', async () => {
  const directory = await makePlace();
  await fill(directory);
  const link = await makePlace();
  await symlink(directory, link);
  await expect(openJournal({ directory: link, reset: true })).rejects.toMatchObject({ kind: 'foreign' });
  expect(await numbersKeptIn(link)).toEqual([1, 2, 3]);
});

test('a damaged journal can be reset', async () => {
  const directory = await makePlace();
  await fill(directory);
  await writeFile(await fileIn(directory, 'CURRENT'), '');
  await expect(openJournal({ directory })).rejects.toMatchObject({ kind: 'corrupt' });
  expect(await numbersKeptIn(directory, { reset: true })).toEqual([]);
});

test('a store that a power cut left damaged before anything was stored can be reset', async () => {
  const directory = await makePlace();
  await (await openJournal({ directory })).close();
  await writeFile(await fileIn(directory, 'MANIFEST'), '');
  expect(await numbersKeptIn(directory, { reset: true })).toEqual([]);
});

test.each([false, true])(
  'a reset that was killed is completed by the next start, with a reset: %s',
  async (reset) => {
    const directory = await makePlace();
    await fill(directory);
    await rename(directory, `${directory}-removed`);
    await fill(directory);
    expect(await numbersKeptIn(directory, { reset })).toEqual(reset ? [] : [1, 2, 3]);
    expect(await readdir(join(directory, '..'))).toEqual(['journal']);
  },
);
