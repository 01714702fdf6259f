// Large contents in memory that is used again: they stay as they were until they are released, and the memory stays the same.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Activity } from '../../src/broker/contract/activity.js';
import { ContentSlabs } from '../../src/engine/content-slabs.js';
import { ContentStore } from '../../src/engine/content-store.js';
import { deliver, removed } from '../support/engine-broker.js';
import { JournalByHand } from '../support/engine-journal.js';
import { settled, startEngine } from '../support/engine-under-test.js';

const MEBIBYTE = 1024 * 1024;
const BYTES = 65_600;

/** A content as a read of a socket has it: in memory that is used for the next one. */
const READ = Buffer.alloc(2 * MEBIBYTE + 1);
function readOf(contentId: number, byteLength = BYTES): Buffer {
  return READ.subarray(0, byteLength).fill(contentId);
}

function isWhole(content: Uint8Array | undefined, contentId: number, byteLength = BYTES): boolean {
  return content !== undefined && Buffer.alloc(byteLength, contentId).equals(content);
}

function storeOn(journal: { readonly forgetsContents: boolean }, budgetBytes: number): ContentStore {
  const unread = () => {
    throw new Error('nothing is read from the journal');
  };
  return new ContentStore(
    { ...journal, readContent: unread, readContentNow: unread, deleteContent: () => {} },
    budgetBytes,
  );
}

test('contents that come and go in order are always in the same memory', () => {
  const store = storeOn({ forgetsContents: true }, 8 * MEBIBYTE);
  const memories = new Set<ArrayBufferLike>();
  for (let contentId = 1; contentId <= 2000; contentId++) {
    const kept = store.add(contentId, readOf(contentId));
    memories.add(kept.buffer);
    store.becameDurable(1);
    expect(isWhole(store.get(contentId), contentId)).toBe(true);
    if (contentId > 30) store.release(contentId - 30);
  }
  expect(memories.size).toBeLessThanOrEqual(8);
});

test('contents that stay leave memory in their order, whose slabs take the next ones', () => {
  const store = storeOn({ forgetsContents: true }, 8 * MEBIBYTE);
  const memories = new Set<ArrayBufferLike>();
  for (let contentId = 1; contentId <= 1000; contentId++) {
    memories.add(store.add(contentId, readOf(contentId)).buffer);
    store.becameDurable(1);
  }
  expect(memories.size).toBeLessThanOrEqual(8);
  const inMemory = Array.from({ length: 1000 }, (_, index) => index + 1).filter(
    (id) => store.get(id) !== undefined,
  );
  expect(inMemory).toEqual(
    Array.from({ length: inMemory.length }, (_, index) => 1001 - inMemory.length + index),
  );
  expect(inMemory.length * BYTES).toBeGreaterThan(2 * MEBIBYTE);
  expect(inMemory.length * BYTES).toBeLessThanOrEqual(4 * MEBIBYTE);
  for (const id of inMemory) expect(isWhole(store.get(id), id)).toBe(true);
});

test('contents are whole until they are released, whatever comes and goes beside them', () => {
  const anyStep = fc.oneof(
    fc.record({
      kind: fc.constant('add' as const),
      bytes: fc.oneof(fc.integer({ min: 1, max: 300_000 }), fc.constant(BYTES)),
      isOwn: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('durable' as const) }),
    fc.record({ kind: fc.constant('release' as const), which: fc.nat() }),
  );
  const property = fc.property(
    fc.array(anyStep, { maxLength: 120 }),
    fc.boolean(),
    (steps, forgetsContents) => {
      const store = storeOn({ forgetsContents }, 6 * MEBIBYTE);
      const waiting = new Map<number, { kept: Uint8Array; bytes: number }>();
      const durable = new Map<number, number>();
      let lastId = 0;
      for (const step of steps) {
        if (step.kind === 'add') {
          lastId += 1;
          const read = readOf(lastId, step.bytes);
          waiting.set(lastId, {
            kept: store.add(lastId, step.isOwn ? new Uint8Array(read) : read),
            bytes: step.bytes,
          });
          READ.fill(0xee, 0, step.bytes);
        } else if (step.kind === 'durable') {
          for (const [id, { kept, bytes }] of waiting) {
            expect(isWhole(kept, id, bytes)).toBe(true);
            durable.set(id, bytes);
          }
          store.becameDurable(waiting.size);
          waiting.clear();
        } else {
          const id = [...durable.keys()][step.which % Math.max(1, durable.size)];
          if (id === undefined) continue;
          durable.delete(id);
          store.release(id);
        }
        for (const [id, { bytes }] of waiting) expect(isWhole(store.get(id), id, bytes)).toBe(true);
        for (const [id, bytes] of durable)
          expect([undefined, true]).toContain(store.get(id) && isWhole(store.get(id), id, bytes));
      }
    },
  );
  fc.assert(property, { numRuns: 30 });
});

test('a content for a caller that keeps it is a copy', () => {
  const store = storeOn({ forgetsContents: true }, 8 * MEBIBYTE);
  store.add(1, readOf(1));
  store.becameDurable(1);
  const kept = store.inMemory(1);
  const now = store.readNow(1);
  store.release(1);
  expect([isWhole(kept, 1), isWhole(now, 1)]).toEqual([true, true]);
});

test('a journal that keeps the bytes is given memory of their own size', () => {
  const store = storeOn({ forgetsContents: false }, 8 * MEBIBYTE);
  expect(store.add(1, readOf(1)).buffer.byteLength).toBe(BYTES);
});

test('a content that was released while its delivery waited is whole when it is delivered', async () => {
  const journal = Object.assign(new JournalByHand(), { forgetsContents: true, isWritingByItself: true });
  const { engine, submit, openLink } = await startEngine({}, { journal });
  const link = openLink();
  const delivered: boolean[] = [];
  link.deliver = (_delivery, content) => {
    delivered.push(isWhole(content, 7));
  };
  link.isRoomy = false;
  submit(1, {
    events: [{ kind: 'content-stored', contentId: 7, content: readOf(7) }, ...removed(7)],
    effects: [deliver(link.id, 7, 'deleted')],
  });
  await settled();
  expect(journal.deleted).toEqual([]);
  link.isRoomy = true;
  engine.resumeLink(link.id);
  expect(delivered).toEqual([true]);
  expect(journal.deleted).toEqual([7]);
});

test('with room for one slab, contents stay in memory as far as the budget goes', () => {
  const store = storeOn({ forgetsContents: true }, 2 * MEBIBYTE);
  const added = Array.from({ length: 20 }, (_, index) => index + 1);
  for (const contentId of added) {
    store.add(contentId, readOf(contentId));
    store.becameDurable(1);
  }
  for (const contentId of added) expect(isWhole(store.get(contentId), contentId)).toBe(true);
});

test('free slabs make room for contents that lie elsewhere', () => {
  const store = storeOn({ forgetsContents: true }, 8 * MEBIBYTE);
  const count = Math.floor((3 * MEBIBYTE) / BYTES);
  for (let contentId = 1; contentId <= count; contentId++) store.add(contentId, readOf(contentId));
  store.becameDurable(count);
  for (let contentId = 1; contentId <= count; contentId++) store.release(contentId);
  expect(store.memoryBytes).toBeGreaterThan(3 * MEBIBYTE);
  for (let contentId = 1001; contentId <= 1007; contentId++) {
    store.add(contentId, new Uint8Array(MEBIBYTE));
    store.becameDurable(1);
    expect(store.memoryBytes).toBeLessThanOrEqual(8 * MEBIBYTE);
  }
});

test('slabs have half of the budget, and a free one can be given back', () => {
  const slabs = new ContentSlabs(4 * MEBIBYTE);
  const contents: Uint8Array[] = [];
  for (let next = slabs.copy(readOf(1)); next !== undefined; next = slabs.copy(readOf(1)))
    contents.push(next);
  expect(contents).toHaveLength(2 * Math.floor(MEBIBYTE / BYTES));
  expect(slabs).toMatchObject({ isCrowded: true, byteLength: 2 * MEBIBYTE, bytesInUse: 2 * MEBIBYTE });
  expect(slabs.drop()).toBe(false);
  for (const content of contents) slabs.release(content);
  expect(slabs).toMatchObject({ isCrowded: false, byteLength: 2 * MEBIBYTE, bytesInUse: MEBIBYTE });
  expect(slabs.drop()).toBe(true);
  expect(slabs.byteLength).toBe(MEBIBYTE);
  for (const bytes of [100, 300_000]) expect(slabs.copy(readOf(1, bytes))).toBeUndefined();
});

test('what a turn stores and tells of messages stays as it was, although their memory is used for the next read', async () => {
  const { engine, journal, submit } = await startEngine();
  const told: Activity[] = [];
  engine.listen(({ all }) => told.push(...all));
  const [stored, unmatched] = [7, 8].map((byte) => Buffer.alloc(2 * BYTES + 1, byte).subarray(0, BYTES)) as [
    Buffer,
    Buffer,
  ];
  const ids = { messageId: undefined, correlationId: undefined, sessionId: undefined, sizeBytes: BYTES };
  const activities = [stored, unmatched].map(
    (content, index): Activity => ({
      kind: 'enqueued',
      path: 'orders',
      sequenceNumber: index,
      ...ids,
      content,
    }),
  );
  submit(1, {
    events: [{ kind: 'content-stored', contentId: 7, content: stored }],
    activities: { all: activities, commandStart: 0, commandEnd: 2 },
  });
  for (const read of [stored, unmatched]) read.fill(0xee);
  await settled();
  await journal.makeDurable();
  expect(isWhole(journal.contents.get(7), 7)).toBe(true);
  expect(
    told.map((activity, index) => 'content' in activity && isWhole(activity.content, 7 + index)),
  ).toEqual([true, true]);
});
