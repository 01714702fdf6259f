// Shows messages of a store in any condition, with their locks. Nothing is locked, counted or expired, and nothing counts as use.

import type { InspectedLock, InspectedMessage } from '../contract/inspection.js';
import type { MessageLocks } from '../queue/message-lock.js';
import type { MessageStore } from '../store/queue.js';
import type { StoredMessage } from '../store/stored-message.js';
import { type CommandOf, inNamespace } from '../turn/handler.js';
import { inspectLock } from './inspect-holds.js';
import { answerCount, conditionCounts, inspectedStore, messageConditionOf } from './inspected-store.js';

/** The most content bytes of one answer; the first message is shown at any size. */
const MAX_BYTES = 4 * 1024 * 1024;
/** The most messages that one turn looks at, so that a search for a rare condition does not hold up everyone else. */
const MAX_EXAMINED = 20_000;

type Page = { readonly messages: readonly StoredMessage[]; readonly next: number | undefined };

export const INSPECT_MESSAGES = inNamespace(
  ({ entityPath, maxCount }: CommandOf<'inspect-messages'>, { namespace }) => ({
    store: inspectedStore(entityPath, namespace),
    limit: answerCount(maxCount),
  }),
  ({ store, limit }, command, { locks }) => {
    const { messages, next } = pageOf(store, command, limit);
    const lockOf = messages.some(({ isLocked }) => isLocked) ? locksOf(store, locks) : undefined;
    return {
      kind: 'inspected-messages',
      messages: messages.map((message) => inspectMessage(store, message, lockOf?.get(message))),
      next,
      totalCount: countOf(store, command),
    };
  },
);

function pageOf(
  store: MessageStore,
  { conditions, fromSequenceNumber, isNewestFirst = false }: CommandOf<'inspect-messages'>,
  limit: number,
): Page {
  const messages: StoredMessage[] = [];
  let remainingBytes = MAX_BYTES;
  let examinedCount = 0;
  const shown = { from: fromSequenceNumber, isNewestFirst, wanted: conditions };
  for (const message of store.log.shown(shown)) {
    const next = message.sequenceNumber;
    if (messages.length >= limit || examinedCount >= MAX_EXAMINED) return { messages, next };
    examinedCount += 1;
    if (conditions !== undefined && !conditions.includes(messageConditionOf(message))) continue;
    remainingBytes -= message.sizeBytes;
    if (messages.length > 0 && remainingBytes < 0) return { messages, next };
    messages.push(message);
  }
  return { messages, next: undefined };
}

function countOf(store: MessageStore, { conditions }: CommandOf<'inspect-messages'>): number {
  if (conditions === undefined) return store.log.count;
  const counts = conditionCounts(store);
  return [...new Set(conditions)].reduce((sum, condition) => sum + counts[condition], 0);
}

/** Searches all locks, which are kept by token. */
function locksOf(store: MessageStore, locks: MessageLocks): ReadonlyMap<StoredMessage, InspectedLock> {
  const held = locks.held((lock) => lock.store === store);
  return new Map(held.map((lock) => [lock.message, inspectLock(lock)]));
}

function inspectMessage(
  store: MessageStore,
  message: StoredMessage,
  lock: InspectedLock | undefined,
): InspectedMessage {
  const { contentId, sizeBytes, sessionId, details } = message;
  return {
    condition: messageConditionOf(message),
    properties: message.properties(store.partitionIdOf(message)),
    storeId: store.id,
    contentId,
    sizeBytes,
    sessionId,
    details,
    lock,
  };
}
