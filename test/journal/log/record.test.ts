// Batches as records of the log: what was written is read again, and damage is seen.

import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Batch,
  type ReadRecords,
  RecordWriter,
  type RowChange,
  readRecords,
} from '../../../src/journal/log/record.js';

const SEGMENT = 7;
const SMALL: readonly Batch[] = [
  { rows: [['Q1', '{"name":"orders"}']], contents: [] },
  { rows: [['m1', '{"id":"ä€𝄞"}']], contents: [content(1, 'first'), content(2, '')] },
  { rows: [['m1', undefined]], contents: [] },
  { rows: [], contents: [content(3, 'third')] },
];

function content(contentId: number, text: string) {
  return { contentId, bytes: Buffer.from(text) };
}

function encode(batches: readonly Batch[], segment = SEGMENT, start = 0): Buffer {
  const writer = new RecordWriter();
  let log = Buffer.alloc(start);
  for (const batch of batches) {
    const length = writer.encode(batch);
    const record = Buffer.concat(writer.finish(segment, log.length));
    expect(record.length).toBe(length);
    log = Buffer.concat([log, record]);
  }
  return log;
}

function read(bytes: Buffer, { isSealed = false, segment = SEGMENT, start = 0 } = {}): ReadRecords {
  return readRecords(bytes, segment, { offset: start, shift: 0 }, { isSealed });
}

/** The batches as they were given, undefined for a content whose bytes are others. */
function batchesIn(bytes: Buffer, { records }: ReadRecords) {
  return records.map(({ rows, eachContent }) => {
    const contents: (readonly [number, string | undefined])[] = [];
    eachContent((contentId, offset, length, checksum) => {
      const found = bytes.subarray(offset, offset + length);
      contents.push([contentId, crc32(found) === checksum ? found.toString('latin1') : undefined]);
    });
    return { rows, contents };
  });
}

function plain(batches: readonly Batch[]) {
  return batches.map(({ rows, contents }) => ({
    rows,
    contents: contents.map(({ contentId, bytes }) => [contentId, Buffer.from(bytes).toString('latin1')]),
  }));
}

const text = fc.string({ unit: 'binary' }).map((any) => any.replaceAll('\n', ''));
const key = fc.string({ unit: 'grapheme-ascii', minLength: 1 }).map((any) => `m${any.replaceAll(' ', '')}`);
const row: fc.Arbitrary<RowChange> = fc.tuple(key, fc.option(text, { nil: undefined }));
const size = fc.oneof(
  fc.nat(40),
  fc.integer({ min: 16_380, max: 16_390 }),
  fc.integer({ min: 0, max: 300_000 }),
);
const anyContent = fc.record({
  contentId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  bytes: fc.tuple(size, fc.nat(255)).map(([length, value]) => new Uint8Array(length).fill(value)),
});
const batch: fc.Arbitrary<Batch> = fc
  .record({ rows: fc.array(row), contents: fc.array(anyContent, { maxLength: 4 }) })
  .filter(({ rows, contents }) => rows.length + contents.length > 0);

describe('records', () => {
  it('are read as they were written, whatever the rows and the sizes of the contents', () => {
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 4 }), fc.boolean(), (batches, isSealed) => {
        const log = encode(batches);
        const found = read(log, { isSealed });
        expect(batchesIn(log, found)).toEqual(plain(batches));
        expect(found).toMatchObject({ end: log.length, state: 'whole' });
      }),
      { numRuns: 50 },
    );
  });

  it('are read in slices, so that they may be longer than a text can be', () => {
    const rows = Array.from({ length: 9 }, (_, index): RowChange => [`m${index}`, 'ä'.repeat(300_000)]);
    const log = encode([{ rows, contents: [] }]);
    expect(read(log).records[0]?.rows).toEqual(rows);
  });

  it('cannot have more bytes than a segment may', () => {
    const largest = { contentId: 1, bytes: { length: 2 ** 31 } as Uint8Array };
    expect(() => new RecordWriter().encode({ rows: [], contents: [largest] })).toThrow(
      'is too large to be stored',
    );
  });

  it('list their contents before they are read', () => {
    const writer = new RecordWriter();
    const length = writer.encode({ rows: [], contents: [content(5, 'five'), content(6, 'sixth')] });
    const places: number[][] = [];
    writer.eachContent(1000, (contentId, offset, size) => places.push([contentId, offset, size]));
    expect(places).toEqual([
      [5, 1000 + length - 9, 4],
      [6, 1000 + length - 5, 5],
    ]);
  });

  it('begin at any offset', () => {
    const log = encode(SMALL, SEGMENT, 100);
    const found = read(log, { start: 100 });
    expect(batchesIn(log, found)).toEqual(plain(SMALL));
  });

  it('end at zeros', () => {
    const log = encode(SMALL);
    const found = read(Buffer.concat([log, Buffer.alloc(200_000)]));
    expect(found).toMatchObject({ end: log.length, state: 'whole' });
    expect(found.records).toHaveLength(SMALL.length);
  });
});

describe('a log that is cut', () => {
  it.each([0, 1000])('has the batches before the cut, with %i zeros behind it', (zeros) => {
    const log = encode(SMALL);
    const ends = SMALL.map((_, index) => encode(SMALL.slice(0, index + 1)).length);
    for (let cut = 0; cut < log.length; cut++) {
      const bytes = Buffer.concat([log.subarray(0, cut), Buffer.alloc(zeros)]);
      const found = read(bytes);
      const count = ends.filter((end) => end <= cut).length;
      expect(batchesIn(bytes, found)).toEqual(plain(SMALL.slice(0, count)));
      const isTorn = log.subarray(found.end, cut).some((byte) => byte !== 0);
      expect([cut, found.state]).toEqual([cut, isTorn ? 'torn' : 'whole']);
    }
  });

  it('is damaged when it was sealed', () => {
    const log = encode(SMALL);
    const end = encode(SMALL.slice(0, -1)).length;
    for (let cut = end + 1; cut < log.length; cut++) {
      expect(read(log.subarray(0, cut), { isSealed: true })).toMatchObject({ end, state: 'damaged' });
    }
  });
});

describe('a flipped bit', () => {
  it.each([true, false])(
    'is found, or is in a content and damages that one alone (sealed: %s)',
    (isSealed) => {
      const log = encode(SMALL);
      const lastStart = encode(SMALL.slice(0, -1)).length;
      for (let bit = 0; bit < log.length * 8; bit++) {
        const bytes = Buffer.from(log);
        bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        const found = read(bytes, { isSealed });
        const batches = batchesIn(bytes, found);
        const lost = batches.flatMap(({ contents }) => contents).filter(([, read]) => read === undefined);
        if (found.state === 'whole') {
          expect([bit, lost.length, batches.length]).toEqual([bit, 1, SMALL.length]);
        } else {
          const isUnconfirmed = bit >> 3 >= lastStart && !isSealed;
          expect([bit, found.state]).toEqual([bit, isUnconfirmed ? 'torn' : 'damaged']);
          expect(batches).toEqual(plain(SMALL).slice(0, batches.length));
        }
      }
    },
  );
});

describe('a record in another place', () => {
  it.each([
    ['at another offset', encode(SMALL).subarray(encode(SMALL.slice(0, 1)).length), SEGMENT],
    ['in another segment', encode(SMALL), SEGMENT + 1],
  ])('is not read %s', (_, bytes, segment) => {
    expect(read(bytes, { isSealed: true, segment })).toMatchObject({ records: [], end: 0, state: 'damaged' });
  });
});

describe('bytes that are put in or taken out', () => {
  const MANY: readonly Batch[] = Array.from({ length: 9 }, (_, index) => ({
    rows: [[`m${index}`, 'x'.repeat(index * 5)]],
    contents: [content(index, 'y'.repeat(index * 7))],
  }));
  const log = encode(MANY);
  const ends = MANY.map((_, index) => encode(MANY.slice(0, index + 1)).length);

  it.each([1, 40, -1, -30])('cost one record, or two if they end in the next (%i bytes)', (count) => {
    for (let at = 0; at < (ends.at(-4) ?? 0); at++) {
      const added = Buffer.alloc(Math.max(count, 0), 0xa5);
      const bytes = Buffer.concat([log.subarray(0, at), added, log.subarray(at + Math.max(-count, 0))]);
      const { records, state, next } = read(bytes);
      expect([at, state, next?.shift]).toEqual([at, 'damaged', count]);
      if (next === undefined) continue;
      const following = readRecords(bytes, SEGMENT, next, { isSealed: false });
      expect(following).toMatchObject({ state: 'whole', end: bytes.length });
      const lastTwo = batchesIn(bytes, following).slice(-2);
      expect([at, lastTwo]).toEqual([at, plain(MANY).slice(-2)]);
      const lostCount = MANY.length - records.length - following.records.length;
      expect(lostCount).toBeLessThanOrEqual(count > 0 ? 1 : 2);
    }
  });
});

describe('the last record of a log that is not sealed', () => {
  it('is torn when a power cut has left a content without its bytes', () => {
    const log = encode([...SMALL.slice(0, 1), { rows: [['m9', 'x']], contents: [content(9, 'bytes')] }]);
    log.fill(0, log.length - 2);
    expect(read(log)).toMatchObject({ end: encode(SMALL.slice(0, 1)).length, state: 'torn' });
  });
});

it('keeps no content once its pieces are taken', () => {
  const writer = new RecordWriter();
  const large = { contentId: 1, bytes: Buffer.alloc(100_000) };
  writer.encode({ rows: [], contents: [large] });
  expect(writer.finish(SEGMENT, 0)).toContain(large.bytes);
  expect(writer.finish(SEGMENT, 0)).toEqual([]);
});
