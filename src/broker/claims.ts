// What checked commands are going to change: the commands of a step, or the operations of a transaction that has not been
// discharged. No later command of the same step or transaction may count on it as it is.

/** One of the broker's objects, or the name of something that is not there yet. */
type Claimable = object | string;

/** The claims of one step or transaction. */
export class ClaimSet {
  readonly taken = new Set<Claimable>();
  readonly bytes = new Map<Claimable, number>();
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
  has(thing: Claimable): boolean {
    return this.#set?.taken.has(thing) === true;
  }

  take(thing: Claimable): void {
    this.#set?.taken.add(thing);
  }

  /** What earlier commands are going to add to it, in bytes. */
  bytesFor(thing: Claimable): number {
    return this.#set?.bytes.get(thing) ?? 0;
  }

  addBytes(thing: Claimable, bytes: number): void {
    this.#set?.bytes.set(thing, this.bytesFor(thing) + bytes);
  }
}
