// A filter looks through the messages of an entity for a bounded time and number, and goes on where it has stopped.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseFilter } from '../../src/content/message-filter.js';
import { filterMessages } from '../../src/inspect/filter-messages.js';
import { LookUnderTest } from './look-under-test.js';

let look: LookUnderTest;
/** Grows by this at each look at the clock. */
let stepMs = 0;
let heldBytes = 0;

beforeEach(async () => {
  look = await LookUnderTest.open({ queues: ['orders'] });
  stepMs = 0;
  heldBytes = 0;
});
afterEach(() => look.emulator.stop());

type Wanted = { text: string; from?: number; max?: number; isNewestFirst?: boolean; signal?: AbortSignal };

async function filter({ text, from = 0, max = 50, isNewestFirst, signal }: Wanted) {
  let nowMs = 0;
  const elapsed = () => {
    nowMs += stepMs;
    return nowMs;
  };
  const command = { kind: 'inspect-messages', entityPath: 'orders', isNewestFirst } as const;
  const page = await filterMessages(
    look.context.engine,
    { ...command, fromSequenceNumber: from, maxCount: max },
    {
      filter: parseFilter(text),
      now: look.emulator.clock.now(),
      room: (bytes) => {
        heldBytes += bytes;
        return undefined;
      },
      giveBack: (bytes) => {
        heldBytes -= bytes;
      },
      elapsed,
      signal: signal ?? new AbortController().signal,
    },
  );
  return { ...page, numbers: page.found.map(({ message }) => message.properties.sequenceNumber) };
}

async function sendMany(count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => ({ messageId: `m-${index + 1}`, body: 'x' }));
  while (ids.length > 0) await look.send('orders', ...ids.splice(0, 1000));
}

it('finds what matches in all pieces, in either order', async () => {
  await sendMany(600);
  expect(await filter({ text: 'id:m-*99' })).toMatchObject({
    numbers: [99, 199, 299, 399, 499, 599],
    next: undefined,
    scannedCount: 600,
    totalCount: 600,
  });
  const newest = await filter({ text: 'id:m-*99', isNewestFirst: true, from: 400 });
  expect(newest.numbers).toEqual([399, 299, 199, 99]);
});

it('ends when enough are found, and goes on behind the last one', async () => {
  await sendMany(10);
  const first = await filter({ text: 'x', max: 4 });
  expect(first).toMatchObject({ numbers: [1, 2, 3, 4], next: 5, scannedCount: 4 });
  const rest = await filter({ text: 'x', from: first.next ?? 0 });
  expect(rest).toMatchObject({ numbers: [5, 6, 7, 8, 9, 10], next: undefined });
});

it('ends after 50 ms of work, and answers what it has', async () => {
  await sendMany(200);
  stepMs = 1;
  const { numbers, next, scannedCount, totalCount } = await filter({ text: 'id:m-3' });
  expect({ numbers, totalCount }).toEqual({ numbers: [3], totalCount: 200 });
  expect(scannedCount).toBeGreaterThan(40);
  expect(scannedCount).toBeLessThan(60);
  expect(next).toBe(scannedCount + 1);
});

it('looks at one message at least, however slow', async () => {
  await sendMany(2);
  stepMs = 60;
  expect(await filter({ text: 'nothing' })).toMatchObject({ numbers: [], next: 2, scannedCount: 1 });
});

it('ends after 20,000 messages', async () => {
  await sendMany(20_010);
  expect(await filter({ text: 'id:m-20005' })).toMatchObject({
    numbers: [],
    next: 20_001,
    scannedCount: 20_000,
    totalCount: 20_010,
  });
});

it('ends when its client has gone', async () => {
  await sendMany(600);
  const { scannedCount } = await filter({ text: 'nothing', signal: AbortSignal.abort() });
  expect(scannedCount).toBe(250);
});

it('holds memory only for what it has found', async () => {
  await sendMany(300);
  const { found } = await filter({ text: 'id:m-7' });
  expect(heldBytes).toBe(found[0]?.message.sizeBytes);
});
