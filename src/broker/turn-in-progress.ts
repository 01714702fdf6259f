// What one turn has brought so far: events, effects, and the stores where messages and credit may now meet.

import type { Effect } from './effect.js';
import type { MessageStore } from './entity/message-store.js';
import type { Queue } from './entity/queue.js';
import type { Event } from './event.js';
import type { Instant } from './instant.js';
import type { StoredMessage } from './message/stored-message.js';

export class TurnInProgress {
  readonly now: Instant;
  readonly events: Event[] = [];
  readonly effects: Effect[] = [];
  readonly #touched = new Set<MessageStore>();

  constructor(now: Instant) {
    this.now = now;
  }

  /** A message became available in this store, or credit came to it. */
  touch(store: MessageStore): void {
    this.#touched.add(store);
  }

  /** The touched stores in the order they were touched; asked again, only those touched since. */
  takeTouched(): readonly MessageStore[] {
    if (this.#touched.size === 0) return [];
    const touched = [...this.#touched];
    this.#touched.clear();
    return touched;
  }

  queuePut(queue: Queue): void {
    this.events.push({ kind: 'queue-put', queue: queue.record() });
  }

  messagePut(store: MessageStore, message: StoredMessage): void {
    this.events.push({ kind: 'message-put', storeId: store.id, message: message.record() });
  }

  messageRemoved(store: MessageStore, message: StoredMessage): void {
    this.events.push({
      kind: 'message-removed',
      storeId: store.id,
      sequenceNumber: message.sequenceNumber,
    });
  }

  sequencePut(queue: Queue): void {
    this.events.push({
      kind: 'sequence-put',
      storeId: queue.main.id,
      nextSequenceNumber: queue.sequenceNumbers.upcoming,
    });
  }
}
