// Ends links a few hundred at a time, so that others have their turn while a client with many links goes.

/** The most links that end without a pause. The broker needs 3 to 10 µs for each. */
const MAX_AT_ONCE = 500;

export class LinkEnds {
  readonly #end: (linkId: number) => void;
  readonly #defer: (continued: () => void) => void;
  readonly #waiting = new Set<number>();
  #endedCount = 0;
  #isDeferred = false;

  /** `defer` calls back when other work has had its turn. */
  constructor(end: (linkId: number) => void, defer: (continued: () => void) => void = setImmediate) {
    this.#end = end;
    this.#defer = defer;
  }

  /** Ends the link now, or in its turn. */
  add(linkId: number): void {
    if (this.#endedCount < MAX_AT_ONCE) this.#endOne(linkId);
    else this.#waiting.add(linkId);
    this.#deferRest();
  }

  #endOne(linkId: number): void {
    this.#endedCount += 1;
    this.#end(linkId);
  }

  #deferRest(): void {
    if (this.#isDeferred) return;
    this.#isDeferred = true;
    this.#defer(() => {
      this.#isDeferred = false;
      this.#endedCount = 0;
      for (const linkId of this.#waiting) {
        if (this.#endedCount === MAX_AT_ONCE) break;
        this.#waiting.delete(linkId);
        this.#endOne(linkId);
      }
      if (this.#waiting.size > 0) this.#deferRest();
    });
  }
}
