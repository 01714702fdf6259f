// Messages of an entity that forwards move on to another, in the turn in which they become available (FWD-01, M31 to M34); those
// that were forwarded to it, a millisecond later.

import type { BrokerParts } from '../broker-parts.js';
import { FIRST_RETRY_MS, type MessageStore } from '../entity/message-store.js';
import { Queue } from '../entity/queue.js';
import type { MessageRecord } from '../event.js';
import { NEVER } from '../instant.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { type Arriving, accept } from './accept.js';
import { deadLetter, reasonOf } from './dead-letter.js';
import { type Refused, takerOf } from './destination.js';
import type { NewMessage, SystemChanges } from './message-properties.js';
import type { StoredMessage } from './stored-message.js';
import { expire, isExpired } from './time-to-live.js';
import { moveTransfers } from './transfer.js';

/** FWD-07: so many entities a message may be in, one after the other. */
const MAX_ENTITIES = 4;
/** Messages that one turn moves out of one store; the others follow a millisecond later. */
const MAX_MOVED = 4096;
const LAST_RETRY_MS = 30_000;

/** Where the messages of a store go by themselves; undefined: they stay. */
export function destinationOf({ queue, kind }: MessageStore): string | undefined {
  const { forwardTo, forwardDeadLetteredMessagesTo } = queue.description;
  if (kind === 'transfer' || kind === 'transfer-dead-letter') return undefined; // each message has its own, or none
  return kind === 'dead-letter' ? forwardDeadLetteredMessagesTo : forwardTo;
}

export function forwardAvailable(store: MessageStore, parts: BrokerParts, turn: TurnInProgress): void {
  if (store.transferLog !== undefined) {
    moveTransfers(store, store.transferLog, parts, turn);
    return;
  }
  const destination = destinationOf(store);
  store.forwardAt = NEVER;
  if (destination === undefined) return; // FWD-10
  if (store.isDeadLetterQueue) forwardDead(store, destination, parts, turn);
  else forwardActive(store, destination, parts, turn);
}

function forwardActive(
  store: MessageStore,
  destination: string,
  parts: BrokerParts,
  turn: TurnInProgress,
): void {
  for (let count = 0; count < MAX_MOVED && !turn.isFull; count++) {
    const message = store.log.takeFirstToMove(turn.now); // FWD-04; FWD-06, SCH-12: what is scheduled is not available yet
    if (message === undefined) {
      if (store.log.hasAvailable) store.forwardAt = turn.now + 1;
      return;
    }
    if (isExpired(store, message, turn.now)) {
      expire(store, [message], turn);
      continue;
    }
    const refused = move(store, message, destination, parts, turn);
    if (refused !== undefined) deadLetter(store, message, refused.changes, turn); // M33, M34, FWD-08
  }
  store.forwardAt = turn.now + 1;
}

/** FWD-08: what the destination does not take stays, and is tried again; what has come too far stays for good (FWD-07). */
function forwardDead(
  store: MessageStore,
  destination: string,
  parts: BrokerParts,
  turn: TurnInProgress,
): void {
  if (store.retryAt > turn.now) {
    store.forwardAt = store.retryAt;
    return;
  }
  let count = 0;
  let hasRefused = false;
  let hasResting = false;
  for (const message of store.log.from(0)) {
    if (!message.isAvailable || message.hopCount + 2 > MAX_ENTITIES) continue;
    if (message.movesAt > turn.now) {
      hasResting = true;
      continue;
    }
    count += 1;
    if (count > MAX_MOVED || turn.isFull) {
      store.forwardAt = turn.now + 1;
      return;
    }
    store.log.withdraw(message);
    const refused = move(store, message, destination, parts, turn);
    if (refused === undefined) continue;
    store.giveBack(message);
    hasRefused = true;
    if (refused.isForAll) break;
  }
  if (hasRefused) {
    retryLater(store, turn);
    return;
  }
  store.retryMs = FIRST_RETRY_MS;
  if (hasResting) store.forwardAt = turn.now + 1;
}

function retryLater(store: MessageStore, turn: TurnInProgress): void {
  store.retryAt = turn.now + store.retryMs;
  store.forwardAt = store.retryAt;
  store.retryMs = Math.min(2 * store.retryMs, LAST_RETRY_MS);
}

/** M32. The message is not available. Answers why it could not be moved. */
function move(
  store: MessageStore,
  message: StoredMessage,
  destination: string,
  parts: BrokerParts,
  turn: TurnInProgress,
): Refused | undefined {
  const record = message.record();
  if (record.hopCount + 2 > MAX_ENTITIES) return tooManyHops(); // FWD-07, M33
  const content = parts.contentOf(message.contentId, turn);
  const arriving = effective(parts.reader.read(content), record.systemChanges);
  const queue = takerOf(destination, arriving, parts); // FWD-03
  if (!(queue instanceof Queue)) return queue;
  // FWD-03, IDL-03: as by a send
  queue.used(turn.now);
  const { scheduledEnqueueTime: _, ...systemChanges } = record.systemChanges ?? {};
  const given: Arriving = {
    message: arriving,
    contentId: record.contentId,
    comesBack: queue === store.queue.topLevel, // DUP-08
    sequenceNumber: undefined,
    isKept: false,
    luggage: {
      ...record,
      inventedMessageId: messageIdOf(systemChanges, record, parts), // TOP-10
      systemChanges: Object.keys(systemChanges).length === 0 ? undefined : systemChanges,
      hopCount: record.hopCount + 1,
      enqueuedSequenceNumber: record.enqueuedSequenceNumber ?? record.sequenceNumber, // FWD-05
      deadLetterSource: store.isDeadLetterQueue ? store.queue.main.path : record.deadLetterSource, // DLQ-07
    },
  };
  accept(queue, given, parts, turn);
  store.log.remove(message); // FWD-01, M31
  store.queue.removed(message);
  turn.messageRemoved(store, message);
  if (message.isShared || !given.isKept) turn.contentLeft(message);
  return undefined;
}

/** MSG-04: one that an action has taken away is replaced. Undefined: the sender's own. */
function messageIdOf(
  { messageId }: SystemChanges,
  { inventedMessageId }: MessageRecord,
  { nextGuid }: BrokerParts,
): string | undefined {
  if (messageId === null) return nextGuid();
  return messageId ?? inventedMessageId;
}

/** TOP-10: what an action has made of it takes effect now. */
function effective(message: NewMessage, changes: SystemChanges | undefined): NewMessage {
  // Its own time has come once already.
  const now = { ...message, scheduledEnqueueTime: undefined };
  if (changes === undefined) return now;
  const { messageId, sessionId, replyToSessionId, timeToLiveMs, scheduledEnqueueTime } = changes;
  return {
    ...now,
    messageId: changed(message.messageId, messageId),
    sessionId: changed(message.sessionId, sessionId),
    replyToSessionId: changed(message.replyToSessionId, replyToSessionId),
    timeToLiveMs: changed(message.timeToLiveMs, timeToLiveMs),
    scheduledEnqueueTime: scheduledEnqueueTime ?? undefined,
  };
}

function changed<T>(sent: T | undefined, change: T | null | undefined): T | undefined {
  return change === undefined ? sent : (change ?? undefined);
}

function tooManyHops(): Refused {
  const text =
    'The maximum number of allowed hops when forwarding messages between entities is exceeded; ' +
    `a message may go through ${MAX_ENTITIES} of them.`;
  return { changes: reasonOf('MaxTransferHopCountExceeded', text), isForAll: false, isFull: false };
}
