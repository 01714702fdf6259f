// The room on the disk: when new contents are refused, and when they are taken again.

import { expect, test } from 'vitest';
import { DiskRoom } from '../../src/journal/disk-room.js';

const MEBIBYTE = 1024 * 1024;

function watchDisk() {
  const disk = { freeBytes: 100 * MEBIBYTE, nowMs: 0, askedCount: 0, warnings: [] as string[] };
  const freeBytes = () => {
    disk.askedCount += 1;
    return disk.freeBytes;
  };
  const room = new DiskRoom(
    { freeBytes },
    { location: '/data/journal', warn: (text) => disk.warnings.push(text), clockMs: () => disk.nowMs },
  );
  return { disk, room };
}

test('with room on the disk nothing is refused and nothing said', () => {
  const { disk, room } = watchDisk();
  for (let count = 0; count < 10; count++) room.noteWritten(4 * MEBIBYTE);
  expect(room.refusal).toBeUndefined();
  expect(disk.warnings).toEqual([]);
});

test('below 48 MB contents are refused with the room that is left and what to do, and a warning says so once', () => {
  const { disk, room } = watchDisk();
  disk.freeBytes = 48 * MEBIBYTE - 1;
  room.noteWritten(1);
  const refusal =
    'The disk of /data/journal has 47 MB left; 48 MB are kept for receiving and settling. Receive messages, or make room for 64 MB.';
  expect(room.refusal).toBe(refusal);
  disk.nowMs += 5000;
  expect(room.refusal).toBe(refusal);
  expect(disk.warnings).toEqual([`New messages are refused: ${refusal}`]);
});

test('they are taken again from 64 MB on, within a second of it, and refused with the present room before', () => {
  const { disk, room } = watchDisk();
  disk.freeBytes = 0;
  room.noteWritten(1);
  disk.freeBytes = 64 * MEBIBYTE - 1;
  disk.nowMs = 1000;
  expect(room.refusal).toContain('has 63 MB left');
  disk.freeBytes = 64 * MEBIBYTE;
  disk.nowMs = 1999;
  expect(room.refusal).toBeDefined();
  disk.nowMs = 2000;
  expect(room.refusal).toBeUndefined();
  expect(disk.warnings.at(-1)).toBe('New messages are accepted again: the disk of /data/journal has room.');
});

test('the disk is asked with the first write, then after each 4 MB', () => {
  const { disk, room } = watchDisk();
  room.noteWritten(1);
  expect(disk.askedCount).toBe(1);
  room.noteWritten(4 * MEBIBYTE - 1);
  expect(room.refusal).toBeUndefined();
  expect(disk.askedCount).toBe(1);
  room.noteWritten(1);
  expect(disk.askedCount).toBe(2);
});

test('a disk that does not say its room refuses nothing', () => {
  const freeBytes = () => {
    throw new Error('ENOSYS');
  };
  const room = new DiskRoom({ freeBytes }, { location: '/data/journal' });
  room.noteWritten(4 * MEBIBYTE);
  expect(room.refusal).toBeUndefined();
});
