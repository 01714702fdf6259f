// The messages of a list, as far as they are read: pages in the order of sequence numbers, of which those far from the view are
// forgotten and read again. Numbers are not dense, so each page keeps where it begins.

/** Rows that are kept. */
const MOST_KEPT = 25_000;
/** Pages that one refresh reads: with a filter, the rows in view may come from many. */
const MOST_REFRESHED = 4;

type Numbered = { readonly sequenceNumber: number };

/** A page as it was read. */
export type ReadPage<Row> = {
  /** Messages that the filter allows. */
  readonly rows: readonly Row[];
  /** All messages of the page. */
  readonly seen: number;
  /** The number behind the page; undefined for the last. */
  readonly next: number | undefined;
  /** How many there are of each reason, whichever the filter asks for. */
  readonly reasons: ReadonlyMap<string, number>;
  /** How many each word of the filter allows. */
  readonly hits: readonly number[];
};

/** Reads messages from a number on that are before another. */
export type ReadMessages<Row> = (from: number, before: number | undefined) => Promise<ReadPage<Row>>;

type Page<Row> = Omit<ReadPage<Row>, 'rows'> & {
  readonly from: number;
  /** Undefined: forgotten. */
  rows: readonly Row[] | undefined;
  readonly count: number;
  /** Messages that have come since, and are not shown. */
  readonly waiting: number;
};

export class MessagePages<Row extends Numbered> {
  readonly #read: ReadMessages<Row>;
  readonly #changed: () => void;
  /** The first number that is read. */
  readonly #start: number;
  readonly #pages: Page<Row>[] = [];
  /** The pages that are being read, by their starts. */
  readonly #reading = new Map<number, Promise<void>>();
  #isEnded = false;
  /** The page of those in view with which the next refresh begins. */
  #turn = 0;

  constructor(read: ReadMessages<Row>, start: number, changed: () => void) {
    this.#read = read;
    this.#start = start;
    this.#changed = changed;
  }

  /** Whether a first answer is there. */
  get isRead(): boolean {
    return this.#pages.length > 0;
  }

  /** Whether the pages reach the last message. */
  get isComplete(): boolean {
    return this.#pages.length > 0 && this.#pages.at(-1)?.next === undefined;
  }

  /** Whether new messages wait at the end, so that those behind them must, too. */
  get isHeld(): boolean {
    return (this.#pages.at(-1)?.waiting ?? 0) > 0;
  }

  get count(): number {
    return this.#sum(({ count }) => count);
  }

  get seen(): number {
    return this.#sum(({ seen }) => seen);
  }

  get waiting(): number {
    return this.#sum(({ waiting }) => waiting);
  }

  get reasons(): ReadonlyMap<string, number> {
    const all = new Map<string, number>();
    for (const { reasons } of this.#pages) addTo(all, reasons);
    return all;
  }

  get hits(): readonly number[] {
    const length = this.#pages[0]?.hits.length ?? 0;
    return Array.from({ length }, (_, index) => this.#sum(({ hits }) => hits[index] ?? 0));
  }

  /** Drops the answers that are still to come. */
  end(): void {
    this.#isEnded = true;
  }

  /** The row of an index; undefined while it is not read. */
  rowAt(index: number): Row | undefined {
    let before = 0;
    for (const { count, rows } of this.#pages) {
      if (index < before + count) return rows?.[index - before];
      before += count;
    }
    return undefined;
  }

  /** The rows that are kept, in their order. */
  *rows(): Generator<Row> {
    for (const { rows = [] } of this.#pages) yield* rows;
  }

  /** The index of a message; of the next one if it is gone. */
  indexOf(sequenceNumber: number): number {
    let before = 0;
    for (const { count, rows, next } of this.#pages) {
      if (next === undefined || sequenceNumber < next) {
        const index = rows?.findIndex((row) => row.sequenceNumber >= sequenceNumber) ?? -1;
        return before + (index < 0 ? count : index);
      }
      before += count;
    }
    return before;
  }

  /** Reads the page behind the last. */
  async readOn(): Promise<void> {
    if (this.isComplete) return;
    const from = this.#pages.at(-1)?.next ?? this.#start;
    await this.#once(from, async () => {
      const page = await this.#read(from, undefined);
      if (!this.#isEnded) this.#pages.push({ ...page, from, count: page.rows.length, waiting: 0 });
    });
    this.#forgetFar(this.count);
  }

  /** Reads the pages of these rows that were forgotten. */
  async fill(first: number, end: number): Promise<void> {
    const inView = this.#inView(first, end);
    const forgotten = inView.filter(({ rows }) => rows === undefined);
    if (forgotten.length === 0) return;
    await Promise.all(forgotten.map((page) => this.#readAgain(page, () => true)));
    this.#forgetFar(first);
  }

  /** Reads the pages of these rows again, some of them where they are many, and the last page. Messages that were not shown wait, unless `admits` lets them in. */
  async refresh(first: number, end: number, admits: (row: Row, isLast: boolean) => boolean): Promise<void> {
    const pages = new Set(this.#someOf(this.#inView(first, end)));
    const last = this.#pages.at(-1);
    if (last !== undefined && last.next === undefined) pages.add(last);
    await Promise.all(
      [...pages].map((page) => {
        // Without its rows, nothing tells those that were shown from those that have come: `fill` reads it again.
        if (page.rows === undefined) return undefined;
        const shown = new Set(page.rows.map(({ sequenceNumber }) => sequenceNumber));
        const greatest = page.rows.at(-1)?.sequenceNumber ?? 0;
        const isIn = (row: Row) =>
          shown.has(row.sequenceNumber) || admits(row, page === last && row.sequenceNumber > greatest);
        return this.#readAgain(page, isIn);
      }),
    );
  }

  /** Shows the messages that wait. Resolves with the number of the first. */
  async showWaiting(): Promise<number | undefined> {
    // A page that is being read would not be read for this, and its answer leaves messages waiting.
    while (this.#reading.size > 0) await Promise.allSettled(this.#reading.values());
    const pages = this.#pages.filter(({ waiting }) => waiting > 0);
    const before = new Set([...this.rows()].map(({ sequenceNumber }) => sequenceNumber));
    await Promise.all(pages.map((page) => this.#readAgain(page, () => true)));
    return [...this.rows()].find(({ sequenceNumber }) => !before.has(sequenceNumber))?.sequenceNumber;
  }

  async #readAgain(page: Page<Row>, isIn: (row: Row) => boolean): Promise<void> {
    await this.#once(page.from, async () => {
      const read = await this.#readRange(page.from, page.next);
      const index = this.#pages.indexOf(page);
      if (this.#isEnded || index < 0) return;
      const rows = read.rows.filter(isIn);
      const next = this.#pages[index + 1];
      if (read.seen === 0 && next !== undefined) {
        // Its numbers belong to the next page from now on, so that a list in use keeps no empty pages.
        this.#pages.splice(index, 2, { ...next, from: page.from });
        return;
      }
      const waiting = read.rows.length - rows.length;
      this.#pages[index] = { ...read, from: page.from, rows, count: rows.length, waiting };
    });
  }

  /** A page that was read before may hold more messages now, because some have come into its midst. */
  async #readRange(from: number, before: number | undefined): Promise<ReadPage<Row>> {
    let all = await this.#read(from, before);
    while (before !== undefined && all.next !== undefined && all.next < before && !this.#isEnded) {
      all = joined(all, await this.#read(all.next, before));
    }
    return all;
  }

  /** One answer at a time for each page. */
  async #once(from: number, act: () => Promise<void>): Promise<void> {
    if (this.#reading.has(from) || this.#isEnded) return;
    const reading = act();
    this.#reading.set(from, reading);
    try {
      await reading;
    } finally {
      this.#reading.delete(from);
    }
    if (!this.#isEnded) this.#changed();
  }

  #inView(first: number, end: number): readonly Page<Row>[] {
    let before = 0;
    const found: Page<Row>[] = [];
    for (const page of this.#pages) {
      if (before >= end) break;
      if (before + page.count > first) found.push(page);
      before += page.count;
    }
    return found;
  }

  #someOf(pages: readonly Page<Row>[]): readonly Page<Row>[] {
    if (pages.length <= MOST_REFRESHED) return pages;
    const from = this.#turn % pages.length;
    this.#turn = from + MOST_REFRESHED;
    return [...pages.slice(from), ...pages.slice(0, from)].slice(0, MOST_REFRESHED);
  }

  /** Forgets the rows that are farthest from one, if there are too many. */
  #forgetFar(index: number): void {
    if (this.#sum(({ rows }) => rows?.length ?? 0) <= MOST_KEPT) return;
    let before = 0;
    for (const page of this.#pages) {
      const isFar = before + page.count < index - MOST_KEPT / 2 || before > index + MOST_KEPT / 2;
      if (isFar && page.count > 0) page.rows = undefined;
      before += page.count;
    }
  }

  #sum(of: (page: Page<Row>) => number): number {
    return this.#pages.reduce((total, page) => total + of(page), 0);
  }
}

function joined<Row>(first: ReadPage<Row>, second: ReadPage<Row>): ReadPage<Row> {
  const reasons = new Map(first.reasons);
  addTo(reasons, second.reasons);
  return {
    rows: [...first.rows, ...second.rows],
    seen: first.seen + second.seen,
    next: second.next,
    reasons,
    hits: first.hits.map((count, index) => count + (second.hits[index] ?? 0)),
  };
}

function addTo(all: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [reason, count] of counts) all.set(reason, (all.get(reason) ?? 0) + count);
}

/**
 * Finds where the last messages of a list begin, at most `count` of them, with few looks: each looks for `count` messages
 * from a number on, and resolves with how many there are.
 */
export async function findEnd(
  from: number,
  count: number,
  look: (from: number) => Promise<number>,
): Promise<number> {
  if ((await look(from)) < count) return from;
  let low = from;
  let step = 1024;
  while ((await look(low + step)) === count) {
    low += step;
    step *= 2;
  }
  for (let high = low + step; high - low > 1; ) {
    const middle = Math.floor((low + high) / 2);
    const found = await look(middle);
    if (found < count && found >= count / 2) return middle;
    if (found === count) low = middle;
    else high = middle;
  }
  return low;
}
