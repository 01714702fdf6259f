// What checked commands are going to change: the commands of a step, or the operations of a transaction that has not been
// discharged. No later command of the same step or transaction may count on it as it is.

/** The broker's own objects, and names of what is not there yet. */
type Thing = object | string;

/** The claims of one step or transaction. */
export class ClaimSet {
  readonly taken = new Set<Thing>();
  readonly bytes = new Map<Thing, number>();
}

export class Claims {
  #set: ClaimSet | undefined;

  /** Whether commands are being checked that belong together. A lone command claims nothing, and finds nothing claimed. */
  get isOpen(): boolean {
    return this.#set !== undefined;
  }

  /** Until `close` checks look at this set and add to it. */
  open(set: ClaimSet): void {
    this.#set = set;
  }

  close(): void {
    this.#set = undefined;
  }

  /** Whether an earlier command is going to change it. */
  has(thing: Thing): boolean {
    return this.#set?.taken.has(thing) === true;
  }

  take(thing: Thing): void {
    this.#set?.taken.add(thing);
  }

  /** What earlier commands are going to add to it, in bytes. */
  bytesFor(thing: Thing): number {
    return this.#set?.bytes.get(thing) ?? 0;
  }

  addBytes(thing: Thing, bytes: number): void {
    this.#set?.bytes.set(thing, this.bytesFor(thing) + bytes);
  }
}
