// The partitions of a partitioned entity (PRT-01), and sequence numbers, which contain the partition's id (SEQ-06).

import type { QueueDescription } from '../contract/entities/queue-description.js';
import type { NewMessage } from '../contract/message-properties.js';

/** The number of partitions in Azure's Standard tier (PRT-01). */
export const PARTITION_COUNT = 16;

/** Sequence numbers of one partition: the top 16 of the 64 bits are the partition's id. 16 times this is still a safe integer. */
export const PARTITION_SIZE = 2 ** 48;

/** PRT-02: the key that a message brings to a partitioned entity. */
export function keyOf(
  { requiresDuplicateDetection }: QueueDescription,
  { sessionId, partitionKey, messageId }: NewMessage,
): string | undefined {
  return sessionId ?? partitionKey ?? (requiresDuplicateDetection ? messageId : undefined);
}

/** The partition of a key: its FNV-1a hash over UTF-16 units, modulo the number of partitions. */
export function partitionOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % PARTITION_COUNT;
}

export function partitionIdOf(sequenceNumber: number): number {
  return Math.floor(sequenceNumber / PARTITION_SIZE);
}

/** The sequence numbers of a queue: one counter, or one for each partition of a partitioned queue (SEQ-02, SEQ-06). */
export class SequenceNumbers {
  /** The next number of each partition, without the partition's id. */
  readonly #next: number[];
  readonly #last: number;

  constructor({ isPartitioned }: { readonly isPartitioned: boolean }) {
    this.#next = new Array<number>(isPartitioned ? PARTITION_COUNT : 1).fill(1); // SEQ-01
    // Differs from Azure: without partitions Azure counts to 2^63. No queue reaches either limit.
    this.#last = isPartitioned ? PARTITION_SIZE - 1 : Number.MAX_SAFE_INTEGER;
  }

  /** Whether any number was taken. */
  get haveBegun(): boolean {
    return this.#next.some((next) => next !== 1);
  }

  /** The number that `take` returns next. */
  upcoming(partitionId: number): number {
    return partitionId * PARTITION_SIZE + this.#nextOf(partitionId);
  }

  take(partitionId: number): number {
    const taken = this.upcoming(partitionId);
    const within = this.#nextOf(partitionId);
    this.#next[partitionId] = within === this.#last ? 0 : within + 1; // SEQ-07
    return taken;
  }

  /** Continues from `upcoming` after a restart (SEQ-11). */
  resume(partitionId: number, upcoming: number): void {
    this.#next[partitionId] = upcoming - partitionId * PARTITION_SIZE;
  }

  #nextOf(partitionId: number): number {
    return this.#next[partitionId] ?? 1;
  }
}
