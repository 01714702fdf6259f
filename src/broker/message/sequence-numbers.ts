// The numbers of a queue's messages: one counter, or one for each partition of a partitioned queue (SEQ-02, SEQ-06).

import { PARTITION_COUNT, PARTITION_SIZE } from './partition.js';

export class SequenceNumbers {
  /** Of each partition, within it. */
  readonly #next: number[];
  readonly #last: number;

  constructor({ isPartitioned }: { readonly isPartitioned: boolean }) {
    this.#next = new Array<number>(isPartitioned ? PARTITION_COUNT : 1).fill(1); // SEQ-01
    // Differs from Azure: without partitions it counts to 2^63, which no queue will ever come to either.
    this.#last = isPartitioned ? PARTITION_SIZE - 1 : Number.MAX_SAFE_INTEGER;
  }

  /** Whether one was ever handed out. */
  get haveBegun(): boolean {
    return this.#next.some((next) => next !== 1);
  }

  /** The number that will be handed out next. */
  upcoming(partitionId: number): number {
    return partitionId * PARTITION_SIZE + this.#nextOf(partitionId);
  }

  take(partitionId: number): number {
    const taken = this.upcoming(partitionId);
    const within = this.#nextOf(partitionId);
    this.#next[partitionId] = within === this.#last ? 0 : within + 1; // SEQ-07
    return taken;
  }

  /** After a restart: goes on from `upcoming` (SEQ-11). */
  resume(partitionId: number, upcoming: number): void {
    this.#next[partitionId] = upcoming - partitionId * PARTITION_SIZE;
  }

  #nextOf(partitionId: number): number {
    return this.#next[partitionId] ?? 1;
  }
}
