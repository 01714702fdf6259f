// How many steps there were in each lane and when, in a ring of fixed size: counts stay exact where single messages are no longer kept.

import { firstIndex } from '../../../broker/collections/first-index.js';

/** A message comes in, is held, is settled, or fails. */
export const STEP = { in: 0, held: 1, done: 2, bad: 3 } as const;
export type StepKind = (typeof STEP)[keyof typeof STEP];

/** The counts of one lane in one stretch of time. */
export type Bucket = { readonly at: number; in: number; held: number; done: number; bad: number };

const CAPACITY = 262_144;
const COLUMNS = ['in', 'held', 'done', 'bad'] as const;

/** Times are milliseconds, and never go back from one step to the next. */
export class TimelineSteps {
  readonly #capacity: number;
  readonly #times: Float64Array;
  readonly #lanes: Uint32Array;
  readonly #kinds: Uint8Array;
  #count = 0;

  constructor(capacity = CAPACITY) {
    this.#capacity = capacity;
    this.#times = new Float64Array(capacity);
    this.#lanes = new Uint32Array(capacity);
    this.#kinds = new Uint8Array(capacity);
  }

  add(at: number, lane: number, kind: StepKind): void {
    const index = this.#count % this.#capacity;
    this.#times[index] = at;
    this.#lanes[index] = lane;
    this.#kinds[index] = kind;
    this.#count += 1;
  }

  /** The time of the oldest step; undefined before there is one. */
  get oldest(): number | undefined {
    return this.#count === 0 ? undefined : this.#timeOf(this.#first);
  }

  /** Whether steps have been forgotten. */
  get isCut(): boolean {
    return this.#first > 0;
  }

  /** The steps of each lane from one time to before another. */
  countByLane(from: number, to: number): Map<number, number> {
    const counts = new Map<number, number>();
    this.#each(from, to, (_, lane) => counts.set(lane, (counts.get(lane) ?? 0) + 1));
    return counts;
  }

  /** The counts of the lanes in stretches of `width` ms that begin at multiples of it. */
  buckets(from: number, to: number, width: number): Map<number, Bucket[]> {
    const first = Math.floor(from / width) * width;
    const byLane = new Map<number, Bucket[]>();
    this.#each(first, Math.ceil(to / width) * width, (time, lane, kind) => {
      const at = Math.floor(time / width) * width;
      const buckets = byLane.get(lane) ?? [];
      if (buckets.length === 0) byLane.set(lane, buckets);
      const last = buckets.at(-1);
      const bucket = last?.at === at ? last : { at, in: 0, held: 0, done: 0, bad: 0 };
      if (bucket !== last) buckets.push(bucket);
      bucket[COLUMNS[kind] ?? 'in'] += 1;
    });
    return byLane;
  }

  clear(): void {
    this.#count = 0;
  }

  get #first(): number {
    return Math.max(0, this.#count - this.#capacity);
  }

  #timeOf(step: number): number {
    return this.#times[step % this.#capacity] ?? 0;
  }

  #each(from: number, to: number, take: (time: number, lane: number, kind: StepKind) => void): void {
    for (let step = this.#indexOf(from); step < this.#count; step++) {
      const time = this.#timeOf(step);
      if (time >= to) return;
      const index = step % this.#capacity;
      take(time, this.#lanes[index] ?? 0, (this.#kinds[index] ?? 0) as StepKind);
    }
  }

  /** The first step that is not before the time. */
  #indexOf(time: number): number {
    const first = this.#first;
    return first + firstIndex(this.#count - first, (step) => this.#timeOf(first + step) < time);
  }
}
