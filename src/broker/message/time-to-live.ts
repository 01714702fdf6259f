// When a message expires and what then becomes of it. A dead-letter queue lets nothing expire (TTL-11).

import type { MessageStore } from '../entity/message-store.js';
import type { Queue } from '../entity/queue.js';
import { type Instant, NEVER } from '../instant.js';
import type { Limits } from '../limits.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { deadLetter, EXPIRED, expiredWith } from './dead-letter.js';
import { MESSAGE_STATE, type PropertyChange } from './message-properties.js';
import type { MessageSession } from './message-session.js';
import { removeMessage } from './removal.js';
import type { StoredMessage } from './stored-message.js';

/** Expired messages that whoever looks for an available one passes over in a turn; it goes on in the next, a millisecond later. */
export const MAX_PASSED_OVER = 8192;
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

/** TTL-09, SES-18: whether what has expired is to go now. */
export function isSwept(store: MessageStore, turn: TurnInProgress): boolean {
  if (store.isDeadLetterQueue) return false;
  if (store.receiverCount > 0 || store.kind === 'transfer') return true; // no receiver ever comes there
  return turn.choices.expirySweep === 'always' && !expiresBySession(store, turn);
}

/** They are not available, and in the order of their numbers. Where whole sessions expire the rest of theirs goes with them (SES-18, X15). */
export function expire(store: MessageStore, messages: readonly StoredMessage[], turn: TurnInProgress): void {
  const { sessions, kind, queue } = store;
  if (kind === 'transfer' && messages.length > 0) queue.used(turn.now); // IDL-03: it was in use until now
  /** And what has expired first in each. */
  const struck = new Map<MessageSession, StoredMessage>();
  if (sessions !== undefined && expiresBySession(store, turn)) {
    for (const message of messages.toReversed()) struck.set(sessions.of(message), message);
  }
  for (const message of messages) expireOne(store, message, EXPIRED, turn);
  for (const [session, message] of struck) expireRest(store, session, expiredWith(message), turn);
}

function expiresBySession({ sessions }: MessageStore, { choices }: TurnInProgress): boolean {
  return sessions !== undefined && choices.expireWholeSession;
}

/** What is locked is exempt until it comes back, and what is scheduled is not there yet. */
function expireRest(
  store: MessageStore,
  session: MessageSession,
  reason: readonly PropertyChange[],
  turn: TurnInProgress,
): void {
  for (const message of [...session.from(0)]) {
    if (message.isLocked || message.state === MESSAGE_STATE.scheduled) continue;
    if (message.isAvailable) store.log.withdraw(message);
    expireOne(store, message, reason, turn);
  }
}

/** TTL-08. */
function expireOne(
  store: MessageStore,
  message: StoredMessage,
  reason: readonly PropertyChange[],
  turn: TurnInProgress,
): void {
  const { deadLetteringOnMessageExpiration } = store.queue.description;
  if (deadLetteringOnMessageExpiration) deadLetter(store, message, reason, turn);
  else removeMessage(store, message, turn);
}

export function expireDue(store: MessageStore, turn: TurnInProgress): void {
  if (store.log.nextExpiry > turn.now || !isSwept(store, turn)) return;
  expire(store, store.log.takeExpired(turn.now, MAX_CHUNKS), turn);
}

/** When there may be something to expire: after now, even if this turn did not come to an end with it. */
export function nextExpiry(store: MessageStore, turn: TurnInProgress): Instant {
  return isSwept(store, turn) ? Math.max(store.log.nextExpiry, turn.now + 1) : NEVER;
}
