// Messages in and out of each entity in each second of the last five minutes, counted from the events.

import type { PageEvent } from './page-event.js';

export const SECONDS = 300;
/** The seconds over which a rate is the mean. */
const MEAN_SECONDS = 5;

const INCOMING: ReadonlySet<string> = new Set(['accepted', 'enqueued', 'routed', 'scheduled']);
/** A delivery that is settled, or a message that leaves by itself. */
const OUTGOING: ReadonlySet<string> = new Set(['completed', 'consumed', 'forwarded']);

type Counts = { readonly incoming: Float64Array; readonly outgoing: Float64Array };

/** Times are milliseconds of the machine's clock. */
export class Rates {
  readonly #byPath = new Map<string, Counts>();
  #second = 0;

  /** The paths of entities are those of their stores: a dead-letter queue has counts of its own. */
  add({ kind, path, time }: PageEvent): void {
    const isIncoming = INCOMING.has(kind);
    if (path === undefined || (!isIncoming && !OUTGOING.has(kind))) return;
    const second = Math.floor(Date.parse(time) / 1000);
    this.moveTo(second);
    if (second <= this.#second - SECONDS) return;
    const { incoming, outgoing } = this.#countsOf(path);
    const series = isIncoming ? incoming : outgoing;
    series[second % SECONDS] = (series[second % SECONDS] ?? 0) + 1;
  }

  /** Forgets the seconds that are more than five minutes ago. */
  moveTo(second: number): void {
    const from = Math.max(this.#second + 1, second - SECONDS + 1);
    for (const { incoming, outgoing } of this.#byPath.values()) {
      for (let passed = from; passed <= second; passed++) {
        incoming[passed % SECONDS] = 0;
        outgoing[passed % SECONDS] = 0;
      }
    }
    this.#second = Math.max(this.#second, second);
  }

  /** Messages a second, over the last five whole seconds. */
  of(path: string): { readonly incoming: number; readonly outgoing: number } {
    const counts = this.#byPath.get(path);
    if (counts === undefined) return { incoming: 0, outgoing: 0 };
    return { incoming: this.#mean(counts.incoming), outgoing: this.#mean(counts.outgoing) };
  }

  /** The counts of each second, the oldest first. */
  seriesOf(path: string): { readonly incoming: readonly number[]; readonly outgoing: readonly number[] } {
    const counts = this.#byPath.get(path);
    const read = (series: Float64Array | undefined) =>
      Array.from({ length: SECONDS }, (_, index) => series?.[(this.#second + 1 + index) % SECONDS] ?? 0);
    return { incoming: read(counts?.incoming), outgoing: read(counts?.outgoing) };
  }

  clear(): void {
    this.#byPath.clear();
  }

  #mean(series: Float64Array): number {
    let sum = 0;
    for (let back = 1; back <= MEAN_SECONDS; back++) {
      sum += series[(this.#second - back + SECONDS) % SECONDS] ?? 0;
    }
    return sum / MEAN_SECONDS;
  }

  #countsOf(path: string): Counts {
    const known = this.#byPath.get(path);
    if (known !== undefined) return known;
    const counts = { incoming: new Float64Array(SECONDS), outgoing: new Float64Array(SECONDS) };
    this.#byPath.set(path, counts);
    return counts;
  }
}
