// When something is next due in each store: a schedule, an expiry, old message-ids, or the end of an idle queue.

import { Deadlines } from '../deadlines.js';
import { type Instant, NEVER } from '../instant.js';
import { nextExpiry } from '../message/time-to-live.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { MessageStore } from './message-store.js';

export class StoreDeadlines {
  readonly #deadlines = new Deadlines<MessageStore>();

  get next(): Instant {
    return this.#deadlines.next;
  }

  /** The stores in which something is due; they are in the list again when they are refreshed. */
  takeDue(now: Instant): readonly MessageStore[] {
    const taken: MessageStore[] = [];
    for (let store = this.#deadlines.due(now); store !== undefined; store = this.#deadlines.due(now)) {
      this.remove(store);
      taken.push(store);
    }
    return taken;
  }

  /** To be called when anything in the store has changed. */
  refresh(store: MessageStore, turn: TurnInProgress): void {
    this.#set(store, nextOf(store, turn));
  }

  remove(store: MessageStore): void {
    this.#set(store, NEVER);
  }

  #set(store: MessageStore, dueAt: Instant): void {
    if (dueAt === store.dueAt) return;
    if (dueAt === NEVER) {
      this.#deadlines.remove(store);
      store.dueAt = dueAt;
    } else if (store.dueAt === NEVER) {
      store.dueAt = dueAt;
      this.#deadlines.add(store);
    } else this.#deadlines.postpone(store, dueAt);
  }
}

function nextOf(store: MessageStore, turn: TurnInProgress): Instant {
  const forwardAt = Math.max(store.forwardAt, turn.now + 1);
  if (store.isDeadLetterQueue) return forwardAt; // TTL-11
  if (store.kind === 'transfer') return Math.min(nextExpiry(store, turn), forwardAt);
  const { messageIds, idleAt, description } = store.queue;
  const forgetAt = messageIds.forgetAt(description.duplicateDetectionHistoryTimeWindowMs);
  // A turn may have left some of what was due: that comes in the next.
  const scheduledAt = Math.max(store.scheduled.next, turn.now + 1);
  return Math.min(scheduledAt, nextExpiry(store, turn), forgetAt, idleAt, forwardAt);
}
