// A receiver that only browses (PEEK-12): it sees each active message once, in order, locked or not (JMS-37), and changes none.

import type { Instant } from '../contract/instant.js';
import type { CompiledFilter } from '../rules/compile-filter.js';
import type { MessageLog } from './message-log.js';
import { MessagesBehind } from './messages-behind.js';
import type { Examine } from './selector-cursor.js';
import type { StoredMessage } from './stored-message.js';

/** The store of a browser. */
type BrowsedStore = {
  readonly log: Pick<MessageLog, 'firstBrowsableFrom' | 'end'>;
  isExpired(message: StoredMessage, now: Instant): boolean;
};

export class Browser {
  readonly linkId: number;
  /** The number of messages it may still be shown. */
  credit = 0;
  /** Its selector (JMS-38); undefined: it sees all. */
  readonly filter: CompiledFilter | undefined;
  /** Whether its client waits for the end of the messages (CRD-02). */
  isDraining = false;
  /** Whether the last turn had no time to look at all messages. */
  isUnfinished = false;
  /** Credit used since the attach: messages shown, and credit discarded by drains. */
  usedCredit = 0;
  /**
   * Messages from this number on are found in the log when it has credit, so that new ones cost nothing until then. At the end of the log
   * it is behind deferred and scheduled messages too, so that they are not looked at in each turn.
   */
  #cursor = 0;
  /** Messages that became available before the cursor, such as those of other partitions, and returned ones that its selector did not take. */
  readonly #behind = new MessagesBehind(({ isBrowsable }) => isBrowsable);
  /** Weak, so that removed messages take no memory. */
  readonly #shown = new WeakSet<StoredMessage>();
  readonly #store: BrowsedStore;

  constructor(linkId: number, store: BrowsedStore, filter?: CompiledFilter) {
    this.linkId = linkId;
    this.filter = filter;
    this.#store = store;
  }

  /** Must be called for each message of its store that becomes available. */
  becameAvailable(message: StoredMessage): void {
    if (message.sequenceNumber >= this.#cursor || this.#shown.has(message)) return;
    this.#behind.add(message);
  }

  /** Forgets the messages of a store that was emptied. It goes on behind the last message that it was shown. */
  storeEmptied(): void {
    this.#behind.clear();
  }

  /**
   * Takes the message with the lowest number that was not shown and that `examine` takes, and marks it as shown. Undefined as well if
   * `examine` has no time, which `isUnfinished` then says.
   */
  next(now: Instant, examine: Examine): StoredMessage | undefined {
    this.isUnfinished = false;
    for (let message = this.#take(); message !== undefined; message = this.#take()) {
      if (this.#shown.has(message) || this.#isExpired(message, now)) continue;
      const isTaken = examine(message);
      if (isTaken === undefined) {
        this.#behind.add(message);
        this.isUnfinished = true;
        return undefined;
      }
      if (!isTaken) continue;
      this.#shown.add(message);
      return message;
    }
    return undefined;
  }

  #take(): StoredMessage | undefined {
    const behind = this.#behind.takeFirst();
    if (behind !== undefined) return behind;
    const { log } = this.#store;
    const message = log.firstBrowsableFrom(this.#cursor);
    this.#cursor = message === undefined ? Math.max(this.#cursor, log.end) : message.sequenceNumber + 1;
    return message;
  }

  /** TTL-06: what is locked has not expired. */
  #isExpired(message: StoredMessage, now: Instant): boolean {
    return !message.isLocked && this.#store.isExpired(message, now);
  }
}
