// The rows of a list, as far as they are read: pages in the order of sequence numbers, oldest or newest first. Numbers are not dense, so
// each page keeps where it begins and ends.

import type { MessagesPage, Order } from './read-messages.js';

/** The list ends there: a filter, or the other order, shows what is behind. */
export const MOST_ROWS = 100_000;
/** Pages that one refresh reads: with a filter, the rows in view may come from many. */
const MOST_REFRESHED = 4;
/** Only so many rows can be in another order than that of their numbers: each refresh reads all of them. */
export const MOST_SORTED = 1000;

type Numbered = { readonly sequenceNumber: number };
/** Reads a page from a number on, or from the start of the list. */
type ReadPage = (from: number | undefined) => Promise<MessagesPage>;

type Page<Row> = {
  /** Undefined for the first. */
  readonly from: number | undefined;
  /** Where the page behind it begins; undefined for the last. */
  readonly next: number | undefined;
  readonly rows: readonly Row[];
  readonly scannedCount: number;
};

/** Another order than that of numbers. Rows without a value are the last. */
export type Sort<Row> = {
  /** Tells it from other orders. */
  readonly name: string;
  readonly by: (row: Row) => string | number | undefined;
  readonly isDescending: boolean;
};

type Options<Row> = {
  readonly order: Order;
  readonly read: ReadPage;
  readonly toRow: (message: MessagesPage['messages'][number]) => Row;
  /** Called when the rows have changed. */
  readonly changed: () => void;
};

export class MessageRows<Row extends Numbered> {
  readonly #options: Options<Row>;
  #pages: readonly Page<Row>[] = [];
  /** Messages of the tab, whichever the filter asks for. */
  totalCount = 0;
  /** Messages above the first row that have come since; a list whose top is in view shows them at once. */
  newCount = 0;
  #sort: Sort<Row> | undefined;
  /** The rows in that order; undefined before somebody asks. */
  #sorted: readonly Row[] | undefined;
  #reading: Promise<void> | undefined;
  #isEnded = false;

  constructor(options: Options<Row>) {
    this.#options = options;
  }

  get count(): number {
    return this.#pages.reduce((sum, { rows }) => sum + rows.length, 0);
  }

  /** The messages that the filter was asked about. */
  get scannedCount(): number {
    return this.#pages.reduce((sum, page) => sum + page.scannedCount, 0);
  }

  /** Whether the rows reach the last message. */
  get isComplete(): boolean {
    return this.#pages.length > 0 && this.#pages.at(-1)?.next === undefined;
  }

  /** Whether no more rows are read. */
  get isFull(): boolean {
    return this.count >= MOST_ROWS;
  }

  /** Whether all rows are there, and few enough to be sorted. */
  get canSort(): boolean {
    return this.isComplete && this.count <= MOST_SORTED;
  }

  /** Has the rows in this order while they can be sorted; undefined: that of their numbers. */
  sort(sort: Sort<Row> | undefined): void {
    const isSame = sort?.name === this.#sort?.name && sort?.isDescending === this.#sort?.isDescending;
    if (!isSame) this.#sorted = undefined;
    this.#sort = sort;
  }

  get #inOrder(): readonly Row[] | undefined {
    if (this.#sort === undefined || !this.canSort) return undefined;
    this.#sorted ??= sorted(
      this.#pages.flatMap(({ rows }) => rows),
      this.#sort,
    );
    return this.#sorted;
  }

  /** Whether another list takes the place of this one: what is still shown of it is not what its reader has asked for. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Drops the answers that are still to come. */
  end(): void {
    this.#isEnded = true;
  }

  rowAt(index: number): Row | undefined {
    const inOrder = this.#inOrder;
    if (inOrder !== undefined) return inOrder[index];
    let before = 0;
    for (const { rows } of this.#pages) {
      if (index < before + rows.length) return rows[index - before];
      before += rows.length;
    }
    return undefined;
  }

  /** The index of a message; of the next one if it is gone, or of the first one of sorted rows. */
  indexOf(sequenceNumber: number): number {
    const inOrder = this.#inOrder;
    if (inOrder !== undefined) {
      return Math.max(
        0,
        inOrder.findIndex((row) => row.sequenceNumber === sequenceNumber),
      );
    }
    let before = 0;
    for (const { rows } of this.#pages) {
      const last = rows.at(-1);
      if (last !== undefined && !this.#isBehind(sequenceNumber, last.sequenceNumber)) {
        return before + rows.findIndex((row) => !this.#isBehind(sequenceNumber, row.sequenceNumber));
      }
      before += rows.length;
    }
    return before;
  }

  /** Reads the page behind the last. */
  async readOn(): Promise<void> {
    if (this.isComplete || this.isFull || this.#reading !== undefined) return;
    await this.#alone(async () => {
      const from = this.#pages.at(-1)?.next;
      const page = await this.#readFrom(from);
      if (!this.#isEnded) this.#pages = [...this.#pages, page];
    });
  }

  /** Reads the rows of these indexes again, and looks for new ones. */
  async refresh(first: number, end: number): Promise<void> {
    await this.#alone(async () => {
      if (this.#inOrder !== undefined) return this.#readAll();
      // New messages come at the end of one order, and at the top of the other.
      const isNewest = this.#options.order === 'newest';
      if (isNewest) await this.#refreshTop(first === 0);
      for (const page of this.#inView(first, end)) {
        if (!isNewest || page.from !== undefined) await this.#readAgain(page);
      }
      const last = this.#pages.at(-1);
      if (!isNewest && last?.next === undefined && !this.isFull) await this.#readAgain(last);
    });
  }

  /** Begins anew at the top, where the new messages are. */
  async showNew(): Promise<void> {
    await this.#alone(() => this.#refreshTop(true));
  }

  /** Sorted rows are all read again before any is replaced, so that their order stays. */
  async #readAll(): Promise<void> {
    const pages = [await this.#readFrom(undefined)];
    for (let next = pages[0]?.next; next !== undefined && pages.length < MOST_REFRESHED; ) {
      const page = await this.#readFrom(next);
      pages.push(page);
      next = page.next;
    }
    if (!this.#isEnded) this.#pages = pages;
  }

  async #refreshTop(isInView: boolean): Promise<void> {
    const [top] = this.#pages;
    const read = await this.#readFrom(undefined);
    const [greatest] = top?.rows ?? [];
    const isNew = ({ sequenceNumber }: Row) =>
      greatest === undefined || sequenceNumber > greatest.sequenceNumber;
    this.newCount = isInView ? 0 : read.rows.filter(isNew).length;
    if (!isInView || this.#isEnded) return;
    // The pages behind follow only if this one ends where it ended before.
    this.#pages = top !== undefined && read.next === top.next ? [read, ...this.#pages.slice(1)] : [read];
  }

  async #readAgain(page: Page<Row> | undefined): Promise<void> {
    if (page === undefined) return;
    let read = await this.#readFrom(page.from);
    // Messages have come into its midst, so that one answer no longer reaches its end.
    while (read.next !== undefined && page.next !== undefined && this.#isBehind(page.next, read.next)) {
      const more = await this.#readFrom(read.next);
      const rows = [...read.rows, ...more.rows];
      read = { ...more, from: page.from, rows, scannedCount: read.scannedCount + more.scannedCount };
      if (this.#isEnded) return;
    }
    const { next: end } = page;
    const isIn = ({ sequenceNumber }: Row) => end === undefined || this.#isBehind(end, sequenceNumber);
    const rows = read.rows.filter(isIn);
    const index = this.#pages.indexOf(page);
    const following = this.#pages[index + 1];
    if (index < 0) return;
    // The numbers of a page without rows belong to the next one from now on, so that a list in use keeps no empty pages.
    const isGone = rows.length === 0 && following !== undefined && read.scannedCount === 0;
    const again = { ...read, next: end ?? read.next, rows };
    this.#pages = isGone
      ? this.#pages.toSpliced(index, 2, { ...following, from: page.from })
      : this.#pages.with(index, again);
  }

  async #readFrom(from: number | undefined): Promise<Page<Row>> {
    const { read, toRow } = this.#options;
    const { messages, next, scannedCount, totalCount } = await read(from);
    this.totalCount = totalCount;
    return { from, next, rows: messages.map(toRow), scannedCount };
  }

  /** One answer at a time, so that none undoes what another has brought. */
  async #alone(act: () => Promise<void>): Promise<void> {
    while (this.#reading !== undefined) await this.#reading.catch(() => undefined);
    if (this.#isEnded) return;
    this.#reading = act();
    try {
      await this.#reading;
    } finally {
      this.#reading = undefined;
      this.#sorted = undefined;
    }
    if (!this.#isEnded) this.#options.changed();
  }

  #inView(first: number, end: number): readonly Page<Row>[] {
    let before = 0;
    const found: Page<Row>[] = [];
    for (const page of this.#pages) {
      if (before >= end || found.length === MOST_REFRESHED) break;
      if (before + page.rows.length > first) found.push(page);
      before += page.rows.length;
    }
    return found;
  }

  #isBehind(number: number, other: number): boolean {
    return this.#options.order === 'newest' ? number < other : number > other;
  }
}

function sorted<Row>(rows: readonly Row[], { by, isDescending }: Sort<Row>): readonly Row[] {
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [by(one), by(other)];
    if (a === b) return 0;
    if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
    return a < b ? -sign : sign;
  });
}
