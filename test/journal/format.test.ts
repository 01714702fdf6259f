// What a journal says of its format, and the refusal of every other one.

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withJournalSource } from '../../src/journal/check/journal-source.js';
import { openJournal } from '../../src/journal/open-journal.js';
import { sealOf, withSeal } from '../../src/journal/table/seal.js';
import {
  deleteRow,
  makeTemporaryDirectory,
  memoryPlace,
  placeIn,
  putRow,
  reopen,
  rowOf,
  started,
  write,
} from '../support/journal-places.js';
import { queuePut } from '../support/journal-rows.js';

test('a new journal says with its first batch that it is of format 1', async () => {
  const place = await memoryPlace();
  await reopen(place);
  expect(await rowOf(place, 'F')).toBeUndefined();
  await write(place, [queuePut()]);
  expect(await rowOf(place, 'F')).toBe('1');
});

test('a journal that could not write its first batch says its format with the next', async () => {
  const place = await memoryPlace();
  const journal = await started(place);
  const broken = Object.defineProperty({ ...queuePut() }, 'entity', {
    get: () => {
      throw new Error('no such thing');
    },
  });
  await expect(journal.append([broken])).rejects.toThrow('no such thing');
  await journal.append([queuePut()]);
  await journal.close();
  expect(await rowOf(place, 'F')).toBe('1');
});

test('the format of a later version is refused, and says so', async () => {
  const place = await memoryPlace();
  await write(place, [queuePut()]);
  await place.withRows((rows) => putRow(rows, 'F', withSeal(sealOf('F', '2'), '2')));
  await expect(place.open()).rejects.toMatchObject({
    kind: 'newer-format',
    message: expect.stringContaining('it has format 2, but this version reads only format 1'),
  });
});

test.each([1, 7, 8])(
  'the former format %d is refused with what was found, and can be reset',
  async (format) => {
    const directory = await makeTemporaryDirectory();
    await placeIn(directory).withRows((rows) => putRow(rows, 'F', `{"format":${format}}`));
    const seen = `The journal in ${directory} has an older format: it has the former format ${format}, but this version reads only format 1. Start with --reset`;
    const refusal = { kind: 'older-format', code: 'JIT4008', message: expect.stringContaining(seen) };
    await expect(openJournal({ directory })).rejects.toMatchObject(refusal);
    await (await openJournal({ directory, reset: true })).close();
    await (await openJournal({ directory })).close();
  },
);

test('a log of a former format is refused although LevelDB has no row yet, changed by nothing, and can be reset', async () => {
  const directory = await makeTemporaryDirectory();
  await mkdir(join(directory, 'ahead'));
  await writeFile(join(directory, 'ahead', '00000001.ahead'), 'a batch');
  const refusal = { kind: 'older-format', seen: expect.stringContaining('it has the folder ahead') };
  await expect(openJournal({ directory })).rejects.toMatchObject(refusal);
  await expect(withJournalSource(directory, async () => {})).rejects.toMatchObject(refusal);
  expect(await readdir(directory)).toEqual(['ahead']);
  await (await openJournal({ directory, reset: true })).close();
  await (await openJournal({ directory })).close();
});

test.each([
  ['rows that do not say their format', 'orders', '{}', 'does not say its format'],
  ['a format that is none', 'F', 'x', 'its format is x'],
  ['a format without its seal', 'F', '1', 'its format is 1'],
])('%s are no journal', async (_, key, row, message) => {
  const place = await memoryPlace();
  await place.withRows((rows) => putRow(rows, key, row));
  await expect(place.open()).rejects.toMatchObject({
    kind: 'corrupt',
    message: expect.stringContaining(message),
  });
});

test('rows that have lost their format are not taken for a new journal', async () => {
  const place = await memoryPlace();
  await write(place, [queuePut()]);
  await place.withRows((rows) => deleteRow(rows, 'F'));
  await expect(place.open()).rejects.toThrow('it holds "L", but does not say its format');
});
