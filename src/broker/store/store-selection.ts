// The selectors of the receivers of a store: a cursor for each different one, and the receivers that wait for the answer to a drain.

import type { Instant } from '../contract/instant.js';
import type { CompiledFilter } from '../rules/compile-filter.js';
import type { Receiver } from './receiver.js';
import { SelectorCursor } from './selector-cursor.js';
import type { StoredMessage } from './stored-message.js';

/**
 * The cursors without a receiver that a store keeps: JMS programs often make a consumer for each call, and the next one with the same
 * selector goes on where the last one was.
 */
const MAX_KEPT = 4;
/** The returned messages that all cursors together remember, and the least number for each. With more a cursor goes back. */
const MAX_BEHIND = 100_000;
const LEAST_BEHIND = 64;

export class StoreSelection {
  /** Receivers whose unused credit is to be discarded once nothing is found for them (JMS-36). */
  readonly draining = new Set<Receiver>();
  /** Whether the last dispatch had no time to find out all that can be delivered. */
  isUnfinished = false;
  /** Until then commands leave the search to the next tick. */
  restsUntil: Instant = 0;
  readonly #cursors = new Map<CompiledFilter | undefined, SelectorCursor>();
  #selectiveCount = 0;
  /** The filters of cursors without a receiver, the newest last. */
  readonly #kept = new Set<CompiledFilter | undefined>();
  /** No cursor has got beyond this number. */
  #furthest = Number.POSITIVE_INFINITY;

  /** Whether deliveries need it: without receivers that select, a store delivers as if there had never been one. */
  get isNeeded(): boolean {
    return this.#selectiveCount > 0 || this.draining.size > 0;
  }

  attached({ filter }: Receiver): void {
    this.#cursorOf(filter).receiverCount += 1;
    this.#kept.delete(filter);
    if (filter !== undefined) this.#selectiveCount += 1;
  }

  detached(receiver: Receiver): void {
    const { filter } = receiver;
    this.draining.delete(receiver);
    if (filter === undefined) return;
    const cursor = this.#cursorOf(filter);
    cursor.receiverCount -= 1;
    this.#selectiveCount -= 1;
    if (cursor.receiverCount > 0) return;
    this.#kept.add(filter);
    this.#dropKept(MAX_KEPT);
  }

  /** Forgets the cursors without a receiver. */
  forgetKept(): void {
    this.#dropKept(0);
  }

  /** To look for messages with it. */
  cursorOf({ filter }: Receiver): SelectorCursor {
    this.#furthest = Number.POSITIVE_INFINITY;
    return this.#cursorOf(filter);
  }

  /** Costs nothing for new messages, and little for many returned ones. */
  becameAvailable(message: StoredMessage): void {
    if (message.sequenceNumber >= this.#furthest) return;
    const mostBehind = Math.max(LEAST_BEHIND, MAX_BEHIND / this.#cursors.size);
    this.#furthest = 0;
    for (const cursor of this.#cursors.values()) {
      cursor.becameAvailable(message, mostBehind);
      this.#furthest = Math.max(this.#furthest, cursor.end);
    }
  }

  storeEmptied(): void {
    for (const cursor of this.#cursors.values()) cursor.storeEmptied();
  }

  /** A receiver without a selector that was attached before the first one with a selector has its cursor when it is first needed. */
  #cursorOf(filter: CompiledFilter | undefined): SelectorCursor {
    const existing = this.#cursors.get(filter);
    if (existing !== undefined) return existing;
    const cursor = new SelectorCursor(filter);
    this.#cursors.set(filter, cursor);
    return cursor;
  }

  #dropKept(most: number): void {
    for (const filter of this.#kept) {
      if (this.#kept.size <= most) return;
      this.#kept.delete(filter);
      this.#cursors.delete(filter);
    }
  }
}
