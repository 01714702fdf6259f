import { describe, expect, it } from 'vitest';
import { findEnd, MessagePages, type ReadPage } from './message-pages.js';

type Row = { readonly sequenceNumber: number };

/** A store of numbers that is read by ten, or by so many as it is told. */
class Store {
  numbers: number[];
  readCount = 0;

  readonly #size: number;

  constructor(numbers: readonly number[], size = 10) {
    this.#size = size;
    this.numbers = [...numbers];
  }

  readonly read = async (from: number, before: number | undefined): Promise<ReadPage<Row>> => {
    this.readCount += 1;
    this.numbers.sort((a, b) => a - b);
    const first = this.numbers.findIndex((one) => one >= from);
    const behind = first < 0 ? [] : this.numbers.slice(first, first + this.#size + 1);
    const rest = behind.filter((one) => before === undefined || one < before);
    const page = rest.slice(0, this.#size);
    return {
      rows: page.map((sequenceNumber) => ({ sequenceNumber })),
      seen: page.length,
      next: rest[this.#size] ?? before,
      reasons: new Map([['a', page.length]]),
      hits: [page.length],
    };
  };
}

function storeOf(count: number, step = 3, size = 10): Store {
  return new Store(
    Array.from({ length: count }, (_, index) => 1 + index * step),
    size,
  );
}

async function readAll(store: Store): Promise<MessagePages<Row>> {
  const pages = new MessagePages<Row>(store.read, 0, () => {});
  while (!pages.isComplete) await pages.readOn();
  return pages;
}

describe('the pages of a list', () => {
  it('reads one page after the other, whichever numbers are missing', async () => {
    const pages = new MessagePages<Row>(storeOf(25).read, 0, () => {});
    expect(pages.isRead).toBe(false);
    await pages.readOn();
    expect([pages.count, pages.isComplete]).toEqual([10, false]);
    await pages.readOn();
    await pages.readOn();
    expect([pages.count, pages.seen, pages.isComplete]).toEqual([25, 25, true]);
    expect(pages.rowAt(24)).toEqual({ sequenceNumber: 73 });
    expect(pages.indexOf(73)).toBe(24);
    expect(pages.indexOf(32)).toBe(11);
    expect(pages.reasons).toEqual(new Map([['a', 25]]));
  });

  it('shows no new message before it is asked to', async () => {
    const store = storeOf(15);
    const pages = await readAll(store);
    store.numbers.push(2, 100);
    await pages.refresh(0, 15, () => false);
    expect([pages.count, pages.waiting, pages.isHeld]).toEqual([15, 2, true]);
    expect(await pages.showWaiting()).toBe(2);
    expect([pages.count, pages.waiting]).toEqual([17, 0]);
    expect(pages.rowAt(16)).toEqual({ sequenceNumber: 100 });
  });

  it('shows them when it is asked to while it reads', async () => {
    const store = storeOf(15);
    const pages = await readAll(store);
    store.numbers.push(100);
    await pages.refresh(0, 15, () => false);
    const refreshing = pages.refresh(0, 15, () => false);
    expect(await pages.showWaiting()).toBe(100);
    await refreshing;
    expect([pages.count, pages.waiting]).toEqual([16, 0]);
  });

  it('lets in those behind the last where the owner says so', async () => {
    const store = storeOf(5);
    const pages = await readAll(store);
    store.numbers.push(2, 100);
    await pages.refresh(0, 5, (_, isLast) => isLast);
    expect([pages.count, pages.waiting]).toEqual([6, 1]);
  });

  it('drops messages that are gone, and keeps no empty pages', async () => {
    const store = storeOf(100, 1);
    const pages = await readAll(store);
    store.numbers = [95, 101];
    for (let round = 0; round < 12; round++) await pages.refresh(0, 100, () => true);
    expect([pages.count, pages.rowAt(0), pages.rowAt(1)]).toEqual([
      2,
      { sequenceNumber: 95 },
      { sequenceNumber: 101 },
    ]);
    store.readCount = 0;
    await pages.refresh(0, 2, () => true);
    expect(store.readCount).toBeLessThanOrEqual(2);
  });

  it('reads a page again that has more messages than fit into one answer', async () => {
    const store = storeOf(20);
    const pages = await readAll(store);
    store.numbers.push(...Array.from({ length: 8 }, (_, index) => 2 + index * 3));
    await pages.refresh(0, 5, () => true);
    expect([pages.count, new Set([...pages.rows()].map((row) => row.sequenceNumber)).size]).toEqual([28, 28]);
  });

  it('forgets rows far from the view, and reads them again', async () => {
    const pages = await readAll(storeOf(26_000, 3, 250));
    expect(pages.count).toBe(26_000);
    expect(pages.rowAt(0)).toBeUndefined();
    await pages.fill(0, 20);
    expect(pages.rowAt(0)).toEqual({ sequenceNumber: 1 });
    expect(pages.rowAt(19)).toEqual({ sequenceNumber: 58 });
    expect(pages.count).toBe(26_000);
  });

  it('counts none of the messages as new whose rows it has forgotten', async () => {
    const store = storeOf(26_100, 3, 250);
    const pages = await readAll(store);
    // From the end, the view goes to the start: the last page is far from there.
    for (let row = 0; row < 13_000; row += 250) await pages.fill(row, row + 250);
    expect(pages.rowAt(26_099)).toBeUndefined();
    await pages.refresh(0, 20, () => false);
    expect([pages.count, pages.waiting]).toEqual([26_100, 0]);
    await pages.fill(26_000, 26_100);
    expect(pages.rowAt(26_099)).toEqual({ sequenceNumber: 1 + 26_099 * 3 });
  });

  it('refreshes a few pages in turn where a filter leaves few rows of many pages', async () => {
    const store = storeOf(1000, 1);
    const sparse = async (from: number, before: number | undefined) => {
      const page = await store.read(from, before);
      return { ...page, rows: page.rows.filter(({ sequenceNumber }) => sequenceNumber % 10 === 1) };
    };
    const pages = new MessagePages<Row>(sparse, 0, () => {});
    while (!pages.isComplete) await pages.readOn();
    expect(pages.count).toBe(100);
    store.numbers = store.numbers.filter((one) => one % 10 !== 1);
    store.readCount = 0;
    await pages.refresh(0, 100, () => true);
    expect(store.readCount).toBeLessThanOrEqual(5);
    for (let round = 0; round < 60; round++) await pages.refresh(0, 100, () => true);
    expect(pages.count).toBe(0);
  });

  it('drops an answer that comes after its end', async () => {
    const pages = new MessagePages<Row>(storeOf(5).read, 0, () => {});
    const reading = pages.readOn();
    pages.end();
    await reading;
    expect(pages.isRead).toBe(false);
  });

  it('finds where the last messages begin with few looks', async () => {
    const store = storeOf(100_000, 7);
    let lookCount = 0;
    const start = await findEnd(0, 50, async (from) => {
      lookCount += 1;
      const first = Math.max(0, Math.ceil((from - 1) / 7));
      return Math.min(50, Math.max(0, store.numbers.length - first));
    });
    const rest = store.numbers.filter((one) => one >= start).length;
    expect(rest).toBeGreaterThanOrEqual(25);
    expect(rest).toBeLessThanOrEqual(50);
    expect(lookCount).toBeLessThan(40);
  });
});
