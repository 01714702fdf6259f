// Reading contents from their segments: what lies behind one is read with it, and files are closed once nothing reads them.

import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ContentPlace } from '../../../src/journal/log/content-places.js';
import { ContentReader } from '../../../src/journal/log/content-reader.js';
import { segmentName } from '../../../src/journal/log/segment.js';
import { MemoryFiles } from '../../support/memory-files.js';

/** Larger than what is read at once. */
const LARGE_BYTES = 600_000;
const MOST_OPEN = 8;

function segmentOf(bytes: Buffer, segments = 1) {
  const files = new MemoryFiles();
  for (let segment = 1; segment <= segments; segment++) files.put(segmentName(segment), bytes);
  return { files, reader: new ContentReader(files) };
}

function placeOf(bytes: Buffer, offset: number, length: number, segment = 1): ContentPlace {
  return { segment, offset, length, checksum: crc32(bytes.subarray(offset, offset + length)) };
}

function bytesOf(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let index = 0; index < length; index++) bytes[index] = (index * 31) >> 3;
  return bytes;
}

/** As a whole: byte by byte takes seconds. */
function expectBytes(read: Uint8Array | undefined, expected: Buffer): void {
  expect(read).toBeDefined();
  expect(expected.equals(read as Uint8Array)).toBe(true);
}

function readCount(files: MemoryFiles): number {
  return files.operations.filter(([operation]) => operation === 'read').length;
}

describe('a content', () => {
  it.each([0, 1, 5000, 20_000, 131_072, 131_073, LARGE_BYTES])('of %i bytes is read', async (length) => {
    const bytes = bytesOf(LARGE_BYTES + 10);
    const { reader } = segmentOf(bytes);
    const place = placeOf(bytes, 7, length);
    const expected = bytes.subarray(7, 7 + length);
    expectBytes(await reader.read(place), expected);
    expectBytes(await reader.read(place), expected);
    expectBytes(reader.readNow(place), expected);
  });

  it('is read with those behind it', async () => {
    const bytes = bytesOf(10_000);
    const { files, reader } = segmentOf(bytes);
    for (let offset = 100; offset < 10_000; offset += 100) {
      expect(await reader.read(placeOf(bytes, offset, 100))).toEqual(bytes.subarray(offset, offset + 100));
    }
    expect(readCount(files)).toBe(1);
  });

  it('is there without a wait once it was read with one before it', async () => {
    const bytes = bytesOf(20_000);
    const { files, reader } = segmentOf(bytes);
    expect(reader.readLoaded(placeOf(bytes, 500, 100))).toBeUndefined();
    await reader.read(placeOf(bytes, 100, 100));
    expect(reader.readLoaded(placeOf(bytes, 500, 100))).toEqual(bytes.subarray(500, 600));
    expect(reader.readLoaded(placeOf(bytes, 600, 17_000))).toEqual(bytes.subarray(600, 17_600));
    expect(reader.readLoaded({ ...placeOf(bytes, 500, 100), checksum: 1 })).toBeUndefined();
    expect(reader.readLoaded(placeOf(bytes, 0, 100))).toBeUndefined(); // it lies before what was read
    expect(readCount(files)).toBe(1);
  });

  it('that is large and lies in order with others is read into the same memory again and again', async () => {
    const bytes = bytesOf(16 * 1024 * 1024);
    const { reader } = segmentOf(bytes);
    const memories = new Set<ArrayBufferLike>();
    let copyCount = 0;
    const length = 70_000;
    for (let offset = 0; offset + length < bytes.length; offset += length) {
      const place = placeOf(bytes, offset, length);
      expect(reader.isNear(place)).toBe(reader.readLoaded(place) !== undefined);
      const view = reader.readLoaded(place);
      if (view !== undefined) memories.add(view.buffer);
      else copyCount += 1;
      expectBytes(view ?? (await reader.read(place)), bytes.subarray(offset, offset + length));
    }
    // Seven lie in a window, and the first of them opens it. Eight windows are open, and two more memories wait for one.
    expect(copyCount).toBeLessThan(40);
    expect(memories.size).toBeLessThanOrEqual(10);
  });

  it('that is waited for keeps the memory of its window, however many are opened meanwhile', async () => {
    const bytes = bytesOf(16 * 1024 * 1024);
    const { reader } = segmentOf(bytes);
    const places = Array.from({ length: 24 }, (_, index) => placeOf(bytes, index * 600_000, 70_000));
    // The same window for each two, all at once, and then again from the first.
    const reads = [...places, ...places].flatMap((place) => [
      [place, reader.read(place)] as const,
      [{ ...place, ...placeOf(bytes, place.offset + 70_000, 70_000) }, undefined] as const,
    ]);
    for (const [place, read] of reads) {
      const expected = bytes.subarray(place.offset, place.offset + place.length);
      expectBytes(await (read ?? reader.read(place)), expected);
    }
  });

  it('that was not yet written when its neighbours were read is read again', async () => {
    const bytes = bytesOf(3000);
    const files = new MemoryFiles();
    const file = files.create(segmentName(1));
    const reader = new ContentReader(files);
    for (const offset of [0, 1000, 2000]) {
      file.write(bytes.subarray(offset, offset + 1000), offset);
      expect(await reader.read(placeOf(bytes, offset, 1000))).toEqual(bytes.subarray(offset, offset + 1000));
    }
  });

  it('that is small keeps no more than its own bytes', async () => {
    const bytes = bytesOf(10_000);
    const { reader } = segmentOf(bytes);
    const place = placeOf(bytes, 0, 100);
    for (const content of [await reader.read(place), reader.readLoaded(place), reader.readNow(place)]) {
      expect(content?.buffer.byteLength).toBe(100);
    }
  });

  it.each([
    ['has another bit', (bytes: Buffer) => bytes.fill(bytes.readUInt8(150) ^ 1, 150, 151)],
    ['is cut off', (bytes: Buffer) => bytes.subarray(0, 150)],
  ])('that %s is undefined, and its neighbour is read', async (_, damage) => {
    const bytes = bytesOf(1000);
    const { reader } = segmentOf(damage(Buffer.from(bytes)));
    expect(await reader.read(placeOf(bytes, 100, 100))).toBeUndefined();
    expect(reader.readNow(placeOf(bytes, 100, 100))).toBeUndefined();
    expect(await reader.read(placeOf(bytes, 0, 100))).toEqual(bytes.subarray(0, 100));
  });

  it('that a failing disk does not give can be read later', async () => {
    const bytes = bytesOf(1000);
    const { files, reader } = segmentOf(bytes);
    files.fail('read', { code: 'EIO' });
    await expect(reader.read(placeOf(bytes, 0, 100))).rejects.toMatchObject({ code: 'EIO' });
    expect(await reader.read(placeOf(bytes, 0, 100))).toEqual(bytes.subarray(0, 100));
  });
});

describe('files', () => {
  it(`are open for at most ${MOST_OPEN} segments`, async () => {
    const bytes = bytesOf(1000);
    const { files, reader } = segmentOf(bytes, 20);
    for (let segment = 1; segment <= 20; segment++) await reader.read(placeOf(bytes, 0, 100, segment));
    expect(files.openCount).toBe(MOST_OPEN);
    for (let segment = 1; segment <= 20; segment++) reader.readNow(placeOf(bytes, 0, 100, segment));
    expect(files.openCount).toBe(MOST_OPEN);
    reader.close();
    expect(files.openCount).toBe(0);
  });

  it('of the segments read last stay open', async () => {
    const bytes = bytesOf(1000);
    const { files, reader } = segmentOf(bytes, MOST_OPEN + 1);
    for (let segment = 1; segment <= MOST_OPEN; segment++) reader.readNow(placeOf(bytes, 0, 100, segment));
    reader.readNow(placeOf(bytes, 0, 100, 1));
    reader.readNow(placeOf(bytes, 0, 100, MOST_OPEN + 1));
    files.operations.length = 0;
    reader.readNow(placeOf(bytes, 0, 100, 1));
    expect(files.operations).toEqual([['read', segmentName(1)]]);
  });

  it.each([
    ['small', 100],
    ['large', LARGE_BYTES],
  ])('of a segment that is forgotten are closed after the reads that have begun (%s)', async (_, length) => {
    const bytes = bytesOf(LARGE_BYTES);
    const { files, reader } = segmentOf(bytes);
    files.hold();
    const reading = reader.read(placeOf(bytes, 0, length));
    reader.forget(1);
    expect(files.openCount).toBe(1);
    files.release();
    expectBytes(await reading, bytes.subarray(0, length));
    expect(files.openCount).toBe(0);
  });
});
