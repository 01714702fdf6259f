// What one turn has brought so far: events, effects, and the stores where messages and credit may now meet.

import type { Choices } from './choices.js';
import type { Effect } from './effect.js';
import type { MessageStore } from './entity/message-store.js';
import type { Queue } from './entity/queue.js';
import type { Event } from './event.js';
import type { Instant } from './instant.js';
import type { StoredMessage } from './message/stored-message.js';

export class TurnInProgress {
  readonly now: Instant;
  readonly choices: Choices;
  readonly events: Event[] = [];
  readonly effects: Effect[] = [];
  readonly #touched = new Set<MessageStore>();

  constructor(now: Instant, choices: Choices) {
    this.now = now;
    this.choices = choices;
  }

  /** A message came into this store or became available in it, or a receiver or credit came or went. */
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

  sequencePut(queue: Queue, partitionId: number): void {
    this.events.push({
      kind: 'sequence-put',
      storeId: queue.main.id,
      partitionId,
      nextSequenceNumber: queue.sequenceNumbers.upcoming(partitionId),
    });
  }
}
