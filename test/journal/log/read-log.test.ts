// What a start finds in the log: after a clean stop, after a kill, and with damage.

import { describe, expect, it } from 'vitest';
import { segmentName, TRAILER_BYTES } from '../../../src/journal/log/segment.js';
import { appendTo, batchOf, load, numbersIn, SEGMENT_BYTES, startLog } from '../../support/log-builders.js';
import { MemoryFiles } from '../../support/memory-files.js';

const [FIRST, SECOND, THIRD, FOURTH] = [1, 2, 3, 4].map(segmentName) as [string, string, string, string];

/** Batches 1 to 8, three to a segment; the third is being written. */
async function killedLog(count = 8) {
  const { files, log } = startLog();
  await appendTo(log, 1, count);
  return { files: files.kill(), log };
}

function change(files: MemoryFiles, name: string, change: (bytes: Buffer) => Buffer): void {
  files.put(name, change(files.bytesOf(name)));
}

function flip(offset: number): (bytes: Buffer) => Buffer {
  return (bytes) => {
    const at = offset < 0 ? bytes.length + offset : offset;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return bytes;
  };
}

describe('the log of a process', () => {
  it('is empty without files', async () => {
    const loaded = await load(new MemoryFiles());
    expect(loaded).toMatchObject({ lastSegment: 0, nextContentId: 1, damage: undefined, warnings: [] });
    expect(loaded.changes.size).toBe(0);
  });

  it('that was killed has all batches, and the last segment without a seal', async () => {
    const { files } = await killedLog();
    const loaded = await load(files);
    expect(numbersIn(loaded)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(loaded).toMatchObject({ lastSegment: 3, nextContentId: 9, damage: undefined, warnings: [] });
    expect(loaded.unsealed).toMatchObject([{ segment: 3, kind: 'being-written' }]);
  });

  it('that stopped cleanly is sealed, and the next begins with the segment after it', async () => {
    const { files, log } = startLog();
    await appendTo(log, 1, 8);
    await log.close();
    const loaded = await load(files, { ...log.position, isClean: true });
    expect(loaded).toMatchObject({ unsealed: [], lastSegment: 3, damage: undefined, warnings: [] });
    expect(numbersIn(loaded)).toEqual([]);
    expect([...loaded.sealed.keys()]).toEqual([1, 2, 3]);
    expect(loaded.places.find(8)?.segment).toBe(3);
  });

  it('that was killed before the first mark after a clean stop has no gap', async () => {
    const { files, log } = startLog();
    await appendTo(log, 1, 3);
    await log.close();
    const mark = { ...log.position, isClean: false };
    const next = startLog({ files, loaded: await load(files, mark) });
    await appendTo(next.log, 4, 4);
    const loaded = await load(files, mark);
    expect(loaded.damage).toBeUndefined();
    expect(numbersIn(loaded)).toEqual([4]);
  });
});

describe('the mark', () => {
  it.each([
    ['before everything', { segment: 1, offset: 0 }, [1, 2, 3, 4, 5, 6, 7, 8]],
    ['at the end of a segment', { segment: 2, offset: 0 }, [4, 5, 6, 7, 8]],
    ['behind everything', { segment: 4, offset: 0 }, []],
  ])('%s leaves the batches behind it', async (_, mark, left) => {
    const { files } = await killedLog();
    expect(numbersIn(await load(files, mark))).toEqual(left);
  });

  it('inside a segment leaves the batches behind it, and the places of all contents', async () => {
    for (const count of [2, 5]) {
      const { files, log } = startLog();
      await appendTo(log, 1, count);
      const mark = log.position;
      await appendTo(log, count + 1, 5);
      const loaded = await load(files, mark);
      expect(numbersIn(loaded)).toEqual([1, 2, 3, 4, 5].slice(count));
      expect([1, 2, 3, 4, 5].filter((contentId) => loaded.places.has(contentId))).toHaveLength(5);
    }
  });

  it('behind the end of a segment that was cut is told by a warning, and the next batches follow it', async () => {
    const { files, log } = await killedLog();
    const mark = log.position;
    change(files, THIRD, (bytes) => bytes.subarray(0, bytes.length - 1));
    const loaded = await load(files, mark);
    expect(loaded.damage).toBeUndefined();
    expect(loaded.warnings).toHaveLength(1);
    expect(loaded.warnings[0]).toContain(`instead of at least ${mark.offset}`);
    expect(loaded.unsealed).toMatchObject([{ kind: 'being-written' }]);
  });

  it('in a segment of zeros is told by a warning, and the segment is not taken for one that was prepared', async () => {
    const { files, log } = await killedLog();
    change(files, THIRD, (bytes) => Buffer.alloc(bytes.length));
    const loaded = await load(files, log.position);
    expect(loaded.warnings).toHaveLength(1);
    expect(loaded.unsealed).toMatchObject([{ kind: 'being-written', end: 0 }]);
    expect(loaded.lastSegment).toBe(3);
  });
});

describe('a missing segment', () => {
  it.each([
    ['first', FIRST, undefined],
    ['middle', SECOND, { segment: 1, offset: 0 }],
    ['marked', SECOND, { segment: 2, offset: 20 }],
  ])('is damage behind the mark (the %s one)', async (_, name, mark) => {
    const { files } = await killedLog();
    await files.remove(name);
    expect((await load(files, mark)).damage).toBe(`${name} is missing`);
  });

  it('is damage when it is the last, and the mark is in it', async () => {
    const { files, log } = await killedLog();
    const mark = log.position;
    await files.remove(THIRD);
    expect((await load(files, mark)).damage).toBe(`${THIRD} is missing`);
  });

  it('is none before the mark', async () => {
    const { files, log } = await killedLog();
    await files.remove(FIRST);
    expect((await load(files, log.position)).damage).toBeUndefined();
  });
});

describe('a full segment', () => {
  it.each([
    ['a list that was damaged', flip(-TRAILER_BYTES - 1)],
    ['a trailer that was damaged', flip(-1)],
    ['an end that was cut', (bytes: Buffer) => bytes.subarray(0, bytes.length - 1)],
    ['zeros behind it', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(10)])],
  ])('with %s has lost its list, which is damage behind the mark', async (_, damage) => {
    const { files } = await killedLog();
    change(files, SECOND, damage);
    const loaded = await load(files, { segment: 1, offset: 0 });
    expect(loaded.damage).toContain(SECOND);
  });

  it('without its list before the mark is read record by record, is left as it is, and is told by a warning', async () => {
    const { files, log } = await killedLog();
    change(files, SECOND, flip(-1));
    const loaded = await load(files, log.position);
    expect(loaded.damage).toBeUndefined();
    expect(loaded.warnings).toEqual([`${SECOND} has lost the list of its contents.`]);
    expect(loaded.unsealed).toMatchObject([{ segment: 2, kind: 'damaged' }, { segment: 3 }]);
    expect([4, 5, 6].map((contentId) => loaded.places.find(contentId)?.segment)).toEqual([2, 2, 2]);
  });

  it('with a damaged record is damage behind the mark, and is not read before it', async () => {
    const { files, log } = await killedLog();
    change(files, SECOND, flip(30));
    expect((await load(files, { segment: 2, offset: 0 })).damage).toContain(
      'is not what was written from byte 0',
    );
    expect((await load(files, log.position)).damage).toBeUndefined();
  });

  it('with the name of another is damage', async () => {
    const { files } = await killedLog();
    const [first, second] = [files.bytesOf(FIRST), files.bytesOf(SECOND)];
    files.put(FIRST, second);
    files.put(SECOND, first);
    expect((await load(files)).damage).toContain(FIRST);
  });
});

describe('the last segment after a kill', () => {
  it('may end in a part of a batch, which is told and no damage', async () => {
    const { files } = await killedLog();
    change(files, THIRD, (bytes) => bytes.subarray(0, bytes.length - 1));
    const loaded = await load(files, { segment: 1, offset: 0 });
    expect(numbersIn(loaded)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(loaded).toMatchObject({ damage: undefined, unsealed: [{ segment: 3, kind: 'being-written' }] });
    expect(loaded.warnings).toEqual([]);
    expect(loaded.tornEnd).toContain('bytes that are not a whole batch');
  });

  it('may have nothing but a part of a batch', async () => {
    const { files } = await killedLog(7);
    change(files, THIRD, (bytes) => bytes.subarray(0, 30));
    const loaded = await load(files, { segment: 1, offset: 0 });
    expect(loaded).toMatchObject({ damage: undefined, unsealed: [{ kind: 'being-written', end: 0 }] });
    expect(loaded.lastSegment).toBe(3);
  });

  it('is damaged when whole batches follow a damaged one', async () => {
    const { files } = await killedLog();
    change(files, THIRD, flip(30));
    expect((await load(files, { segment: 1, offset: 0 })).damage).toContain(THIRD);
  });

  it('does not follow a clean stop', async () => {
    const { files, log } = startLog();
    await appendTo(log, 1, 3);
    await log.close();
    const mark = { ...log.position, isClean: true };
    const next = startLog({ files, loaded: await load(files, mark) });
    await appendTo(next.log, 4, 4);
    await next.log.close();
    expect((await load(files, mark)).damage).toContain(SECOND);
  });

  it('is not the last after a clean stop: the list of each must be there', async () => {
    const { files, log } = startLog();
    await appendTo(log, 1, 4);
    await log.close();
    change(files, SECOND, flip(-1));
    const loaded = await load(files, { ...log.position, isClean: true });
    expect(loaded.unsealed).toMatchObject([{ segment: 2, kind: 'damaged' }]);
    expect(loaded.warnings).toHaveLength(1);
  });
});

describe('prepared segments', () => {
  it('follow the last that was written, and their number is free', async () => {
    const { files } = await killedLog();
    files.put(FOURTH, Buffer.alloc(SEGMENT_BYTES));
    const loaded = await load(files, { segment: 1, offset: 0 });
    expect(loaded).toMatchObject({ damage: undefined, warnings: [], lastSegment: 3 });
    expect(loaded.unsealed).toMatchObject([
      { segment: 3, kind: 'being-written' },
      { segment: 4, kind: 'prepared' },
    ]);
  });

  it('are damage before another that was written', async () => {
    const { files } = await killedLog();
    change(files, SECOND, (bytes) => Buffer.alloc(bytes.length));
    expect((await load(files, { segment: 1, offset: 0 })).damage).toContain(SECOND);
  });
});

describe('a batch', () => {
  it('that is read twice, or after a later one is there, changes nothing', async () => {
    const { files, log } = startLog();
    log.append(batchOf(1));
    log.append({ rows: [['m1', 'changed']], contents: [] });
    log.append({ rows: [['m1', undefined]], contents: [] });
    const { changes } = await load(files);
    expect([...changes]).toEqual([['m1', undefined]]);
  });
});
