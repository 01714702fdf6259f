// The objects that checked commands will change: the commands of a step, or the operations of an open transaction. A later
// command of the same step or transaction must not rely on their present state.

/** One of the broker's objects, or the name of an object that does not exist yet. */
type Claimable = object | string;

/** The claims of one step or transaction. */
export class ClaimSet {
  readonly taken = new Set<Claimable>();
  readonly bytes = new Map<Claimable, number>();
}

export class Claims {
  #set: ClaimSet | undefined;

  /** Whether a step or transaction is being checked. A single command claims nothing and sees no claims. */
  get isOpen(): boolean {
    return this.#set !== undefined;
  }

  /** Makes checks read this set and add to it, until `close`. */
  open(set: ClaimSet): void {
    this.#set = set;
  }

  close(): void {
    this.#set = undefined;
  }

  /** Whether an earlier command will change it. */
  has(thing: Claimable): boolean {
    return this.#set?.taken.has(thing) === true;
  }

  take(thing: Claimable): void {
    this.#set?.taken.add(thing);
  }

  /** Bytes that earlier commands will add to it. */
  bytesFor(thing: Claimable): number {
    return this.#set?.bytes.get(thing) ?? 0;
  }

  addBytes(thing: Claimable, bytes: number): void {
    this.#set?.bytes.set(thing, this.bytesFor(thing) + bytes);
  }
}
