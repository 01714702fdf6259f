// The stored counters of a queue, topic or subscription, and the check that they have assigned a given sequence number.

/** The count of sequence numbers in a partition (SEQ-06), and in an entity without partitions. */
const PARTITION_SIZE = 2 ** 48;
const ALL_NUMBERS = 2 ** 53;

export class Counters {
  readonly #isPartitioned: boolean;
  /** By partition. An entity without partitions has only the counter of partition 0. */
  readonly #nextNumbers = new Map<number, number>();

  constructor({ isPartitioned }: { readonly isPartitioned: boolean }) {
    this.#isPartitioned = isPartitioned;
  }

  /** Adds a counter. Returns why it is invalid, or undefined when it is valid. */
  put({ partitionId, nextSequenceNumber }: CounterRow): string | undefined {
    this.#nextNumbers.set(partitionId, nextSequenceNumber);
    if (this.#partitionOf(nextSequenceNumber) === partitionId) return undefined;
    return `has the counter ${nextSequenceNumber} of partition ${partitionId}, where it does not belong`;
  }

  /** Returns why no counter can have assigned this number, or undefined when one has. */
  findProblem(sequenceNumber: number): string | undefined {
    const next = this.#nextNumbers.get(this.#partitionOf(sequenceNumber));
    if (next === undefined) return 'has no counter';
    // SEQ-11: otherwise another message would get the same number.
    return this.#isBelow(sequenceNumber, next) ? undefined : `is not below its entity's counter, ${next}`;
  }

  /** A number is below the counter unless it is ahead by less than half of all numbers, because counters roll over (SEQ-07). */
  #isBelow(sequenceNumber: number, next: number): boolean {
    const count = this.#isPartitioned ? PARTITION_SIZE : ALL_NUMBERS;
    const ahead = sequenceNumber < next ? sequenceNumber - next + count : sequenceNumber - next;
    return ahead >= count / 2;
  }

  #partitionOf(sequenceNumber: number): number {
    return this.#isPartitioned ? Math.floor(sequenceNumber / PARTITION_SIZE) : 0;
  }
}

type CounterRow = { readonly partitionId: number; readonly nextSequenceNumber: number };
