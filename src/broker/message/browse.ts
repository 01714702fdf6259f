// Looks at messages of any state without touching them: no lock, no count, no expiry (PEEK-01 to PEEK-05).

import type { BrokerParts } from '../broker-parts.js';
import { requireSessions } from '../delivery/session-claim.js';
import type { MessageStore } from '../entity/message-store.js';
import { type CommandOf, inStore } from '../handler.js';
import type { FoundMessage, Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { StoredMessage } from './stored-message.js';

/** What a message takes in an answer besides its content. */
const OVERHEAD_BYTES = 128;

/** It reads, and that is all (PEEK-04). */
export const PEEK = inStore(checkPeek, applyPeek);

function checkPeek(store: MessageStore, { maxCount, sessionId }: CommandOf<'peek'>): void {
  if (!(maxCount >= 1)) {
    const text = `The number of messages to peek is ${maxCount}; it must be 1 or more.`;
    const data = { entityPath: store.path, property: 'maxCount', value: maxCount, least: 1 };
    throw new ServiceBusError('argument-out-of-range', text, data);
  }
  if (sessionId !== undefined) requireSessions(store);
}

function applyPeek(
  store: MessageStore,
  _change: unknown,
  { fromSequenceNumber, maxCount, sessionId }: CommandOf<'peek'>,
  { limits }: BrokerParts,
): Result {
  const wanted = Math.min(maxCount, limits.maxPeekCount);
  const messages: FoundMessage[] = [];
  let roomBytes = limits.maxPeekBytes;
  // By number (PEEK-01), so partition by partition (PEEK-11), and in any state (PEEK-03): deferred ones too (DEF-08).
  for (const message of messagesFrom(store, sessionId, Math.max(0, fromSequenceNumber))) {
    roomBytes -= message.sizeBytes + message.changedBytes + OVERHEAD_BYTES;
    if (messages.length > 0 && roomBytes < 0) break; // PEEK-02
    messages.push({
      contentId: message.contentId,
      properties: message.properties(store.partitionIdOf(message)),
      lockToken: undefined, // PEEK-05, SET-13
      lockedUntil: undefined,
    });
    if (messages.length >= wanted) break;
  }
  return { kind: 'messages', messages };
}

/** PEEK-08: of one session, whoever holds it, or of all. */
function messagesFrom(
  store: MessageStore,
  sessionId: string | undefined,
  sequenceNumber: number,
): Iterable<StoredMessage> {
  // PEEK-07: of a topic, what is scheduled there; PEEK-06: a subscription has nothing scheduled.
  if (sessionId === undefined) return store.log.from(sequenceNumber);
  return store.sessions?.find(sessionId)?.from(sequenceNumber) ?? [];
}
