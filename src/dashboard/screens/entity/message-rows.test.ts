import { describe, expect, it } from 'vitest';
import { rawMessage } from '../../testing/raw-message.js';
import { MessageRows } from './message-rows.js';
import type { Order } from './read-messages.js';

const EMPTY = { body: { kind: 'empty', section: 'none', sizeBytes: 0 } } as const;

/** A store of messages by their numbers, which answers pages of `size`. A filter allows those that `matches` does. */
class FakeStore {
  numbers: number[];
  size = 3;
  matches = (_number: number) => true;
  reads = 0;

  constructor(...numbers: readonly number[]) {
    this.numbers = [...numbers];
  }

  rows(order: Order) {
    const sign = order === 'newest' ? -1 : 1;
    return new MessageRows({
      order,
      toRow: ({ sequenceNumber }) => ({ sequenceNumber }),
      changed: () => {},
      read: async (from) => {
        this.reads += 1;
        const ordered = this.numbers.toSorted((a, b) => sign * (a - b));
        const behind = ordered.filter((number) => from === undefined || sign * (number - from) >= 0);
        const scanned = behind.slice(0, this.size);
        const messages = scanned
          .filter((number) => this.matches(number))
          .map((sequenceNumber) => rawMessage(EMPTY, { sequenceNumber }));
        const next = behind[this.size];
        const page = { messages, scannedCount: scanned.length, totalCount: this.numbers.length };
        return next === undefined ? page : { ...page, next };
      },
    });
  }
}

type Rows = ReturnType<FakeStore['rows']>;
const shown = (rows: Rows) =>
  Array.from({ length: rows.count }, (_, index) => rows.rowAt(index)?.sequenceNumber);

async function readAll(rows: Rows): Promise<Rows> {
  while (!rows.isComplete) await rows.readOn();
  return rows;
}

describe.each([
  ['oldest', [1, 2, 5, 7, 9, 11, 12]],
  ['newest', [12, 11, 9, 7, 5, 2, 1]],
] as const)('a list with the %s first', (order, expected) => {
  it('is read page by page', async () => {
    const rows = new FakeStore(...expected).rows(order);
    await rows.readOn();
    expect([shown(rows), rows.isComplete, rows.totalCount]).toEqual([expected.slice(0, 3), false, 7]);
    await readAll(rows);
    expect([shown(rows), rows.isComplete, rows.scannedCount]).toEqual([expected, true, 7]);
  });

  it('finds the index of a message, or of the next one if it is gone', async () => {
    const rows = await readAll(new FakeStore(...expected).rows(order));
    expect(rows.indexOf(7)).toBe(3);
    expect(rows.rowAt(rows.indexOf(6))?.sequenceNumber).toBe(order === 'oldest' ? 7 : 5);
    expect(rows.indexOf(order === 'oldest' ? 99 : 0)).toBe(7);
  });

  it('loses the messages that are gone, also a whole page of them', async () => {
    const store = new FakeStore(...expected);
    const rows = await readAll(store.rows(order));
    store.numbers = [5, 7, 9];
    for (let turn = 0; turn < 3; turn++) await rows.refresh(0, 10);
    expect(shown(rows)).toEqual(order === 'oldest' ? [5, 7, 9] : [9, 7, 5]);
  });

  it('has messages that have come into its midst, however many', async () => {
    const store = new FakeStore(10, 20, 30, 40, 50, 60);
    const rows = await readAll(store.rows(order));
    store.numbers = [10, 11, 12, 13, 14, 15, 20, 30, 40, 50, 51, 52, 53, 60];
    await rows.refresh(0, 10);
    await readAll(rows);
    expect(shown(rows)).toEqual(order === 'oldest' ? store.numbers : store.numbers.toReversed());
  });

  it('looks on where a filter allows nothing yet', async () => {
    const store = new FakeStore(...expected);
    store.matches = (number) => number === 7;
    const rows = store.rows(order);
    await rows.readOn();
    expect([rows.count, rows.scannedCount, rows.isComplete]).toEqual([0, 3, false]);
    await readAll(rows);
    expect(shown(rows)).toEqual([7]);
  });

  it('is asked one thing at a time', async () => {
    const store = new FakeStore(...expected);
    const rows = store.rows(order);
    await Promise.all([rows.readOn(), rows.readOn(), rows.readOn()]);
    expect([store.reads, rows.count]).toEqual([1, 3]);
  });

  it('takes no answer after its end', async () => {
    const rows = new FakeStore(...expected).rows(order);
    const reading = rows.readOn();
    rows.end();
    await reading;
    expect(rows.count).toBe(0);
  });
});

describe('new messages', () => {
  it('are added at the end of a list with the oldest first', async () => {
    const store = new FakeStore(1, 2);
    const rows = await readAll(store.rows('oldest'));
    store.numbers.push(3, 4);
    await rows.refresh(0, 2);
    await readAll(rows);
    expect(shown(rows)).toEqual([1, 2, 3, 4]);
  });

  it('come at once where the top of a list with the newest first is in view', async () => {
    const store = new FakeStore(1, 2, 3, 4);
    const rows = await readAll(store.rows('newest'));
    store.numbers.push(5);
    await rows.refresh(0, 4);
    await readAll(rows);
    expect([shown(rows), rows.newCount]).toEqual([[5, 4, 3, 2, 1], 0]);
  });

  it('are counted while it is not, and are shown when somebody asks', async () => {
    const store = new FakeStore(1, 2, 3, 4);
    const rows = await readAll(store.rows('newest'));
    store.numbers.push(5, 6);
    await rows.refresh(2, 4);
    expect([shown(rows), rows.newCount]).toEqual([[4, 3, 2, 1], 2]);
    await rows.showNew();
    await readAll(rows);
    expect([shown(rows), rows.newCount]).toEqual([[6, 5, 4, 3, 2, 1], 0]);
  });
});

describe('a list that is sorted', () => {
  /** Even numbers first. */
  const by = ({ sequenceNumber }: { readonly sequenceNumber: number }) => sequenceNumber % 2;
  const sort = { name: 'parity', by, isDescending: false };

  it('has all its rows in that order once they are read, and again after a refresh', async () => {
    const store = new FakeStore(1, 2, 3, 4);
    const rows = store.rows('newest');
    rows.sort(sort);
    await rows.readOn();
    expect([shown(rows), rows.canSort]).toEqual([[4, 3, 2], false]);
    await readAll(rows);
    expect([shown(rows), rows.indexOf(1)]).toEqual([[4, 2, 3, 1], 3]);
    store.numbers = [1, 2, 4, 5];
    await rows.refresh(2, 3);
    expect(shown(rows)).toEqual([4, 2, 5, 1]);
    rows.sort({ ...sort, isDescending: true });
    expect(shown(rows)).toEqual([5, 1, 4, 2]);
    rows.sort(undefined);
    expect(shown(rows)).toEqual([5, 4, 2, 1]);
  });

  it('has rows without a value at its end in both directions', async () => {
    const rows = await readAll(new FakeStore(1, 2, 3).rows('oldest'));
    const some = ({ sequenceNumber }: { readonly sequenceNumber: number }) =>
      sequenceNumber === 2 ? undefined : sequenceNumber;
    rows.sort({ name: 'some', by: some, isDescending: true });
    expect(shown(rows)).toEqual([3, 1, 2]);
    rows.sort({ name: 'some', by: some, isDescending: false });
    expect(shown(rows)).toEqual([1, 3, 2]);
  });
});
