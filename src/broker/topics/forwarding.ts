// Auto-forwarding: moves messages to another entity in the turn in which they become available (FWD-01, M31 to M34), and
// messages that were forwarded before a millisecond later.

import { NEVER } from '../contract/instant.js';
import {
  type DetailChanges,
  type NewMessage,
  type SystemChanges,
  withDetails,
} from '../contract/message-properties.js';
import { type Arriving, accept } from '../queue/accept.js';
import { deadLetter, reasonOf } from '../queue/outcomes.js';
import { expire } from '../queue/time-to-live.js';
import type { MessageMetadata } from '../store/accepted-message.js';
import { FIRST_RETRY_MS, type MessageStore, Queue } from '../store/queue.js';
import type { StoredMessage } from '../store/stored-message.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { findAcceptingQueue, type Refused } from './destination.js';
import { moveTransfers } from './transfer.js';
import { transferLogOf } from './transfer-log.js';
import { continueFanOut } from './waiting-fan-out.js';

/** FWD-07: the number of entities that a message may pass through. */
const MAX_ENTITIES = 4;
const LAST_RETRY_MS = 30_000;

/** A store that is left because the turn is full comes in the next turn before those that have forwarded some. */
export function forwardAvailable(store: MessageStore, parts: BrokerParts, turn: TurnInProgress): void {
  const isLeft = turn.isFull;
  forward(store, parts, turn);
  if (store.forwardAt <= turn.now + 1) store.forwardAt = isLeft ? turn.now : turn.now + 1;
}

function forward(store: MessageStore, parts: BrokerParts, turn: TurnInProgress): void {
  if (store.kind === 'fan-out') {
    continueFanOut(store, parts, turn);
    return;
  }
  const transfers = transferLogOf(store);
  if (transfers !== undefined) {
    moveTransfers(store, transfers, parts, turn);
    return;
  }
  const destination = store.forwardsTo;
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
  if (store.locks.hasDue(turn.now)) return; // FWD-04: messages that are still to come back are before others
  while (!turn.isFull) {
    const message = store.log.takeFirstToForward(turn.now); // FWD-04; FWD-06, SCH-12: a scheduled message is not available yet
    if (message === undefined) {
      if (store.log.hasAvailable) store.forwardAt = turn.now + 1;
      return;
    }
    if (store.isExpired(message, turn.now)) {
      expire(store, [message], turn);
      continue;
    }
    const refused = move(store, message, destination, parts, turn);
    if (refused !== undefined) deadLetter(store, message, refused.changes, turn); // M33, M34, FWD-08
  }
  store.forwardAt = turn.now + 1;
}

/** FWD-08: a message that the destination refuses stays and is retried. One at the hop limit stays and is not (FWD-07). */
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
  let hasRefused = false;
  let hasDelayed = false;
  for (const message of store.log.from(0)) {
    if (!message.isAvailable || message.hopCount + 2 > MAX_ENTITIES) continue;
    if (message.forwardableAt > turn.now) {
      hasDelayed = true;
      continue;
    }
    if (turn.isFull) {
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
  if (hasDelayed) store.forwardAt = turn.now + 1;
}

function retryLater(store: MessageStore, turn: TurnInProgress): void {
  store.retryAt = turn.now + store.retryMs;
  store.forwardAt = store.retryAt;
  store.retryMs = Math.min(2 * store.retryMs, LAST_RETRY_MS);
}

/** M32: moves a message that was withdrawn from its log. Returns the refusal if it was refused. */
function move(
  store: MessageStore,
  message: StoredMessage,
  destination: string,
  parts: BrokerParts,
  turn: TurnInProgress,
): Refused | undefined {
  if (message.hopCount + 2 > MAX_ENTITIES) return tooManyHops(); // FWD-07, M33
  const content = parts.loadContent(store, message, turn);
  if (content === undefined) return undefined; // it becomes a dead letter at the end of this sweep
  const arriving = withRuleChanges(parts.messageReader.read(content), message.details?.systemChanges);
  const queue = findAcceptingQueue(destination, arriving, parts); // FWD-03
  if (!(queue instanceof Queue)) return queue;
  // FWD-03, IDL-03: as by a send
  queue.used(turn.now);
  turn.activities?.push({
    kind: 'forwarded',
    path: store.path,
    sequenceNumber: message.sequenceNumber,
    destination: queue.main.path,
  });
  const forwarded: Arriving = {
    message: arriving,
    contentId: message.contentId,
    comesBack: queue === store.queue.topLevel, // DUP-08
    sequenceNumber: undefined,
    isContentUsed: false,
    metadata: onwardMetadata(message, { ...sourceOf(store), hopCount: message.hopCount + 1 }, parts),
  };
  accept(queue, forwarded, parts, turn);
  leave(store, message, forwarded, turn); // FWD-01, M31
  return undefined;
}

/** Removes a message that another entity has accepted in this turn. It must not be available. */
export function leave(
  store: MessageStore,
  message: StoredMessage,
  { isContentUsed }: Pick<Arriving, 'isContentUsed'>,
  turn: TurnInProgress,
): void {
  store.remove(message);
  store.queue.removed(message);
  turn.messageRemoved(store, message);
  if (message.isShared || !isContentUsed) turn.contentUnreferenced(message);
}

/** DLQ-07: what changes about a message that leaves a dead-letter queue. */
export function sourceOf({ isDeadLetterQueue, queue }: MessageStore): DetailChanges {
  return isDeadLetterQueue ? { deadLetterSource: queue.main.path } : {};
}

/**
 * The metadata of a message that goes on to another entity with these changes. A rule's changes of its id and its schedule take effect
 * there (TOP-10).
 */
export function onwardMetadata(
  { sequenceNumber, metadata }: StoredMessage,
  changes: DetailChanges,
  parts: BrokerParts,
): MessageMetadata {
  const { enqueuedSequenceNumber = sequenceNumber, details } = metadata; // FWD-05
  const { scheduledEnqueueTime: _, ...systemChanges } = details?.systemChanges ?? {};
  const changed = {
    generatedMessageId: messageIdOf(systemChanges, details?.generatedMessageId, parts),
    systemChanges: Object.keys(systemChanges).length === 0 ? undefined : systemChanges,
    ...changes,
  };
  return { ...metadata, enqueuedSequenceNumber, details: withDetails(details, changed) };
}

/** MSG-04: replaces a message-id that an action has removed. Returns undefined when the sender's own is valid. */
function messageIdOf(
  { messageId }: SystemChanges,
  generatedMessageId: string | undefined,
  { nextGuid }: BrokerParts,
): string | undefined {
  if (messageId === null) return nextGuid();
  return messageId ?? generatedMessageId;
}

/** TOP-10: the changes of a rule's action take effect now. */
export function withRuleChanges(message: NewMessage, changes: SystemChanges | undefined): NewMessage {
  // The message has been enqueued at its own scheduled time before.
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
