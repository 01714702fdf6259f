// The memory for request bodies, from their first byte until the request needs them no more. Above 8 MiB of them only those are read
// on that hold no more than their share, and one more at a time, as on AMQP connections.

/** All that wait, beside the one that is read to its end: more than a few pieces of each would only lie there. */
const LIMIT_BYTES = 8 * 1024 * 1024;
/** A body with no more than this is always read: the largest message of the standard tier. */
const FREE_BYTES = 256 * 1024;

export class BodyBudget {
  readonly #bodies = new Set<BodyShare>();
  #sum = 0;
  /** The body that is read beyond its share, so that it can finish. */
  #turn: BodyShare | undefined;
  #waiting: (() => void)[] = [];

  /** The share of a new body; `end` must be called. */
  open(): BodyShare {
    const share = new BodyShare(this);
    this.#bodies.add(share);
    return share;
  }

  /** Resolves when more of the body may be read, of which so many bytes have come now. */
  async grown(share: BodyShare, bytes: number): Promise<void> {
    share.bytes += bytes;
    this.#sum += bytes;
    while (this.#mustWait(share)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Whether a body waits to be read on. */
  get isWaitedFor(): boolean {
    return this.#waiting.length > 0;
  }

  ended(share: BodyShare): void {
    if (!this.#bodies.delete(share)) return;
    this.#sum -= share.bytes;
    if (this.#turn === share) this.#turn = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  #mustWait(share: BodyShare): boolean {
    const shareBytes = FREE_BYTES + LIMIT_BYTES / this.#bodies.size;
    if (this.#sum <= LIMIT_BYTES || share.bytes <= shareBytes) return false;
    this.#turn ??= share;
    return this.#turn !== share;
  }
}

/** The bytes of one body. */
export class BodyShare {
  bytes = 0;
  readonly #budget: BodyBudget;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  grown(bytes: number): Promise<void> {
    return this.#budget.grown(this, bytes);
  }

  /** Whether another body waits until there is room. */
  get isWaitedFor(): boolean {
    return this.#budget.isWaitedFor;
  }

  end(): void {
    this.#budget.ended(this);
  }
}
