// Deletes the oldest messages of a store in bulk, unread (DEL-01).

import type { BrokerParts } from '../broker-parts.js';
import { heldSession } from '../delivery/session-claim.js';
import type { MessageStore } from '../entity/message-store.js';
import { entityDisabled } from '../entity/queue.js';
import { type CommandOf, inStore } from '../handler.js';
import type { Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { MESSAGE_STATE } from './message-properties.js';
import { removeMessage } from './removal.js';
import type { StoredMessage } from './stored-message.js';

export const DELETE_MESSAGES = inStore(checkDelete, applyDelete);

type DeleteMessages = CommandOf<'delete-messages'>;

function checkDelete(store: MessageStore, { maxCount, session }: DeleteMessages, parts: BrokerParts): void {
  checkMayDelete(store, maxCount);
  if (session !== undefined) heldSession(store, session);
  if (parts.claims.isOpen) parts.claims.take(deletionIn(store, session?.sessionId));
}

/** Whether an earlier command of the step deletes messages here: what is deferred and not locked goes, too. */
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
  { limits }: BrokerParts,
  turn: TurnInProgress,
): Result {
  const wanted = Math.min(maxCount, limits.maxDeleteCount); // LIM-17
  const doomed: StoredMessage[] = [];
  const range = session === undefined ? store.log : store.sessions?.find(session.sessionId);
  // DEL-01: the oldest of them.
  for (const message of range?.from(0) ?? []) {
    if (doomed.length >= wanted) break;
    if (message.enqueuedTime >= enqueuedBefore) continue; // one whose number was reserved may be later than those after it
    if (message.isLocked || message.state === MESSAGE_STATE.scheduled) continue; // DEL-02
    // SES-04: with their session all its messages are locked, to all but its holder.
    if (session === undefined && store.sessions?.of(message).lock !== undefined) continue;
    doomed.push(message);
  }
  for (const message of doomed) {
    if (message.isAvailable) store.log.withdraw(message);
    removeMessage(store, message, turn); // M30
  }
  if (doomed.length > 0) turn.touch(store); // what they kept from being forwarded moves on (FWD-04)
  return { kind: 'deleted', count: doomed.length };
}

function checkMayDelete(store: MessageStore, maxCount: number): void {
  if (store.queue.topic !== undefined) {
    const text = `'${store.path}' is a topic: delete messages of its subscriptions, and cancel what is scheduled.`;
    throw new ServiceBusError('not-allowed', text, { entityPath: store.path, about: 'topic' });
  }
  if (!store.queue.canReceive) throw entityDisabled(store.path);
  if (store.queue.description.enablePartitioning) {
    const text = `'${store.path}' is partitioned, and messages of a partitioned entity cannot be deleted in batches.`;
    throw new ServiceBusError('not-allowed', text, { entityPath: store.path, about: 'partitioned' });
  }
  if (maxCount >= 1) return;
  const text = `The number of messages to delete is ${maxCount}; it must be 1 or more.`;
  const data = { entityPath: store.path, property: 'maxCount', value: maxCount, least: 1 };
  throw new ServiceBusError('argument-out-of-range', text, data);
}
