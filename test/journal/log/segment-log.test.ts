// Appending to the log: segments of a fixed size, syncs, and what follows a failure.

import { describe, expect, it, vi } from 'vitest';
import { segmentName } from '../../../src/journal/log/segment.js';
import { Random } from '../../simulation/random.js';
import { appendTo, batchOf, load, numbersIn, SEGMENT_BYTES, startLog } from '../../support/log-builders.js';
import { MemoryFiles } from '../../support/memory-files.js';

const [FIRST, SECOND, THIRD] = [segmentName(1), segmentName(2), segmentName(3)] as const;
const SLOW_MS = 20;

/** A clock that a sync moves on by the time the disk takes. */
function diskOf(ms: number) {
  let now = 0;
  const files = new MemoryFiles();
  files.beforeChange = () => {
    now += ms;
  };
  return { files, clockMs: () => now };
}

/** Lets a disk be known as slow. */
async function startOnSlowDisk() {
  const under = startLog({ isSynced: true, segmentBytes: 100_000, ...diskOf(SLOW_MS) });
  await appendTo(under.log, 1, 2);
  expect(under.files.syncCounts.thread).toBeGreaterThan(0);
  return under;
}

describe('segments', () => {
  it('take batches until the next would exceed their size', async () => {
    const { files, log } = startLog();
    await appendTo(log, 1, 7);
    expect(files.names).toEqual([FIRST, SECOND, THIRD]);
    const { changes, sealed } = await load(files);
    expect([...changes.keys()]).toEqual(['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7']);
    expect([...sealed.keys()]).toEqual([1, 2]);
    expect(log.sealed).toEqual(sealed);
  });

  it('have a batch alone that is larger than they are', async () => {
    const { files, log } = startLog();
    log.append(batchOf(1));
    log.append(batchOf(2, SEGMENT_BYTES * 3));
    log.append(batchOf(3));
    const { places } = await load(files);
    expect([1, 2, 3].map((contentId) => places.find(contentId)?.segment)).toEqual([1, 2, 3]);
  });

  it('have the places of their contents', async () => {
    const { files, log, places } = startLog();
    await appendTo(log, 1, 5);
    const loaded = await load(files);
    for (let contentId = 1; contentId <= 5; contentId++) {
      expect(places.find(contentId)).toEqual(loaded.places.find(contentId));
    }
    expect(loaded.nextContentId).toBe(6);
  });

  it('stay until the next start, and are not tried again, if the system refuses to delete one', async () => {
    const { files, log } = startLog();
    await appendTo(log, 1, 4);
    await log.close();
    const { segment, offset } = log.position;
    const remove = vi.spyOn(files, 'remove').mockRejectedValueOnce(new Error('EBUSY'));
    await log.remove([1, 2]);
    expect([...log.sealed.keys()]).toEqual([]);
    expect(remove).toHaveBeenCalledTimes(2);
    const loaded = await load(files, { segment, offset, isClean: true });
    expect([...loaded.sealed.keys()]).toEqual([1]);
    expect(loaded).toMatchObject({ damage: undefined, warnings: [] });
  });

  it('are numbered on after the last was deleted', async () => {
    const { files, log } = startLog();
    await appendTo(log, 1, 4);
    await log.close();
    const { segment, offset } = log.position;
    await log.remove([1, 2]);
    expect(files.names).toEqual([]);
    const { lastSegment } = await load(files, { segment, offset, isClean: true });
    expect(lastSegment).toBe(2);
  });
});

describe('a sync', () => {
  it('is none unless the log is synced', async () => {
    const { files, log } = startLog();
    await appendTo(log, 1, 4);
    expect(files.syncCounts).toEqual({ now: 0, thread: 0 });
  });

  it('is one of the file for each batch', async () => {
    const { files, log } = startLog({ isSynced: true, segmentBytes: 100_000, clockMs: () => 0 });
    await appendTo(log, 1, 5);
    expect(files.syncCounts.now).toBe(5);
  });

  it('is waited for on a fast disk, and is left to a thread on a slow one', async () => {
    const fast = startLog({ isSynced: true, segmentBytes: 100_000, ...diskOf(0.2) });
    await appendTo(fast.log, 1, 20);
    const slow = startLog({ isSynced: true, segmentBytes: 100_000, ...diskOf(SLOW_MS) });
    await appendTo(slow.log, 1, 20);
    // One more is that of the file which was filled for the next segment.
    expect(fast.files.syncCounts.now).toBe(20);
    expect(slow.files.syncCounts.now).toBe(1);
  });

  it('waits for the disk again once it has become fast', async () => {
    const disk = diskOf(0);
    const { files, log } = startLog({ isSynced: true, segmentBytes: 1_000_000, ...disk });
    files.beforeChange = () => {};
    await appendTo(log, 1, 3);
    expect(files.syncCounts.now).toBe(3);
  });

  it('by a thread does not end with a file that was closed meanwhile', async () => {
    const { files, log } = await startOnSlowDisk();
    files.hold();
    log.append(batchOf(3));
    const syncing = log.sync();
    log.append(batchOf(4, 200_000));
    files.release();
    await expect(syncing).resolves.toBeUndefined();
    await turns();
    expect(files.openCount).toBe(2);
  });

  it('comes before a record that would follow one the disk may not have', async () => {
    const { files, log } = await startOnSlowDisk();
    files.hold();
    log.append(batchOf(3));
    const syncing = log.sync();
    const before = files.syncCounts.now;
    log.append(batchOf(4));
    expect(files.syncCounts.now).toBe(before + 1);
    files.release();
    await syncing;
  });

  it('of a full segment comes before the names of the next', async () => {
    const { files, log } = startLog({ isSynced: true });
    await appendTo(log, 1, 3);
    files.operations.length = 0;
    log.append(batchOf(4));
    expect(files.operations).toEqual([
      ['write', FIRST],
      ['truncate', FIRST],
      ['sync', FIRST],
      ['syncFolder', ''],
      ['create', THIRD],
      ...files.operations.filter(([operation, name]) => operation === 'write' && name === SECOND),
    ]);
  });

  it('of the folder follows a deletion', async () => {
    const { files, log } = startLog({ isSynced: true });
    await appendTo(log, 1, 4);
    files.operations.length = 0;
    await log.remove([1]);
    expect(files.operations).toEqual([
      ['remove', FIRST],
      ['syncFolder', ''],
    ]);
  });

  it('brings the segments since one to the disk, and their names, also of a log that is not synced', async () => {
    const { files, log } = startLog();
    await appendTo(log, 1, 8);
    files.operations.length = 0;
    await log.syncFrom(2);
    const seen = files.operations.filter(([operation]) => operation.startsWith('sync'));
    expect(seen).toEqual([
      ['sync', SECOND],
      ['sync', THIRD],
      ['syncFolder', ''],
    ]);
  });
});

describe('the next segment of a synced log', () => {
  it('is filled with zeros beforehand', async () => {
    const { files, log } = startLog({ isSynced: true });
    log.append(batchOf(1));
    await turns();
    expect(files.bytesOf(SECOND)).toEqual(Buffer.alloc(SEGMENT_BYTES));
    await appendTo(log, 2, 4);
    expect(files.bytesOf(SECOND).length).toBe(SEGMENT_BYTES);
    expect(files.bytesOf(FIRST).length).toBeLessThan(SEGMENT_BYTES + 100);
    expect(numbersIn(await load(files))).toEqual([1, 2, 3, 4]);
  });

  it('is used as it is when it is needed before it is filled', async () => {
    const { files, log } = startLog({ isSynced: true });
    for (let number = 1; number <= 4; number++) log.append(batchOf(number));
    await turns();
    expect(files.bytesOf(SECOND).length).toBeLessThan(SEGMENT_BYTES);
    expect(numbersIn(await load(files))).toEqual([1, 2, 3, 4]);
  });

  it('is deleted at the end, and every file is closed', async () => {
    const { files, log } = startLog({ isSynced: true });
    await appendTo(log, 1, 4);
    await log.close();
    expect(files.names).toEqual([FIRST, SECOND]);
    expect(files.openCount).toBe(0);
    expect([...(await load(files)).sealed.keys()]).toEqual([1, 2]);
  });

  it('does not come back with a power cut', async () => {
    const { files, log } = startLog({ isSynced: true });
    await appendTo(log, 1, 4);
    await log.close();
    for (let seed = 1; seed <= 20; seed++) {
      const loaded = await load(files.powerCut(new Random(seed)), { ...log.position, isClean: true });
      expect(loaded).toMatchObject({ damage: undefined, warnings: [] });
    }
  });

  it('is not written when the log is abandoned', async () => {
    const { files, log } = startLog({ isSynced: true });
    await appendTo(log, 1, 2);
    const before = files.bytesOf(FIRST);
    await log.abandon();
    expect(files.names).toEqual([FIRST]);
    expect(files.bytesOf(FIRST)).toEqual(before);
    expect(files.openCount).toBe(0);
  });
});

describe('a failure', () => {
  it.each([
    ['a full disk', 'write', { code: 'ENOSPC', written: 10 }],
    ['a disk with an error', 'sync', { code: 'EIO' }],
  ] as const)('of %s is followed by nothing', async (_, operation, fault) => {
    const { files, log } = startLog({ isSynced: true, clockMs: () => 0 });
    await appendTo(log, 1, 1);
    await turns();
    files.fail(operation, fault);
    await expect(appendTo(log, 2, 2)).rejects.toMatchObject({ code: fault.code });
    const before = files.bytesOf(FIRST);
    expect(() => log.append(batchOf(3))).toThrow(fault.code);
    await expect(log.sync()).rejects.toMatchObject({ code: fault.code });
    expect(files.bytesOf(FIRST)).toEqual(before);
  });

  it('of a sync by a thread is followed by nothing', async () => {
    const { files, log } = await startOnSlowDisk();
    log.append(batchOf(3));
    files.fail('sync', { code: 'EIO' });
    await expect(log.sync()).rejects.toMatchObject({ code: 'EIO' });
    expect(() => log.append(batchOf(4))).toThrow('EIO');
  });

  it('of another sync meanwhile fails the sync by a thread, too', async () => {
    const { files, log } = await startOnSlowDisk();
    files.hold();
    log.append(batchOf(3));
    const syncing = log.sync();
    // A disk tells its error once, to whoever asks first.
    files.fail('sync', { code: 'EIO' });
    expect(() => log.append(batchOf(4))).toThrow('EIO');
    files.release();
    await expect(syncing).rejects.toMatchObject({ code: 'EIO' });
  });

  it('to open one more file leaves what was written before', async () => {
    const { files, log } = startLog();
    await appendTo(log, 1, 3);
    files.fail('create', { code: 'EMFILE' });
    expect(() => log.append(batchOf(4))).toThrow('EMFILE');
    expect(() => log.append(batchOf(4))).toThrow('EMFILE');
    expect(numbersIn(await load(files))).toEqual([1, 2, 3]);
  });

  it('to fill the next segment is none of the batches', async () => {
    const { files, log } = startLog({ isSynced: true });
    log.append(batchOf(1));
    files.fail('write', { code: 'ENOSPC', written: 100 });
    await turns();
    await appendTo(log, 2, 4);
    expect(numbersIn(await load(files))).toEqual([1, 2, 3, 4]);
  });

  it('to sync the zeros of the next segment is followed by nothing', async () => {
    const { files, log } = startLog({ isSynced: true, clockMs: () => 0 });
    log.append(batchOf(1));
    files.fail('sync', { code: 'EIO' });
    await turns();
    expect(() => log.append(batchOf(2))).toThrow('EIO');
  });
});

/** Lets the next segment be filled. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
}
