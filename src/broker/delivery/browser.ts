// A receiver that only looks (PEEK-12): each message that becomes available is shown to it once, in order, and stays as it is.

import { BinaryHeap } from '../binary-heap.js';
import type { MessageStore } from '../entity/message-store.js';
import type { Instant } from '../instant.js';
import type { StoredMessage } from '../message/stored-message.js';
import { isExpired } from '../message/time-to-live.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { GivenCredit } from './receiver-credit.js';

/** Messages behind the cursor that may be available no more, besides as many as are. */
const MAX_USELESS = 64;

export class Browser {
  readonly linkId: number;
  readonly store: MessageStore;
  /** Messages it may still be shown. */
  credit = 0;
  /** Credit it had and has no more: messages shown, and what it gave up in drains. */
  usedCredit = 0;
  /** Available messages with this number or a later one have not been looked at; infinite when there were none left. */
  #cursor = 0;
  /** Became available behind the cursor: the new ones, once it is at the end, and others that came back. */
  #behind = newHeap();
  #usefulCount = 0;
  /** Weakly, so that it does not grow with what is gone. */
  readonly #shown = new WeakSet<StoredMessage>();

  constructor(linkId: number, store: MessageStore) {
    this.linkId = linkId;
    this.store = store;
  }

  /** To be called for each message of its store. */
  becameAvailable(message: StoredMessage): void {
    if (message.sequenceNumber >= this.#cursor || this.#shown.has(message)) return;
    this.#behind.add(message);
    if (this.#behind.count > 2 * this.#usefulCount + MAX_USELESS) this.#tidy();
  }

  /** The available message with the lowest number that it has not been shown; it counts as shown. */
  next(now: Instant): StoredMessage | undefined {
    for (let message = this.#take(); message !== undefined; message = this.#take()) {
      if (this.#shown.has(message) || isExpired(this.store, message, now)) continue;
      this.#shown.add(message);
      return message;
    }
    return undefined;
  }

  #take(): StoredMessage | undefined {
    for (let first = this.#behind.takeFirst(); first !== undefined; first = this.#behind.takeFirst()) {
      if (first.isAvailable) return first;
    }
    const message = this.store.log.firstAvailableFrom(this.#cursor);
    this.#cursor = message === undefined ? Number.POSITIVE_INFINITY : message.sequenceNumber + 1;
    return message;
  }

  /** A client that gives no credit, and leaves its link open, holds no messages that are gone. */
  #tidy(): void {
    const useful = new Set<StoredMessage>();
    for (const message of this.#behind.items()) if (message.isAvailable) useful.add(message);
    this.#behind = newHeap();
    for (const message of useful) this.#behind.add(message);
    this.#usefulCount = useful.size;
  }
}

/** Shows the browsers of a store what there is for them, before a receiver takes it. */
export function showToBrowsers(store: MessageStore, turn: TurnInProgress): void {
  for (const browser of store.browsers) show(browser, turn);
}

export function giveBrowserCredit(
  browser: Browser,
  { deliveryLimit, drain }: GivenCredit,
  turn: TurnInProgress,
): void {
  browser.store.queue.used(turn.now);
  browser.credit = Math.max(0, deliveryLimit - browser.usedCredit);
  show(browser, turn);
  if (!drain) return;
  // CRD-02: so a client learns that it is at the end.
  browser.usedCredit += browser.credit;
  browser.credit = 0;
  const { linkId, usedCredit: deliveredCount } = browser;
  turn.effects.push({ kind: 'drained', linkId, deliveredCount });
}

function show(browser: Browser, turn: TurnInProgress): void {
  const { linkId, store } = browser;
  while (browser.credit > 0) {
    const message = browser.next(turn.now);
    if (message === undefined) return;
    browser.credit -= 1;
    browser.usedCredit += 1;
    store.queue.used(turn.now);
    const properties = message.properties(store.partitionIdOf(message));
    const delivery = {
      contentId: message.contentId,
      properties,
      lockToken: undefined,
      lockedUntil: undefined,
    };
    turn.effects.push({ kind: 'deliver', linkId, delivery });
  }
}

function newHeap(): BinaryHeap<StoredMessage> {
  return new BinaryHeap({ isBefore: (a, b) => a.sequenceNumber < b.sequenceNumber });
}
