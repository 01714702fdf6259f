// A journal in a directory: who may open it, and what is said when its files are not what was written.

import { appendFile, mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ContentUnreadable } from '../../src/broker/contract/content-unreadable.js';
import { openJournal } from '../../src/journal/open-journal.js';
import {
  cutOff,
  digestsIn,
  type FileKind,
  fileIn,
  garbage,
  IN_LOG,
  IN_TABLE,
  makeStore,
  overwrite,
  sizeOf,
  spoil,
} from '../support/journal-files.js';
import { makeTemporaryDirectory } from '../support/journal-places.js';
import { numbersIn, queuePut, recover, send } from '../support/journal-rows.js';

/** Of a manifest, which LevelDB begins with the name of its order of keys and nothing else. */
const FIRST_RECORD_BYTES = 35;

function numbersUpTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

async function numbersKeptIn(directory: string): Promise<number[]> {
  const journal = await openJournal({ directory });
  try {
    return numbersIn(await recover(journal));
  } finally {
    await journal.close();
  }
}

async function readAll(directory: string): Promise<void> {
  const journal = await openJournal({ directory });
  try {
    for (const number of numbersIn(await recover(journal))) await journal.readContent(number);
  } finally {
    await journal.close();
  }
}

test('a missing directory is created', async () => {
  const directory = join(await makeTemporaryDirectory(), 'a', 'b');
  expect(await numbersKeptIn(directory)).toEqual([]);
});

test('all is kept with fsync too', async () => {
  const directory = await makeTemporaryDirectory();
  const journal = await openJournal({ directory, durability: 'fsync' });
  await recover(journal);
  await journal.append([queuePut(), ...send(1, 3)]);
  await journal.close();
  expect(await numbersKeptIn(directory)).toEqual([1, 2, 3]);
});

test('files of others in the directory are left alone', async () => {
  const directory = await makeTemporaryDirectory();
  await writeFile(join(directory, 'notes.txt'), 'mine');
  await mkdir(join(directory, 'certificates'));
  const journal = await openJournal({ directory });
  await journal.close();
  expect(await readFile(join(directory, 'notes.txt'), 'utf8')).toBe('mine');
});

test('a directory that is in use is refused, with what to do', async () => {
  const directory = await makeTemporaryDirectory();
  const journal = await openJournal({ directory });
  await expect(openJournal({ directory })).rejects.toMatchObject({
    kind: 'locked',
    message: expect.stringMatching(
      /^The journal in .+ is in use by another process\. Stop the other emulator/,
    ),
  });
  await journal.close();
  await expect(numbersKeptIn(directory)).resolves.toEqual([]);
});

test('a directory in use is reported as such, not as damaged, when its files do not fit together at the moment', async () => {
  const directory = await makeTemporaryDirectory();
  const journal = await openJournal({ directory });
  const current = await readFile(await fileIn(directory, 'CURRENT'));
  await writeFile(join(directory, 'CURRENT'), '');
  await expect(openJournal({ directory })).rejects.toMatchObject({ kind: 'locked' });
  await writeFile(join(directory, 'CURRENT'), current);
  await journal.close();
});

// Windows removes no directory with open files.
test.skipIf(process.platform === 'win32')(
  'a directory that is removed while it is in use is noticed half a second after the next batch',
  async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const directory = await makeTemporaryDirectory();
    const journal = await openJournal({ directory });
    const failed = new Promise((resolve) => journal.onFailure?.(resolve));
    await recover(journal);
    await journal.append([queuePut()]);
    await rm(directory, { recursive: true });
    await journal.append(send(1, 1));
    vi.advanceTimersByTime(500);
    await expect(failed).resolves.toMatchObject({
      kind: 'unwritable',
      message: `The journal in ${directory} cannot be written: it was removed while it was in use. Everything stored in it is lost. Start the emulator again; it will begin empty.`,
    });
    await expect(journal.close()).rejects.toMatchObject({ kind: 'unwritable' });
  },
);

test('a file in the place of the directory is refused', async () => {
  const path = join(await makeTemporaryDirectory(), 'file');
  await writeFile(path, '');
  for (const directory of [path, join(path, 'below')]) {
    await expect(openJournal({ directory })).rejects.toMatchObject({
      kind: 'unreadable',
      message: expect.stringContaining(directory),
    });
  }
});

test('an intact store is opened, with the rows of its table and its log', async () => {
  const directory = await makeStore();
  expect(await numbersKeptIn(directory)).toEqual(numbersUpTo(IN_TABLE + IN_LOG));
  await expect(readAll(directory)).resolves.toBeUndefined();
});

type Damage = (path: string) => Promise<void>;
const remove: Damage = (path) => rm(path);
const empty: Damage = (path) => writeFile(path, '');
const halve: Damage = async (path) => cutOff(path, Math.ceil((await sizeOf(path)) / 2));
const spoilMiddle: Damage = async (path) =>
  overwrite(path, Math.floor((await sizeOf(path)) / 2), garbage(512));
const flipInMiddle: Damage = async (path) => {
  const at = Math.floor((await sizeOf(path)) / 2);
  const byte = (await readFile(path))[at] ?? 0;
  await overwrite(path, at, Uint8Array.of(byte ^ 0x10));
};

test.each<[FileKind, string, Damage, RegExp]>([
  ['CURRENT', 'missing', remove, /no file CURRENT/],
  ['CURRENT', 'empty', empty, /CURRENT does not name a manifest/],
  ['CURRENT', 'garbage', spoil, /CURRENT does not name a manifest/],
  [
    'CURRENT',
    'a name of nothing',
    (path) => writeFile(path, 'MANIFEST-999999\n'),
    /MANIFEST-999999 is missing/,
  ],
  ['CURRENT', 'a path out of the directory', (path) => writeFile(path, '../x\n'), /does not name a manifest/],
  ['MANIFEST', 'missing', remove, /MANIFEST-\d+ is missing/],
  ['MANIFEST', 'empty', empty, /MANIFEST-\d+ is not what was written/],
  ['MANIFEST', 'garbage', spoil, /MANIFEST-\d+ is not what was written/],
  [
    'MANIFEST',
    'garbage in the middle',
    (path) => overwrite(path, 30, garbage(20)),
    /MANIFEST-\d+ is not what/,
  ],
  [
    'MANIFEST',
    'cut off in its last record',
    (path) => cutOff(path, 3),
    /log \d+ is missing|is not what was written/,
  ],
  ['ldb', 'missing', remove, /table \d+ is missing/],
  ['ldb', 'empty', empty, /\.ldb has 0 bytes instead of \d+/],
  ['ldb', 'cut in half', halve, /\.ldb has \d+ bytes instead of \d+/],
  ['log', 'missing', remove, /log \d+ is missing/],
  ['log', 'garbage', spoil, /\.log is not what was written from byte 0 to byte \d+/],
  ['log', 'garbage in the middle', spoilMiddle, /\.log is not what was written from byte \d+ to byte \d+/],
  [
    'log',
    'one wrong bit in the middle',
    flipInMiddle,
    /\.log is not what was written from byte \d+ to byte \d+/,
  ],
  ['log', 'followed by garbage', (path) => appendFile(path, garbage(5000)), /\.log is not what was written/],
])(
  '%s %s is damage: nothing is opened or changed, and the error says where it is and what to do',
  async (kind, _, damage, seen) => {
    const directory = await makeStore();
    await damage(await fileIn(directory, kind));
    const before = await digestsIn(directory);
    const refusal = await openJournal({ directory }).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refusal).toMatchObject({ kind: 'corrupt', message: expect.stringMatching(seen) });
    expect(refusal).toMatchObject({
      message: expect.stringContaining(`The journal in ${directory} is damaged`),
    });
    expect(refusal).toMatchObject({ message: expect.stringContaining('move it away to start empty') });
    expect(await digestsIn(directory)).toEqual(before);
  },
);

test('a file that is listed and cannot be found is damage, too', async () => {
  const directory = await makeStore();
  const table = await fileIn(directory, 'ldb');
  await rm(table);
  await symlink(`${table}.gone`, table);
  await expect(openJournal({ directory })).rejects.toMatchObject({
    kind: 'corrupt',
    message: expect.stringContaining(table),
  });
});

test.each<[string, Damage]>([
  ['garbage in its middle', spoilMiddle],
  ['garbage at its end', (path) => overwrite(path, -60, garbage(60))],
  ['nothing but garbage', spoil],
])('a table with %s is damage when it is read', async (_, damage) => {
  const directory = await makeStore();
  await damage(await fileIn(directory, 'ldb'));
  await expect(readAll(directory)).rejects.toMatchObject({
    kind: expect.stringMatching(/corrupt|unreadable/),
  });
});

test('one wrong bit in a content makes it unreadable, and no other', async () => {
  const directory = await makeStore();
  const segment = join(directory, 'segments', '00000001.segment');
  // Each content is its number over and over.
  const at = (await readFile(segment)).indexOf(Buffer.alloc(100, 33));
  await overwrite(segment, at + 50, Uint8Array.of(32));
  const journal = await openJournal({ directory });
  await recover(journal);
  const seen = 'content 33 in 00000001.segment is not what was written';
  await expect(journal.readContent(33)).rejects.toEqual(new ContentUnreadable(33, seen));
  expect(() => journal.readContentNow(33)).toThrow(new ContentUnreadable(33, seen));
  await journal.readContent(34);
  expect(journal.readContentNow(34)).toHaveLength(5000);
  await journal.close();
});

// What LevelDB has not written, the segments still have.
test.each<[string, Damage]>([
  ['whose last byte a killed process did not write', (path) => cutOff(path, 1)],
  ['whose last 2,000 bytes a killed process did not write', (path) => cutOff(path, 2000)],
  ['whose last 200,000 bytes a killed process did not write', (path) => cutOff(path, 200_000)],
  ['that ends with room never filled', (path) => appendFile(path, Buffer.alloc(100_000))],
  [
    'whose last batch was half on the disk when the power failed',
    (path) => overwrite(path, -200_000, Buffer.alloc(200_000)),
  ],
])('a log of LevelDB %s opens with everything', async (_, damage) => {
  const directory = await makeStore();
  await damage(await fileIn(directory, 'log'));
  expect(await numbersKeptIn(directory)).toEqual(numbersUpTo(IN_TABLE + IN_LOG));
  await expect(readAll(directory)).resolves.toBeUndefined();
});

test('a log that a manifest no longer names may be anything', async () => {
  const directory = await makeStore();
  await writeFile(join(directory, '000001.log'), garbage(5000));
  expect(await numbersKeptIn(directory)).toEqual(numbersUpTo(IN_TABLE + IN_LOG));
});

/** A store that a first start has made, before anything was stored, as a power cut leaves it. */
async function makeBlank(damage: Damage, kind: FileKind): Promise<string> {
  const directory = join(await makeTemporaryDirectory(), 'journal');
  await mkdir(join(directory, 'segments'), { recursive: true });
  await (await openJournal({ directory })).close();
  await damage(await fileIn(directory, kind));
  return directory;
}

test.each<[FileKind, string, Damage]>([
  ['MANIFEST', 'torn', (path) => cutOff(path, 20)],
  ['MANIFEST', 'cut off behind its first record', (path) => truncate(path, FIRST_RECORD_BYTES)],
  ['MANIFEST', 'empty', empty],
  ['MANIFEST', 'missing', remove],
  ['CURRENT', 'empty', empty],
  ['CURRENT', 'missing', remove],
])(
  'a store in which nothing was stored is made anew when its %s is %s, with a warning',
  async (kind, _, damage) => {
    const directory = await makeBlank(damage, kind);
    const warnings: string[] = [];
    const journal = await openJournal({ directory, warn: (text) => warnings.push(text) });
    await recover(journal);
    await journal.append([queuePut(), ...send(1, 3)]);
    await journal.close();
    expect(warnings).toEqual([expect.stringContaining('Nothing was stored in it, so it is created again.')]);
    expect(await numbersKeptIn(directory)).toEqual([1, 2, 3]);
    expect(await readdir(join(directory, '..'))).toEqual(['journal']);
  },
);

test.each<[string, Damage]>([
  ['a log that is not empty', (path) => writeFile(path, Uint8Array.of(1))],
  ['a file in its segments', (path) => writeFile(join(path, '..', 'segments', '00000001.segment'), '')],
  ['a file of others', (path) => writeFile(join(path, '..', 'notes.txt'), 'mine')],
])('a damaged store with %s may have held something, and is refused', async (_, change) => {
  const directory = await makeBlank(change, 'log');
  await writeFile(join(directory, 'CURRENT'), '');
  await expect(openJournal({ directory })).rejects.toMatchObject({ kind: 'corrupt' });
});

test('a store without its log may have held something, and is refused', async () => {
  const directory = await makeBlank(remove, 'log');
  await expect(openJournal({ directory })).rejects.toMatchObject({ kind: 'corrupt' });
});

test('tables beside a manifest that is cut off before it names a log are damage', async () => {
  const directory = await makeTemporaryDirectory();
  const level = new Level(directory);
  await level.open();
  await level.close();
  const manifest = await fileIn(directory, 'MANIFEST');
  await writeFile(manifest, (await readFile(manifest)).subarray(0, FIRST_RECORD_BYTES));
  await writeFile(join(directory, '000009.ldb'), '');
  await expect(openJournal({ directory })).rejects.toThrow(/MANIFEST-\d+ is not what was written/);
});

test('a journal can be opened again and again, and keeps what each run has added', async () => {
  const directory = await makeTemporaryDirectory();
  for (let life = 1; life <= 5; life++) {
    const journal = await openJournal({ directory });
    await recover(journal);
    await journal.append([queuePut(), ...send(life, life)]);
    await journal.close();
    expect(await numbersKeptIn(directory)).toEqual(numbersUpTo(life));
  }
});
