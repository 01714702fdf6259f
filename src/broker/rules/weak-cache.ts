// Keeps what was made for a key as long as someone else holds it; what nobody holds any more goes by itself.

/** Swept when it has doubled since, so that sweeping costs next to nothing. */
const LEAST_SWEPT = 64;

export class WeakCache<Value extends object> {
  readonly #references = new Map<string, WeakRef<Value>>();
  #sweepAt = LEAST_SWEPT;

  /** Of keys, some of which may have nothing left. */
  get size(): number {
    return this.#references.size;
  }

  get(key: string, make: () => Value): Value {
    const found = this.#references.get(key)?.deref();
    if (found !== undefined) return found;
    const made = make();
    this.#references.set(key, new WeakRef(made));
    if (this.#references.size >= this.#sweepAt) this.#sweep();
    return made;
  }

  #sweep(): void {
    for (const [key, reference] of this.#references) {
      if (reference.deref() === undefined) this.#references.delete(key);
    }
    this.#sweepAt = Math.max(LEAST_SWEPT, 2 * this.#references.size);
  }
}
