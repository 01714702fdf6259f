// Expires messages: computes the expiry, and removes or dead-letters them. Nothing expires in a dead-letter queue (TTL-11).

import { type Instant, NEVER } from '../contract/instant.js';
import type { Limits } from '../contract/limits.js';
import { MESSAGE_STATE, type PropertyChange } from '../contract/message-properties.js';
import type { MessageStore, Queue } from '../store/queue.js';
import type { StoreSession } from '../store/store-ports.js';
import type { StoredMessage } from '../store/stored-message.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { deadLetter, EXPIRED, expiredWith, removeMessage } from './outcomes.js';

/** Chunks of a log that one turn searches. The next turn continues with the rest. */
const MAX_CHUNKS = 4;
/** The messages of a session that expire in a turn with one of them (SES-18): 100,000 at once would take 260 ms. */
const MAX_SESSION_PART = 500;

/** The expiry of a message that becomes active now. The queue's default is also the maximum (TTL-01, TTL-02). */
export function expiryOf(queue: Queue, timeToLiveMs: number, limits: Limits, now: Instant): Instant {
  return now + Math.min(timeToLiveMs, queue.maxTimeToLiveMs(limits));
}

/** TTL-09, SES-18: whether expired messages are removed now. */
export function isSwept(store: MessageStore, turn: TurnInProgress): boolean {
  if (store.isDeadLetterQueue || store.kind === 'fan-out') return false;
  if (store.receiverCount > 0 || store.kind === 'transfer') return true; // no receiver can attach to a transfer store
  return turn.behaviour.expirySweep === 'always' && !expiresBySession(store, turn);
}

/**
 * Expires messages that are not available, in the order of their numbers. If whole sessions expire, the rest of their sessions
 * expires with them (SES-18, X15).
 */
export function expire(store: MessageStore, messages: readonly StoredMessage[], turn: TurnInProgress): void {
  const { sessions, kind, queue } = store;
  if (kind === 'transfer' && messages.length > 0) queue.used(turn.now); // IDL-03: it was in use until now
  /** The first expired message of each affected session. */
  const firstExpired = new Map<StoreSession, StoredMessage>();
  if (sessions !== undefined && expiresBySession(store, turn)) {
    for (const message of messages.toReversed()) firstExpired.set(sessions.of(message), message);
  }
  const kept = new Set<StoredMessage>();
  for (const [session, message] of firstExpired) if (needsParts(session, message)) kept.add(message);
  for (const message of messages) if (!kept.has(message)) expireOne(store, message, EXPIRED, turn);
  for (const [session, message] of firstExpired) {
    const count = expireRest(store, session, message, kept.has(message) ? MAX_SESSION_PART : Infinity, turn);
    if (!kept.has(message)) continue;
    if (count > 0) store.giveBack(message);
    else expireOne(store, message, EXPIRED, turn);
  }
}

/**
 * Whether a session is so large that only a part of it expires in this turn. The message that had expired then stays available, so
 * that the next turn continues, also after a restart.
 */
function needsParts({ messageCount }: StoreSession, { state }: StoredMessage): boolean {
  return messageCount > MAX_SESSION_PART && state === MESSAGE_STATE.active;
}

function expiresBySession({ sessions }: MessageStore, { behaviour }: TurnInProgress): boolean {
  return sessions !== undefined && behaviour.expireWholeSession;
}

/**
 * Expires up to `maxCount` other messages of a session. Skips locked ones, which expire when they return, and scheduled ones, which
 * are not enqueued yet. Returns how many expired.
 */
function expireRest(
  store: MessageStore,
  session: StoreSession,
  expired: StoredMessage,
  maxCount: number,
  turn: TurnInProgress,
): number {
  const reason = expiredWith(expired);
  const rest: StoredMessage[] = [];
  for (const message of session.from(0)) {
    if (message === expired || message.isLocked || message.state === MESSAGE_STATE.scheduled) continue;
    if (rest.length >= maxCount) break;
    rest.push(message);
  }
  for (const message of rest) {
    if (message.isAvailable) store.log.withdraw(message);
    expireOne(store, message, reason, turn);
  }
  return rest.length;
}

/** TTL-08. */
function expireOne(
  store: MessageStore,
  message: StoredMessage,
  reason: readonly PropertyChange[],
  turn: TurnInProgress,
): void {
  const { sequenceNumber } = message;
  turn.activities?.push({ kind: 'expired', path: store.path, sequenceNumber });
  const { deadLetteringOnMessageExpiration } = store.queue.description;
  if (deadLetteringOnMessageExpiration) deadLetter(store, message, reason, turn);
  else removeMessage(store, message, turn);
}

export function expireDue(store: MessageStore, turn: TurnInProgress): void {
  if (store.log.nextExpiry > turn.now || !isSwept(store, turn) || turn.isFull) return;
  expire(store, store.log.takeExpired(turn.now, MAX_CHUNKS), turn);
}

/** The next time a message may expire: always after now, even if this turn has left some expired messages. */
export function nextExpiry(store: MessageStore, turn: TurnInProgress): Instant {
  return isSwept(store, turn) ? Math.max(store.log.nextExpiry, turn.now + 1) : NEVER;
}
