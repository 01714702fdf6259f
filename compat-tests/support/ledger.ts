// The client's own account of every message: what the broker has told it, and so what must be there after a crash.

export type Delivered = {
  readonly id: string;
  readonly checksum: string;
  readonly sequenceNumber: number;
};

type Entry = {
  readonly checksum: string;
  /** Messages of one batch are stored together or not at all (SND-11). */
  readonly batch: string;
  isAccepted: boolean;
  /** Delivered at least once. What was delivered was durable, also when its sender never heard of it. */
  isSeen: boolean;
  completion: 'none' | 'asked' | 'confirmed';
  sequenceNumber: number | undefined;
  /** Until then nobody else may get it; 0 when nobody holds it. */
  lockedUntil: number;
};

export class Ledger {
  /** Promises that the broker has already broken. */
  readonly problems: string[] = [];
  readonly #entries = new Map<string, Entry>();
  readonly #idOfSequenceNumber = new Map<number, string>();
  readonly #exclusiveMs: number;
  #acceptedCount = 0;
  #completedCount = 0;
  #backlogCount = 0;

  /** Nobody else may get a delivered message during `exclusiveMs`: a little less than the lock duration. */
  constructor(exclusiveMs: number) {
    this.#exclusiveMs = exclusiveMs;
  }

  get acceptedCount(): number {
    return this.#acceptedCount;
  }

  get completedCount(): number {
    return this.#completedCount;
  }

  /** By how much the queue has grown since the last crash. */
  get backlogCount(): number {
    return this.#backlogCount;
  }

  sending(message: { readonly id: string; readonly checksum: string; readonly batch: string }): void {
    this.#entries.set(message.id, {
      checksum: message.checksum,
      batch: message.batch,
      isAccepted: false,
      isSeen: false,
      completion: 'none',
      sequenceNumber: undefined,
      lockedUntil: 0,
    });
  }

  accepted(id: string): void {
    this.#entry(id).isAccepted = true;
    this.#acceptedCount++;
    this.#backlogCount++;
  }

  delivered(message: Delivered, now: number): void {
    const entry = this.#entries.get(message.id);
    if (entry === undefined) {
      this.problems.push(`${message.id} was delivered but never sent`);
      return;
    }
    this.#checkDelivery(message, entry);
    if (now < entry.lockedUntil) {
      this.problems.push(`${message.id} was delivered again while it was locked`);
    }
    entry.isSeen = true;
    if (entry.completion === 'asked') {
      entry.completion = 'none'; // the crash came first: it was not completed
    }
    entry.lockedUntil = now + this.#exclusiveMs;
  }

  completing(id: string): void {
    this.#entry(id).completion = 'asked';
  }

  completed(id: string): void {
    this.#entry(id).completion = 'confirmed';
    this.#completedCount++;
    this.#backlogCount--;
  }

  abandoning(id: string): void {
    this.#entry(id).lockedUntil = 0;
  }

  refused(id: string, now: number): void {
    const entry = this.#entry(id);
    entry.completion = 'none';
    if (now < entry.lockedUntil) {
      this.problems.push(`settling ${id} was refused although it was locked`);
    }
  }

  /** The broker is gone, and every lock that this client knew of may be gone with it. */
  crashed(): void {
    this.#backlogCount = 0;
    for (const entry of this.#entries.values()) {
      entry.lockedUntil = 0;
    }
  }

  /** Compares with everything that was left in the queue, and adds what is wrong to `problems`. */
  compare(remaining: readonly Delivered[]): void {
    const countOf = new Map<string, number>();
    for (const message of remaining) {
      this.delivered(message, Number.POSITIVE_INFINITY);
      countOf.set(message.id, (countOf.get(message.id) ?? 0) + 1);
    }
    for (const [id, entry] of this.#entries) {
      const count = countOf.get(id) ?? 0;
      const mustBeThere = (entry.isAccepted || entry.isSeen) && entry.completion === 'none';
      if (mustBeThere && count === 0) {
        this.problems.push(
          `${id} is lost: ${entry.isAccepted ? 'accepted' : 'delivered'} and never completed`,
        );
      }
      if (count > 1) {
        this.problems.push(`${id} is there ${count} times`);
      }
    }
    this.#checkBatches(new Set(countOf.keys()));
  }

  #checkDelivery(message: Delivered, entry: Entry): void {
    if (entry.completion === 'confirmed') {
      this.problems.push(`${message.id} was delivered after its completion was confirmed`);
    }
    if (entry.checksum !== message.checksum) {
      this.problems.push(`${message.id} came with another body than it was sent with`);
    }
    const owner = this.#idOfSequenceNumber.get(message.sequenceNumber) ?? message.id;
    if (owner !== message.id || message.sequenceNumber !== (entry.sequenceNumber ?? message.sequenceNumber)) {
      this.problems.push(`${message.id} came as number ${message.sequenceNumber}, which was ${owner}`);
    }
    entry.sequenceNumber = message.sequenceNumber;
    this.#idOfSequenceNumber.set(message.sequenceNumber, message.id);
  }

  #checkBatches(remaining: ReadonlySet<string>): void {
    const storedOf = new Map<string, Set<boolean>>();
    for (const [id, entry] of this.#entries) {
      const isStored = entry.isAccepted || entry.isSeen || remaining.has(id);
      storedOf.set(entry.batch, (storedOf.get(entry.batch) ?? new Set()).add(isStored));
    }
    for (const [batch, stored] of storedOf) {
      if (stored.size > 1) {
        this.problems.push(`${batch} was stored in part`);
      }
    }
  }

  #entry(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry === undefined) {
      throw new Error(`the ledger does not know ${id}`);
    }
    return entry;
  }
}
