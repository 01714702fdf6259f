// Puts messages into a store as they were in another one: state, delivery count and changes stay, numbers and times are new. A copy
// that names itself is told apart from a second one: the store keeps the last number that it has taken from that copy's source.

import { entityDisabled } from '../contract/entities/entity-errors.js';
import type { MessageRecord } from '../contract/event.js';
import { NEVER } from '../contract/instant.js';
import type { ImportedMessage } from '../contract/management.js';
import { MESSAGE_STATE, type MessageDetails, withDetails } from '../contract/message-properties.js';
import type { Result } from '../contract/result.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { type Arriving, accept, takeNumber } from '../queue/accept.js';
import { endImport, importMarksOf, markAll, markOf } from '../queue/import-marks.js';
import { checkAcceptable, checkQuota } from '../queue/send-check.js';
import { expiryOf } from '../queue/time-to-live.js';
import { replaceState } from '../sessions/session-commands.js';
import type { MessageStore } from '../store/queue.js';
import { StoredMessage } from '../store/stored-message.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inStore } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';

type ImportMessages = CommandOf<'import-messages'>;

export const IMPORT_MESSAGES = inStore(checkImport, applyImport);

/** The messages that the store has not taken from this copy before. */
function checkImport(
  store: MessageStore,
  { messages, sessionStates = [], importId }: ImportMessages,
  parts: BrokerParts,
): readonly ImportedMessage[] {
  const { queue, path } = store;
  if (store.kind !== 'main' && store.kind !== 'dead-letter') {
    const text = `Messages can be put into a queue, a topic, a subscription or its dead-letter queue, not into '${path}'.`;
    throw new ServiceBusError('not-allowed', text, { entityPath: path });
  }
  if (sessionStates.length > 0 && store.sessions === undefined) {
    const text = `'${path}' requires no sessions, so it keeps no states of sessions.`;
    throw new ServiceBusError('not-allowed', text, { entityPath: path });
  }
  const isNew = ({ sourceNumber }: ImportedMessage) =>
    importId === undefined || sourceNumber > markOf(store, importId, sourceNumber);
  const wanted = messages.filter(isNew);
  if (wanted.length === 0) return wanted;
  if (!queue.allows('arrive')) throw entityDisabled(path);
  for (const { message } of wanted) checkAcceptable(queue, [message], parts.limits);
  checkQuota(queue.topLevel, parts);
  return wanted;
}

function applyImport(
  store: MessageStore,
  wanted: readonly ImportedMessage[],
  { messages, sessionStates = [], importId, isLast = false }: ImportMessages,
  parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  const sequenceNumbers = wanted.map((imported) => importOne(store, imported, parts, turn));
  for (const { sessionId, state } of sessionStates) replaceState(store, sessionId, state, parts, turn);
  if (importId !== undefined) markAll(store, importId, wanted, turn);
  const marks = importId === undefined ? [] : importMarksOf(store, importId);
  if (importId !== undefined && isLast) {
    // In one turn, so that a copy that is run again finds all of its marks or none.
    for (const each of parts.namespace.stores()) endImport(each, importId, turn);
  }
  if (sequenceNumbers.length > 0) turn.touch(store);
  return { kind: 'imported', sequenceNumbers, skippedCount: messages.length - wanted.length, marks };
}

function importOne(
  store: MessageStore,
  imported: ImportedMessage,
  parts: BrokerParts,
  turn: TurnInProgress,
): number {
  const { queue } = store;
  const { message, details } = imported;
  // A topic keeps only scheduled messages; any other goes to its subscriptions.
  if (queue.owner?.kind === 'topic') {
    const metadata = { isShared: false, enqueuedSequenceNumber: undefined, details: onwardOf(details) };
    const arriving: Arriving = {
      message,
      metadata,
      contentId: undefined,
      comesBack: true,
      sequenceNumber: undefined,
      isContentUsed: false,
    };
    return accept(queue, arriving, parts, turn);
  }
  const sequenceNumber = takeNumber(queue, message, turn);
  const contentId = parts.contentIds.take();
  turn.contentStored(contentId, message.content);
  const record = recordOf(store, imported, { sequenceNumber, contentId }, parts, turn);
  const stored = new StoredMessage(record);
  note(store, imported, sequenceNumber, turn);
  store.add(stored);
  queue.stored(stored);
  turn.contentReferenced(stored);
  turn.messagePut(store, stored, record);
  return sequenceNumber;
}

function recordOf(
  store: MessageStore,
  { message, state, deliveryCount, details }: ImportedMessage,
  numbers: Pick<MessageRecord, 'sequenceNumber' | 'contentId'>,
  { limits }: BrokerParts,
  { now }: TurnInProgress,
): MessageRecord {
  const { queue, isDeadLetterQueue } = store;
  const { content, sessionId, timeToLiveMs = NEVER, scheduledEnqueueTime = 0 } = message;
  const isScheduled = state === 'scheduled' && scheduledEnqueueTime > now && !isDeadLetterQueue;
  const schedule = isScheduled ? { enqueueAt: scheduledEnqueueTime, timeToLiveMs } : undefined;
  const deadLetteredAt = isDeadLetterQueue ? now : undefined;
  return {
    ...numbers,
    enqueuedTime: now,
    expiresAt: isScheduled || isDeadLetterQueue ? NEVER : expiryOf(queue, timeToLiveMs, limits, now), // TTL-11
    deliveryCount,
    state: isScheduled
      ? MESSAGE_STATE.scheduled
      : state === 'deferred'
        ? MESSAGE_STATE.deferred
        : MESSAGE_STATE.active,
    wasScheduled: false,
    sessionId: store.sessionIdFor(details?.systemChanges?.sessionId ?? sessionId),
    sizeBytes: content.byteLength,
    isShared: false,
    enqueuedSequenceNumber: undefined,
    details: withDetails(details, { schedule, deadLetteredAt }),
  };
}

/** Details that a message takes to the subscriptions of a topic. */
function onwardOf(details: MessageDetails | undefined): MessageDetails | undefined {
  return withDetails(details, { lastHolder: undefined });
}

function note(
  { path }: MessageStore,
  { message, state, details }: ImportedMessage,
  sequenceNumber: number,
  { activities, now }: TurnInProgress,
): void {
  if (activities === undefined) return;
  const { content, sessionId, scheduledEnqueueTime: enqueueAt = 0 } = message;
  const messageId = details?.systemChanges?.messageId ?? details?.generatedMessageId ?? message.messageId;
  const sizeBytes = content.byteLength;
  const common = { path, sequenceNumber, messageId, sessionId, sizeBytes, content, correlationId: undefined };
  if (state === 'scheduled' && enqueueAt > now) activities.push({ kind: 'scheduled', ...common, enqueueAt });
  else activities.push({ kind: 'enqueued', ...common });
}
