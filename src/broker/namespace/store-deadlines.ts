// The next due time of each store: a schedule, an expiry, old message-ids, an idle queue or a forwarding retry.

import { DueQueue } from '../collections/due-queue.js';
import { type Instant, NEVER } from '../contract/instant.js';
import { nextExpiry } from '../queue/time-to-live.js';
import type { MessageStore } from '../store/queue.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';

/** 1 to 3 ms of work, even if none of them has any. */
const MAX_TAKEN = 500;

export class StoreDeadlines {
  readonly #dueQueue = new DueQueue<MessageStore>();

  get next(): Instant {
    return this.#dueQueue.next;
  }

  /** Takes stores with due work from the list, those that are due first; `refresh` adds them again. A turn takes so many at most. */
  takeDue(now: Instant): readonly MessageStore[] {
    const taken: MessageStore[] = [];
    while (taken.length < MAX_TAKEN) {
      const store = this.#dueQueue.due(now);
      if (store === undefined) break;
      this.remove(store);
      taken.push(store);
    }
    return taken;
  }

  /** Called when anything in the store has changed. `hadTurn`: whether it could deliver anything in this turn. */
  refresh(store: MessageStore, turn: TurnInProgress, hadTurn: boolean): void {
    this.#dueQueue.setDue(store, nextOf(store, turn, hadTurn));
  }

  remove(store: MessageStore): void {
    this.#dueQueue.setDue(store, NEVER);
  }
}

function nextOf(store: MessageStore, turn: TurnInProgress, hadTurn: boolean): Instant {
  // A turn may leave some due work undone; the next one continues a millisecond later.
  const next = turn.now + 1;
  if (store.hasDeliveries) return hadTurn ? next : turn.now; // before those that have delivered some (RCV-15)
  const { forwardAt, kind } = store;
  if (store.isDeadLetterQueue || kind === 'fan-out') return forwardAt; // TTL-11
  if (kind === 'transfer') return Math.min(nextExpiry(store, turn), forwardAt);
  const { queue } = store;
  const { messageIds, idleAt, description } = queue;
  const forgetAt = messageIds.forgetAt(description.duplicateDetectionHistoryTimeWindowMs);
  const enqueueAt = queue.allows('enqueue') ? store.scheduled.next : NEVER; // SCH-11
  return Math.min(Math.max(next, Math.min(enqueueAt, forgetAt)), nextExpiry(store, turn), idleAt, forwardAt);
}
