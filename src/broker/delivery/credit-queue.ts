// The outstanding credit of a store's receivers in order of arrival: first come, first served (RCV-04).

import { assert } from '../assert.js';
import type { Receiver } from './receiver.js';

type Entry = { readonly receiver: Receiver; count: number };

export class CreditQueue {
  #entries: Entry[] = [];

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Lines up behind all credit there is (CRD-04), or takes away the receiver's latest. */
  setCredit(receiver: Receiver, credit: number): void {
    if (credit > receiver.credit) this.#append(receiver, credit - receiver.credit);
    else if (credit < receiver.credit) this.#takeAway(receiver, receiver.credit - credit);
    receiver.credit = credit;
  }

  /** The receiver whose turn it is (RCV-04), one credit poorer. */
  use(): Receiver {
    const entry = this.#entries[0];
    assert(entry !== undefined, 'credit was used that nobody has');
    entry.count -= 1;
    if (entry.count === 0) this.#entries.shift();
    entry.receiver.useCredit();
    return entry.receiver;
  }

  #append(receiver: Receiver, count: number): void {
    const last = this.#entries.at(-1);
    if (last?.receiver === receiver) last.count += count;
    else this.#entries.push({ receiver, count });
  }

  #takeAway(receiver: Receiver, count: number): void {
    let left = count;
    for (let i = this.#entries.length - 1; i >= 0 && left > 0; i--) {
      const entry = this.#entries[i];
      if (entry?.receiver !== receiver) continue;
      const taken = Math.min(entry.count, left);
      entry.count -= taken;
      left -= taken;
    }
    this.#entries = this.#entries.filter((entry) => entry.count > 0);
  }
}
