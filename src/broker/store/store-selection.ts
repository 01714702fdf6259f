// The selectors of the receivers of a store: a cursor for each different one, and the receivers that wait for the answer to a drain.

import type { CompiledFilter } from '../rules/compile-filter.js';
import type { Receiver } from './receiver.js';
import { SelectorCursor } from './selector-cursor.js';
import type { StoredMessage } from './stored-message.js';

/**
 * The cursors without a receiver that a store keeps: JMS programs often make a consumer for each call, and the next one with the same
 * selector goes on where the last one was.
 */
const MAX_KEPT = 4;

export class StoreSelection {
  /** Receivers whose unused credit is to be discarded once nothing is found for them (JMS-36). */
  readonly draining = new Set<Receiver>();
  /** Whether the last dispatch had no time to find out all that can be delivered. */
  isUnfinished = false;
  readonly #cursors = new Map<CompiledFilter | undefined, SelectorCursor>();
  #selectiveCount = 0;

  /** Whether deliveries need it: without receivers that select, a store delivers as if there had never been one. */
  get isNeeded(): boolean {
    return this.#selectiveCount > 0 || this.draining.size > 0;
  }

  attached({ filter }: Receiver): void {
    this.#cursorOf(filter).receiverCount += 1;
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
    // As the newest of those without a receiver.
    this.#cursors.delete(filter);
    this.#cursors.set(filter, cursor);
    this.#dropKept(MAX_KEPT);
  }

  /** Forgets the cursors without a receiver. */
  forgetKept(): void {
    this.#dropKept(0);
  }

  cursorOf({ filter }: Receiver): SelectorCursor {
    return this.#cursorOf(filter);
  }

  becameAvailable(message: StoredMessage): void {
    for (const cursor of this.#cursors.values()) cursor.becameAvailable(message);
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
    const kept = [...this.#cursors].filter(([, { receiverCount }]) => receiverCount === 0);
    for (const [filter] of kept.slice(0, Math.max(0, kept.length - most))) this.#cursors.delete(filter);
  }
}
