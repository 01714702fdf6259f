// The outstanding credit of a store's receivers in order of arrival: first come, first served (RCV-04).

import { assert } from '../contract/assert.js';
import type { Receiver } from './receiver.js';

/** Credit given at one time. Entries are linked in two lists, all of the queue and all of its receiver, so that none is searched for. */
export type CreditEntry = {
  readonly receiver: Receiver;
  count: number;
  previous: CreditEntry | undefined;
  next: CreditEntry | undefined;
  /** The receiver's entries before and after this one. */
  earlier: CreditEntry | undefined;
  later: CreditEntry | undefined;
};

export class CreditQueue {
  #first: CreditEntry | undefined;
  #last: CreditEntry | undefined;
  readonly #latestOf = new Map<Receiver, CreditEntry>();

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  /** Adds credit at the end of the queue (CRD-04), or removes the receiver's latest credit. */
  setCredit(receiver: Receiver, credit: number): void {
    if (credit > receiver.credit) this.#append(receiver, credit - receiver.credit);
    else if (credit < receiver.credit) this.#takeAway(receiver, receiver.credit - credit);
    receiver.credit = credit;
  }

  /** In the order of arrival; a receiver may have several. */
  *entries(): Generator<CreditEntry> {
    for (let entry = this.#first; entry !== undefined; entry = entry.next) yield entry;
  }

  /** Takes one credit, unless told otherwise from the receiver that is first in line (RCV-04). */
  use(entry = this.#first): Receiver {
    assert(entry !== undefined, 'credit was used although no receiver has any');
    entry.count -= 1;
    if (entry.count === 0) this.#remove(entry);
    entry.receiver.useCredit();
    return entry.receiver;
  }

  #append(receiver: Receiver, count: number): void {
    const last = this.#last;
    if (last?.receiver === receiver) {
      last.count += count;
      return;
    }
    const earlier = this.#latestOf.get(receiver);
    const entry = { receiver, count, previous: last, next: undefined, earlier, later: undefined };
    if (last === undefined) this.#first = entry;
    else last.next = entry;
    if (earlier !== undefined) earlier.later = entry;
    this.#last = entry;
    this.#latestOf.set(receiver, entry);
  }

  #takeAway(receiver: Receiver, count: number): void {
    let left = count;
    for (let entry = this.#latestOf.get(receiver); entry !== undefined && left > 0; entry = entry.earlier) {
      const taken = Math.min(entry.count, left);
      entry.count -= taken;
      left -= taken;
      if (entry.count === 0) this.#remove(entry);
    }
  }

  #remove(entry: CreditEntry): void {
    const { receiver, previous, next, earlier, later } = entry;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    if (earlier !== undefined) earlier.later = later;
    if (later !== undefined) later.earlier = earlier;
    else if (earlier !== undefined) this.#latestOf.set(receiver, earlier);
    else this.#latestOf.delete(receiver);
  }
}
