// The counters of a queue, topic or subscription as its rows have them, and whether a number was given out by one of them.

/** How many numbers a partition has (SEQ-06), and an entity without partitions. */
const PARTITION_SIZE = 2 ** 48;
const ALL_NUMBERS = 2 ** 53;

export class Counters {
  readonly #isPartitioned: boolean;
  /** By partition. An entity without partitions has the counter of partition 0 alone. */
  readonly #nextNumbers = new Map<number, number>();

  constructor({ isPartitioned }: { readonly isPartitioned: boolean }) {
    this.#isPartitioned = isPartitioned;
  }

  /** Says what is wrong with a counter; undefined when the entity can have it. */
  put({ partitionId, nextSequenceNumber }: CounterRow): string | undefined {
    this.#nextNumbers.set(partitionId, nextSequenceNumber);
    if (this.#partitionOf(nextSequenceNumber) === partitionId) return undefined;
    return `has the counter ${nextSequenceNumber} of partition ${partitionId}, where it does not belong`;
  }

  /** Says what is wrong with a number; undefined when it was given out. */
  findProblem(sequenceNumber: number): string | undefined {
    const next = this.#nextNumbers.get(this.#partitionOf(sequenceNumber));
    if (next === undefined) return 'has no counter';
    // SEQ-11: it would be given to another message.
    return this.#isBelow(sequenceNumber, next) ? undefined : `is not below its entity's counter, ${next}`;
  }

  /** What is ahead of the counter by less than half of all numbers is not: the counter may have begun again at 0 (SEQ-07). */
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
