// A receiver attached to a store, its credit for deliveries, and the queue of all outstanding credit of a store.

import { assert } from '../assert.js';
import type { ReceiveMode } from '../command.js';
import type { Instant } from '../instant.js';

/** A receiver's lock on a session, as far as message locks depend on it; `sessions/` implements it. */
export type SessionHold = {
  /** When it expires, if `runsOut`. */
  readonly dueAt: Instant;
  readonly runsOut: boolean;
  /** Tokens of the messages delivered under it and not settled; set only by `MessageLocks`. */
  readonly lockTokens: Set<string>;
};

type ReceiverFields = Pick<Receiver, 'linkId' | 'receiveMode' | 'connectionId' | 'keepsLocks' | 'client'>;

export class Receiver {
  readonly linkId: number;
  readonly receiveMode: ReceiveMode;
  /** The connection whose requests may use the session that this receiver holds or waits for. */
  readonly connectionId: number | undefined;
  /** Whether its locks outlive it even with the option `releaseLocksOnDetach`. */
  readonly keepsLocks: boolean;
  readonly client: string | undefined;
  /** Set only by `SessionLocks`. */
  sessionLock: SessionHold | undefined;
  /** Deliveries it may still get. Without a session, changed only by the credit queue of its store. */
  credit = 0;
  /** Credit used since the attach: deliveries, and credit discarded by drains. */
  usedCredit = 0;

  constructor({ linkId, receiveMode, connectionId, keepsLocks, client }: ReceiverFields) {
    this.linkId = linkId;
    this.receiveMode = receiveMode;
    this.connectionId = connectionId;
    this.keepsLocks = keepsLocks;
    this.client = client;
  }

  /** Counts one delivery. */
  useCredit(): void {
    this.credit -= 1;
    this.usedCredit += 1;
  }
}

type Entry = { readonly receiver: Receiver; count: number };

/** The outstanding credit of a store's receivers in order of arrival: first come, first served (RCV-04). */
export class CreditQueue {
  #entries: Entry[] = [];

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Adds credit at the end of the queue (CRD-04), or removes the receiver's latest credit. */
  setCredit(receiver: Receiver, credit: number): void {
    if (credit > receiver.credit) this.#append(receiver, credit - receiver.credit);
    else if (credit < receiver.credit) this.#takeAway(receiver, receiver.credit - credit);
    receiver.credit = credit;
  }

  /** Takes one credit from the receiver that is first in line (RCV-04). */
  use(): Receiver {
    const entry = this.#entries[0];
    assert(entry !== undefined, 'credit was used although no receiver has any');
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
