// When a message expires and what then becomes of it. A dead-letter queue lets nothing expire (TTL-11).

import type { MessageStore } from '../entity/message-store.js';
import type { Queue } from '../entity/queue.js';
import { type Instant, NEVER } from '../instant.js';
import type { Limits } from '../limits.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { deadLetter, EXPIRED } from './dead-letter.js';
import { removeMessage } from './removal.js';
import type { StoredMessage } from './stored-message.js';

/** A turn looks through so many chunks of a log; what is left is looked through in the next. */
const MAX_CHUNKS = 64;

/** Of a message that becomes active now: the queue's default is also the most it may ask for (TTL-01, TTL-02). */
export function expiryOf(queue: Queue, timeToLiveMs: number, limits: Limits, now: Instant): Instant {
  return now + Math.min(timeToLiveMs, queue.maxTimeToLiveMs(limits));
}

/** TTL-05. */
export function isExpired(store: MessageStore, message: StoredMessage, now: Instant): boolean {
  return message.expiresAt <= now && !store.isDeadLetterQueue;
}

/** TTL-09: whether what has expired is to go now. */
export function isSwept(store: MessageStore, { choices }: TurnInProgress): boolean {
  if (store.isDeadLetterQueue) return false;
  return choices.expirySweep === 'always' || store.receiverCount > 0;
}

/** TTL-08. The message is not available. */
export function expire(store: MessageStore, message: StoredMessage, turn: TurnInProgress): void {
  const { deadLetteringOnMessageExpiration } = store.queue.description;
  if (deadLetteringOnMessageExpiration) deadLetter(store.queue, message, EXPIRED, turn);
  else removeMessage(store, message, turn);
}

export function expireDue(store: MessageStore, turn: TurnInProgress): void {
  if (store.log.nextExpiry > turn.now || !isSwept(store, turn)) return;
  for (const message of store.log.takeExpired(turn.now, MAX_CHUNKS)) expire(store, message, turn);
}

/** When there may be something to expire: after now, even if this turn did not come to an end with it. */
export function nextExpiry(store: MessageStore, turn: TurnInProgress): Instant {
  return isSwept(store, turn) ? Math.max(store.log.nextExpiry, turn.now + 1) : NEVER;
}
