// Deletes the oldest messages of a store in a batch, without delivering them (DEL-01).

import { entityDisabled } from '../contract/entities/entity-errors.js';
import type { Instant } from '../contract/instant.js';
import { MESSAGE_STATE } from '../contract/message-properties.js';
import type { Result } from '../contract/result.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import type { MessageStore } from '../store/queue.js';
import { heldSession } from '../store/session-claim.js';
import type { StoredMessage } from '../store/stored-message.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inStore } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { removeMessage } from './outcomes.js';

export const DELETE_MESSAGES = inStore(checkDelete, applyDelete);

type DeleteMessages = CommandOf<'delete-messages'>;

function checkDelete(
  store: MessageStore,
  { maxCount, session }: DeleteMessages,
  parts: BrokerParts,
  now: Instant,
): void {
  checkMayDelete(store, maxCount);
  if (session !== undefined) heldSession(store, session, now);
  if (parts.claims.isOpen) parts.claims.take(deletionIn(store, session?.sessionId));
}

/** Whether an earlier command of the step deletes messages here, which includes deferred messages that are not locked. */
export function isDeletedInStep(
  store: MessageStore,
  sessionId: string | undefined,
  claims: BrokerParts['claims'],
): boolean {
  if (!claims.isOpen) return false;
  return claims.has(deletionIn(store, undefined)) || claims.has(deletionIn(store, sessionId));
}

function deletionIn({ id }: MessageStore, sessionId: string | undefined): string {
  return sessionId === undefined ? `deletion ${id}` : `deletion ${id} ${sessionId}`;
}

function applyDelete(
  store: MessageStore,
  _change: unknown,
  { maxCount, enqueuedBefore, session }: DeleteMessages,
  { limits, locks }: BrokerParts,
  turn: TurnInProgress,
): Result {
  const limit = Math.min(maxCount, limits.maxDeleteCount); // LIM-17
  const toDelete: StoredMessage[] = [];
  locks.expireIn(store, limit, turn); // what has ended is not locked any more
  const range =
    session === undefined
      ? store.log.availableOrDeferred()
      : (store.sessions?.find(session.sessionId)?.from(0) ?? []);
  // DEL-01: oldest first.
  for (const message of range) {
    if (toDelete.length >= limit) break;
    // A message with a reserved number may have a later time than those after it.
    if (message.enqueuedTime >= enqueuedBefore) continue;
    if (message.isLocked || message.state === MESSAGE_STATE.scheduled) continue; // DEL-02
    // SES-04: a session lock also locks the messages of the session to anyone but its holder.
    if (session === undefined && store.sessions?.of(message).holder !== undefined) continue;
    toDelete.push(message);
  }
  for (const message of toDelete) {
    if (message.isAvailable) store.log.withdraw(message);
    const { sequenceNumber } = message;
    turn.activities?.push({ kind: 'deleted', path: store.path, sequenceNumber });
    removeMessage(store, message, turn); // M30
  }
  if (toDelete.length > 0) turn.touch(store); // messages behind them may now be forwarded (FWD-04)
  return { kind: 'deleted', count: toDelete.length };
}

function checkMayDelete(store: MessageStore, maxCount: number): void {
  if (store.queue.owner?.kind === 'topic') {
    const text = `'${store.path}' is a topic: delete messages of its subscriptions, and cancel what is scheduled.`;
    throw new ServiceBusError('not-allowed', text, { entityPath: store.path, about: 'topic' });
  }
  if (!store.queue.allows('receive')) throw entityDisabled(store.path);
  if (store.queue.description.enablePartitioning) {
    const text = `'${store.path}' is partitioned, and messages of a partitioned entity cannot be deleted in batches.`;
    throw new ServiceBusError('not-allowed', text, { entityPath: store.path, about: 'partitioned' });
  }
  if (maxCount >= 1) return;
  const text = `The number of messages to delete is ${maxCount}; it must be 1 or more.`;
  const data = { entityPath: store.path, property: 'maxCount', value: maxCount, least: 1 };
  throw new ServiceBusError('argument-out-of-range', text, data);
}
