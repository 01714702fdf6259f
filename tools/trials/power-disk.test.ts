// Tests of what a disk may have after a power cut, from lines of strace.

import { expect, test } from 'vitest';
import { seededRandom } from '../../compat-tests/support/seeded-random.js';
import { PowerDisk } from './power-disk.js';
import { escaped, readTrace } from './trace.js';

const ROOT = '/disk';
const CUTS = 300;

/** `thread call`, each a microsecond after the one before. A text in it is printed as strace does. */
function diskAfter(...calls: readonly string[]): PowerDisk {
  const disk = new PowerDisk(ROOT);
  const lines = calls.map((call, index) => {
    const [, thread, rest = ''] = /^(\d) (.*)$/.exec(call) ?? [];
    const printed = rest
      .replaceAll(/"([^"]*)"/g, (_, text: string) => `"${escaped(text)}"`)
      .replaceAll(/<(\/[^>]*)>/g, (_, path: string) => `<${escaped(path)}>`);
    const duration = rest.endsWith('unfinished ...>') ? '' : ' <0.000000>';
    return `${thread}   1700000000.${String(index).padStart(6, '0')} ${printed}${duration}`;
  });
  for (const event of readTrace(lines.join('\n'), ROOT)) disk.note(event);
  return disk;
}

/** Each state that a cut leaves, as `name=text` of its files. */
function states(disk: PowerDisk): ReadonlySet<string> {
  const cuts = Array.from({ length: CUTS }, (_, seed) => disk.cut(seededRandom(seed)));
  return new Set(
    cuts.map((state) =>
      [...state]
        .flatMap(([path, content]) => (content === 'folder' ? [] : [`${path.slice(6)}=${content}`]))
        .join(' '),
    ),
  );
}

const CREATE_A = '1 openat(AT_FDCWD</>, "/disk/a", O_WRONLY|O_CREAT|O_CLOEXEC, 0666) = 3</disk/a>';
const WRITE_A = '1 write(3</disk/a>, "abc", 3) = 3';
const SYNC_A = '1 fdatasync(3</disk/a>) = 0';

test('what no sync has brought to the disk is there, or in part, or not', () => {
  expect(states(diskAfter(CREATE_A, WRITE_A))).toEqual(new Set(['', 'a=', 'a=a', 'a=ab', 'a=abc']));
});

test('what a finished sync has brought to the disk is always there', () => {
  expect(states(diskAfter(CREATE_A, WRITE_A, SYNC_A))).toEqual(new Set(['a=abc']));
});

test('a sync that fails or has not finished, and one of another file, brings nothing', () => {
  const all = new Set(['', 'a=', 'a=a', 'a=ab', 'a=abc']);
  expect(states(diskAfter(CREATE_A, WRITE_A, '1 fsync(3</disk/a>) = -1 EIO (Input/output error)'))).toEqual(
    all,
  );
  expect(states(diskAfter(CREATE_A, WRITE_A, '1 fsync(3</disk/a> <unfinished ...>'))).toEqual(all);
  expect(states(diskAfter(CREATE_A, WRITE_A, '1 close(3</disk/a>) = 0', SYNC_A))).toEqual(all);
});

test('a sync brings nothing that was written after it began', () => {
  const disk = diskAfter(
    CREATE_A,
    WRITE_A,
    '2 fdatasync(3</disk/a> <unfinished ...>',
    '1 pwrite64(3</disk/a>, "d", 1, 3) = 1',
    '2 <... fdatasync resumed>) = 0',
  );
  expect(states(disk)).toEqual(new Set(['a=abc', 'a=abcd']));
});

test('a sector never has a later write without an earlier one, and another sector may', () => {
  const disk = diskAfter(CREATE_A, SYNC_A, WRITE_A, '1 pwrite64(3</disk/a>, "x", 1, 3) = 1');
  expect([...states(disk)]).not.toContain('a=\0\0\0x');
  const far = diskAfter(CREATE_A, SYNC_A, WRITE_A, '1 pwrite64(3</disk/a>, "x", 1, 512) = 1');
  expect([...states(far)]).toContain(`a=${'\0'.repeat(512)}x`);
});

test('a file is cut, or not yet', () => {
  expect(states(diskAfter(CREATE_A, WRITE_A, SYNC_A, '1 ftruncate(3</disk/a>, 1) = 0'))).toEqual(
    new Set(['a=abc', 'a=a']),
  );
});

test('names change in their order, and for good once their folder was synced', () => {
  const calls = [
    CREATE_A,
    WRITE_A,
    SYNC_A,
    '1 rename("/disk/a", "/disk/b") = 0',
    '1 openat(AT_FDCWD</>, "/disk/c", O_WRONLY|O_CREAT|O_CLOEXEC, 0666) = 4</disk/c>',
    '1 unlink("/disk/b") = 0',
  ];
  expect(states(diskAfter(...calls))).toEqual(new Set(['a=abc', 'b=abc', 'b=abc c=', 'c=']));
  const folder = '1 openat(AT_FDCWD</>, "/disk", O_RDONLY|O_CLOEXEC) = 5</disk>';
  expect(states(diskAfter(...calls, folder, '1 fsync(5</disk>) = 0'))).toEqual(new Set(['c=']));
});
