// Takes messages of a store by hand from whoever has them: receivers, schedules and the store itself.

import { MESSAGE_STATE } from '../contract/message-properties.js';
import type { MessageLock } from '../queue/message-lock.js';
import type { MessageStore } from '../store/queue.js';
import type { StoredMessage } from '../store/stored-message.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';

/** The turn in which messages of a store are managed. */
export type ManagedTurn = {
  readonly hold: MessageHold;
  readonly parts: BrokerParts;
  readonly turn: TurnInProgress;
  /** Gathers the numbers that moved and resubmitted messages have now. */
  readonly newSequenceNumbers: number[];
};

export class MessageHold {
  readonly store: MessageStore;
  readonly #parts: BrokerParts;
  /** Found by one search of all locks, when the first locked message is met. */
  #locks: ReadonlyMap<StoredMessage, MessageLock> | undefined;

  constructor(store: MessageStore, parts: BrokerParts) {
    this.store = store;
    this.#parts = parts;
  }

  lockOf(message: StoredMessage): MessageLock | undefined {
    if (!message.isLocked) return undefined;
    this.#locks ??= new Map(
      this.#parts.locks.held(({ store }) => store === this.store).map((lock) => [lock.message, lock]),
    );
    return this.#locks.get(message);
  }

  isInTransaction(message: StoredMessage): boolean {
    return this.lockOf(message)?.pinnedBy !== undefined || this.store.scheduled.isPinned(message);
  }

  /** Makes the message one that is not available, not locked and not among the scheduled ones. */
  take(message: StoredMessage): void {
    const lock = this.lockOf(message);
    if (lock !== undefined) this.#parts.locks.end(lock);
    if (message.state === MESSAGE_STATE.scheduled) this.store.scheduled.remove(message);
    if (message.isAvailable) this.store.log.withdraw(message);
  }
}
