// Cleaning the log: what is dead goes, and what lives in a mostly dead segment is appended anew.

import { describe, expect, it } from 'vitest';
import { Cleaner } from '../../../src/journal/log/cleaner.js';
import { ContentReader } from '../../../src/journal/log/content-reader.js';
import { segmentName } from '../../../src/journal/log/segment.js';
import type { LogOptions } from '../../../src/journal/log/segment-log.js';
import { appendTo, contentOf, load, startLog } from '../../support/log-builders.js';

const [FIRST, SECOND, THIRD] = [segmentName(1), segmentName(2), segmentName(3)] as const;
const GO_ON = () => false;

/** Batches 1 to 8, three to a segment, and the third is being written. */
async function startCleaning({
  toleratedBytes = 0,
  ...options
}: LogOptions & { toleratedBytes?: number } = {}) {
  const { files, places, log } = startLog(options);
  await appendTo(log, 1, 8);
  const reader = new ContentReader(files);
  return { files, places, log, reader, cleaner: new Cleaner(files, log, places, reader, toleratedBytes) };
}

describe('a segment without living contents', () => {
  it('is dead, and is deleted when the table has what made it so', async () => {
    const { files, places, cleaner } = await startCleaning();
    for (const contentId of [1, 2, 3]) places.delete(contentId);
    expect(cleaner.dead()).toEqual([1]);
    expect(files.names).toEqual([FIRST, SECOND, THIRD]);
    await cleaner.remove([1]);
    expect(files.names).toEqual([SECOND, THIRD]);
    expect(cleaner.dead()).toEqual([]);
  });

  it('stays while it is being written', async () => {
    const { places, cleaner } = await startCleaning();
    for (const contentId of [7, 8]) places.delete(contentId);
    expect(cleaner.dead()).toEqual([]);
  });

  it('is closed when it is deleted', async () => {
    const { files, places, reader, cleaner } = await startCleaning();
    const before = files.openCount;
    const place = places.find(1);
    expect(place && (await reader.read(place))).toEqual(contentOf(1));
    for (const contentId of [1, 2, 3]) places.delete(contentId);
    await cleaner.remove(cleaner.dead());
    expect(files.openCount).toBe(before);
  });
});

describe('a mostly dead segment', () => {
  it('is left while less is dead than is tolerated, or than is alive', async () => {
    const tolerant = await startCleaning({ toleratedBytes: 10_000 });
    for (const contentId of [1, 2, 4, 5]) tolerant.places.delete(contentId);
    expect(await tolerant.cleaner.copyLiving(GO_ON)).toBe(false);
    const strict = await startCleaning();
    strict.places.delete(1);
    expect(await strict.cleaner.copyLiving(GO_ON)).toBe(false);
  });

  it('is the one with the smallest share of living contents; they are appended anew, and it is dead', async () => {
    const { files, places, reader, cleaner } = await startCleaning();
    for (const contentId of [1, 4, 5]) places.delete(contentId);
    expect(await cleaner.copyLiving(GO_ON)).toBe(true);
    expect(cleaner.dead()).toEqual([2]);
    const place = places.find(6);
    expect(place?.segment).toBe(3);
    expect(place && (await reader.read(place))).toEqual(contentOf(6));
    await cleaner.remove([2]);
    const loaded = await load(files, { segment: 3, offset: 0 });
    expect(loaded.places.find(6)).toEqual(place);
  });

  it('is none that has living contents only, however small they are', async () => {
    const { files, places, log } = startLog();
    for (let contentId = 1; contentId <= 100; contentId++) {
      log.append({ rows: [], contents: [{ contentId, bytes: Buffer.from('tiny') }] });
    }
    const cleaner = new Cleaner(files, log, places, new ContentReader(files), 0);
    let copied = 0;
    while (copied < 20 && (await cleaner.copyLiving(GO_ON))) {
      copied += 1;
      await cleaner.remove(cleaner.dead());
    }
    expect(copied).toBeLessThan(20);
  });

  it('is copied a thousand contents at a time, however small they are', async () => {
    const { files, places, log } = startLog({ segmentBytes: 200_000 });
    const tiny = Array.from({ length: 2500 }, (_, index) => ({
      contentId: index + 1,
      bytes: Buffer.from('tiny'),
    }));
    log.append({ rows: [], contents: tiny });
    for (const contentId of [2501, 2502]) {
      log.append({ rows: [], contents: [{ contentId, bytes: Buffer.alloc(110_000) }] });
    }
    places.delete(2501);
    const lengths: number[] = [];
    const append = log.append.bind(log);
    log.append = (batch) => {
      lengths.push(batch.contents.length);
      return append(batch);
    };
    expect(await new Cleaner(files, log, places, new ContentReader(files), 0).copyLiving(GO_ON)).toBe(true);
    expect(lengths).toEqual([1000, 1000, 500]);
  });

  it('is deleted after its copies and their names are on the disk', async () => {
    const { files, places, cleaner } = await startCleaning();
    for (const contentId of [1, 4, 5]) places.delete(contentId);
    await cleaner.copyLiving(GO_ON);
    files.operations.length = 0;
    await cleaner.remove([2]);
    const seen = files.operations.filter(([operation]) =>
      ['sync', 'syncFolder', 'remove'].includes(operation),
    );
    expect(seen).toEqual([
      ['sync', THIRD],
      ['syncFolder', ''],
      ['remove', SECOND],
    ]);
  });

  it('is not copied further once that is stopped', async () => {
    const { files, places, cleaner } = await startCleaning();
    for (const contentId of [1, 4, 5]) places.delete(contentId);
    const before = files.bytesOf(THIRD);
    expect(await cleaner.copyLiving(() => true)).toBe(false);
    expect(files.bytesOf(THIRD)).toEqual(before);
    expect(places.find(6)?.segment).toBe(2);
  });

  it('leaves a content deleted that was deleted after it was read', async () => {
    const { files, places, cleaner } = await startCleaning();
    for (const contentId of [1, 4]) places.delete(contentId);
    places.delete(5);
    const before = files.bytesOf(THIRD);
    await cleaner.copyLiving(() => {
      places.delete(6);
      return false;
    });
    expect(places.has(6)).toBe(false);
    expect(files.bytesOf(THIRD)).toEqual(before);
    expect(cleaner.dead()).toEqual([2]);
  });
});

describe('a segment that cannot be copied in full', () => {
  it.each([
    ['a damaged content', 60],
    ['a damaged list', -20],
  ])('as it has %s stays, is not tried again, and goes when its contents are gone', async (_, at) => {
    const { files, places, log, cleaner } = await startCleaning();
    const bytes = files.bytesOf(FIRST);
    const offset = at < 0 ? bytes.length + at : at;
    bytes.writeUInt8(bytes.readUInt8(offset) ^ 1, offset);
    files.put(FIRST, bytes);
    for (const contentId of [2, 3, 4, 5]) places.delete(contentId);
    places.delete(6);
    expect(await cleaner.copyLiving(GO_ON)).toBe(true);
    expect(places.find(1)?.segment).toBe(1);
    const { position } = log;
    expect(await cleaner.copyLiving(GO_ON)).toBe(false);
    expect(log.position).toEqual(position);
    places.delete(1);
    expect(cleaner.dead()).toEqual([1, 2]);
  });

  it('as the disk does not give it stays, and the log goes on', async () => {
    const { files, places, log, cleaner } = await startCleaning();
    for (const contentId of [1, 2, 4, 5]) places.delete(contentId);
    files.fail('read', { code: 'EIO', after: 2 });
    expect(await cleaner.copyLiving(GO_ON)).toBe(true);
    await appendTo(log, 9, 9);
    expect(places.find(9)).toBeDefined();
  });
});
