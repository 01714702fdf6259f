// How many messages came to each entity and left it, in each second of the last five minutes. Sampled once a second from the counts of
// the records.

import type { StartTimer } from '../engine/timer.js';
import type { ActivityCounts, Counted, Tally } from './activity-counts.js';

/** The seconds that are told. */
const SECONDS = 300;
/** The seconds that are kept: a step of ten seconds may have begun up to nine before. */
const KEPT_SECONDS = SECONDS + 10;
/** A sample that is later than this means that nobody was there: the machine has slept. */
const MAX_LATE_SECONDS = 3;

/** The counts of a series. A topic's copies leave it as well: they are counted where they arrive (`passedOn`). */
const SERIES = {
  in: ['accepted', 'enqueued', 'scheduled', 'routed'],
  out: ['completed', 'consumed', 'forwarded'],
  deadLettered: ['dead-lettered'],
} as const satisfies Readonly<Record<string, readonly Counted[]>>;
/** Only what senders have sent and receivers have taken: no copies, and nothing that moves between entities. */
const OF_NAMESPACE = {
  ...SERIES,
  in: ['accepted', 'enqueued', 'scheduled'],
  out: ['completed', 'consumed'],
} as const;
const NAMES = ['in', 'out', 'deadLettered'] as const;

type SeriesName = (typeof NAMES)[number];

/** The messages of each step, oldest first; null: it has a second in which nobody sampled. */
export type EntityRates = { readonly path: string } & Readonly<
  Record<SeriesName, readonly (number | null)[]>
>;

export type Rates = {
  /** The start of the first step, in milliseconds since 1970. */
  readonly from: number;
  readonly stepMs: number;
  /** The path of the whole namespace is empty. */
  readonly entities: readonly EntityRates[];
};

type RateSamplesOptions = {
  /** The machine's time in milliseconds since 1970. */
  readonly now: () => number;
  readonly startTimer: StartTimer;
};

export class RateSamples {
  readonly #counts: ActivityCounts;
  readonly #options: RateSamplesOptions;
  readonly #namespace: Series;
  readonly #byPath = new Map<string, Series>();
  /** Which of the kept seconds were sampled. */
  readonly #isSampled = new Uint8Array(KEPT_SECONDS);
  /** The last second that has passed, in seconds since 1970. */
  #last: number;
  #stopTimer = () => {};

  constructor(counts: ActivityCounts, options: RateSamplesOptions) {
    this.#counts = counts;
    this.#options = options;
    this.#last = secondOf(options.now()) - 1;
    this.#namespace = new Series(counts.all, OF_NAMESPACE);
    this.#countMoves();
    this.#namespace.skip();
    for (const [path, tally] of counts.byPath) this.#seriesOf(path, tally).skip();
    this.#wait();
  }

  stop(): void {
    this.#stopTimer();
  }

  /**
   * The last five minutes in whole steps, each of which begins at a multiple of its length; the newest one is left out until it is over.
   * `path` is that of a store, in any case, or empty for the namespace; undefined: all that had a message in this time.
   */
  read(stepMs: number, path: string | undefined): Rates {
    const wanted = path?.toLowerCase();
    const step = stepMs / 1000;
    const from = Math.floor((this.#last + 1) / step) * step - SECONDS;
    const all = [['', this.#namespace] as const, ...this.#byPath];
    const found: (readonly [string, Pick<Series, 'counts'>])[] = all.filter(([each, { counts }]) =>
      wanted === undefined ? each === '' || counts !== undefined : each.toLowerCase() === wanted,
    );
    if (path !== undefined && found.length === 0) found.push([path, { counts: undefined }]);
    return {
      from: from * 1000,
      stepMs,
      entities: found.map(([each, { counts }]) => {
        const points = (name: SeriesName) => this.#points(counts?.[name], from, step);
        return { path: each, in: points('in'), out: points('out'), deadLettered: points('deadLettered') };
      }),
    };
  }

  #points(counts: Uint32Array | undefined, from: number, step: number): (number | null)[] {
    const points: (number | null)[] = [];
    for (let second = from; second < from + SECONDS; second += step) {
      let sum: number | null = 0;
      for (let each = second; each < second + step && sum !== null; each++) {
        const index = indexOf(each);
        sum = this.#isSampled[index] === 1 ? sum + (counts?.[index] ?? 0) : null;
      }
      points.push(sum);
    }
    return points;
  }

  #wait(): void {
    const { now, startTimer } = this.#options;
    this.#stopTimer = startTimer(1000 - (now() % 1000), () => {
      this.#sample(secondOf(now()) - 1);
      this.#wait();
    });
  }

  /** `second`: the last one that has passed. It gets all that was counted since the sample before. */
  #sample(second: number): void {
    const passed = second - this.#last;
    if (passed === 0) return;
    // The machine's clock was set back.
    if (passed < 0) this.#isSampled.fill(0);
    const isGap = passed > MAX_LATE_SECONDS;
    const all = [this.#namespace, ...this.#byPath.values()];
    for (let each = Math.max(this.#last + 1, second - KEPT_SECONDS + 1); each < second; each++) {
      this.#isSampled[indexOf(each)] = isGap ? 0 : 1;
      for (const series of all) series.put(each, false);
    }
    this.#last = second;
    this.#countMoves();
    this.#isSampled[indexOf(second)] = 1;
    this.#namespace.put(second, true);
    const { byPath } = this.#counts;
    for (const [path, tally] of byPath) this.#seriesOf(path, tally).put(second, true);
    for (const path of this.#byPath.keys()) if (!byPath.has(path)) this.#byPath.delete(path);
  }

  /** Counts what moves between entities: out of a topic with each copy, and not once more into the namespace when it is forwarded. */
  #countMoves(): void {
    const { all, byPath } = this.#counts;
    this.#namespace.moved = { in: -all.countOf('forwarded'), out: 0 };
    for (const [path, count] of passedOn(byPath)) {
      const tally = byPath.get(path);
      if (tally !== undefined) this.#seriesOf(path, tally).moved = { in: 0, out: count };
    }
  }

  /** An entity that was deleted and made again has another tally. */
  #seriesOf(path: string, tally: Tally): Series {
    let series = this.#byPath.get(path);
    if (series?.tally === tally) return series;
    series = new Series(tally, SERIES);
    this.#byPath.set(path, series);
    return series;
  }
}

type SeriesCounts = Readonly<Record<SeriesName, Uint32Array>>;

class Series {
  readonly tally: Tally;
  /** Undefined without a message in the time that is kept. */
  counts: SeriesCounts | undefined;
  readonly #counted: Readonly<Record<SeriesName, readonly Counted[]>>;
  /** The totals at the last sample. */
  readonly #totals: Record<SeriesName, number> = { in: 0, out: 0, deadLettered: 0 };
  moved = { in: 0, out: 0 };
  /** The last second with a message. */
  #usedAt = 0;

  constructor(tally: Tally, counted: Readonly<Record<SeriesName, readonly Counted[]>>) {
    this.tally = tally;
    this.#counted = counted;
  }

  /** Leaves out what was counted before. */
  skip(): void {
    for (const name of NAMES) this.#totals[name] = this.#total(name);
  }

  /** Writes the sample of a second; without `isNew` it has none. */
  put(second: number, isNew: boolean): void {
    for (const name of NAMES) {
      const total = isNew ? this.#total(name) : this.#totals[name];
      // The copies of a subscription that was deleted are not counted any more.
      const count = Math.max(0, total - this.#totals[name]);
      this.#totals[name] = total;
      if (count > 0) {
        this.#usedAt = second;
        this.counts ??= {
          in: new Uint32Array(KEPT_SECONDS),
          out: new Uint32Array(KEPT_SECONDS),
          deadLettered: new Uint32Array(KEPT_SECONDS),
        };
      }
      if (this.counts !== undefined) this.counts[name][indexOf(second)] = count;
    }
    if (this.#usedAt <= second - KEPT_SECONDS) this.counts = undefined;
  }

  #total(name: SeriesName): number {
    const moved = name === 'deadLettered' ? 0 : this.moved[name];
    return this.#counted[name].reduce((sum, counted) => sum + this.tally.countOf(counted), moved);
  }
}

/** The copies that each topic has passed on to its subscriptions, by its path. */
function passedOn(byPath: ReadonlyMap<string, Tally>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [path, tally] of byPath) {
    const at = path.indexOf('/Subscriptions/');
    if (at < 0) continue;
    const topic = path.slice(0, at);
    counts.set(topic, (counts.get(topic) ?? 0) + tally.countOf('routed'));
  }
  return counts;
}

function secondOf(time: number): number {
  return Math.floor(time / 1000);
}

function indexOf(second: number): number {
  return second % KEPT_SECONDS;
}
