// Counts durations in the buckets of a histogram.

/** The upper bounds of the buckets in milliseconds, from a quick handler to the longest lock. One more bucket has no bound. */
export const BOUNDS_MS = [5, 25, 100, 500, 1000, 5000, 15_000, 60_000, 300_000] as const;

export class DurationCounts {
  readonly #counts = new Float64Array(BOUNDS_MS.length + 1);
  #sumMs = 0;

  /** The number of durations in each bucket, not including lower ones. The last bucket has no bound. */
  get counts(): readonly number[] {
    return [...this.#counts];
  }

  get sumMs(): number {
    return this.#sumMs;
  }

  add(durationMs: number): void {
    let bucket = 0;
    while (durationMs > (BOUNDS_MS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sumMs += durationMs;
  }
}
