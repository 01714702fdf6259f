// What the checked commands of a step are going to change, so that no later command of the step counts on it as it is.

/** The broker's own objects, and names of what is not there yet. */
type Thing = object | string;

export class Claims {
  #isOpen = false;
  readonly #taken = new Set<Thing>();
  readonly #amounts = new Map<Thing, number>();

  /** Whether a step is being checked. A lone command claims nothing, and finds nothing claimed. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
  }

  close(): void {
    this.#isOpen = false;
    this.#taken.clear();
    this.#amounts.clear();
  }

  /** Whether an earlier command of the step is going to change it. */
  has(thing: Thing): boolean {
    return this.#isOpen && this.#taken.has(thing);
  }

  take(thing: Thing): void {
    if (this.#isOpen) this.#taken.add(thing);
  }

  /** What earlier commands of the step are going to add to it, in bytes. */
  bytesFor(thing: Thing): number {
    return this.#isOpen ? (this.#amounts.get(thing) ?? 0) : 0;
  }

  addBytes(thing: Thing, bytes: number): void {
    if (this.#isOpen) this.#amounts.set(thing, this.bytesFor(thing) + bytes);
  }
}
