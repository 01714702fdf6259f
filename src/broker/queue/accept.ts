// Accepts a message into a queue or topic, sent or forwarded: a duplicate is dropped, any other gets a number and is stored.

import type { MessageIdRecord, MessageRecord } from '../contract/event.js';
import { type Instant, NEVER } from '../contract/instant.js';
import { MESSAGE_STATE, type NewMessage, withDetails } from '../contract/message-properties.js';
import type { MessageMetadata } from '../store/accepted-message.js';
import { duplicateKeyOf } from '../store/duplicate-detection.js';
import { keyOf, PARTITION_COUNT, partitionOf } from '../store/partition.js';
import type { Queue } from '../store/queue.js';
import { StoredMessage } from '../store/stored-message.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { expiryOf } from './time-to-live.js';

/** The message-ids that one turn forgets. */
const MAX_FORGOTTEN = 1000;

/** The copies of a topic's message, which are still to be stored. */
export type CopiesToStore = Parameters<BrokerParts['storeCopies']>[1][number];

export type Arriving = {
  message: NewMessage;
  metadata: MessageMetadata;
  /** The id of a content that is already stored; undefined: the content is new. */
  readonly contentId: number | undefined;
  /** Whether the message was forwarded back to an entity that already has its message-id: it is no duplicate of itself. */
  readonly comesBack: boolean;
  /** A number reserved for it; undefined: it gets the next one. */
  sequenceNumber: number | undefined;
  /** Collects the copies of a topic's message, so that several messages are stored together; undefined: they are stored at once. */
  readonly copies?: CopiesToStore[];
  /** Set by `accept`: whether a stored message refers to the content. */
  isContentUsed: boolean;
};

/** Accepts a checked message. Returns its sequence number, or the number of the message it repeats (DUP-05). */
export function accept(queue: Queue, arriving: Arriving, parts: BrokerParts, turn: TurnInProgress): number {
  const duplicateKey = duplicateKeyOf(queue.description, arriving.message);
  const original = duplicateKey === undefined ? undefined : findOriginal(queue, duplicateKey, turn.now);
  if (original !== undefined && !arriving.comesBack) {
    arriving.isContentUsed = false;
    turn.activities?.push({
      kind: 'duplicate',
      path: queue.main.path,
      sequenceNumber: original.sequenceNumber,
      messageId: messageIdOf(arriving),
      correlationId: correlationIdOf(arriving, turn),
    });
    return original.sequenceNumber; // DUP-01, DUP-05, DUP-08, M3
  }
  const sequenceNumber = arriving.sequenceNumber ?? takeNumber(queue, arriving.message, turn);
  if (turn.activities !== undefined) noteArrival(queue, arriving, sequenceNumber, turn);
  arriving.isContentUsed = storeOrFanOut(queue, arriving, sequenceNumber, parts, turn);
  turn.touch(queue.main);
  if (duplicateKey !== undefined && original === undefined) {
    noteMessageId(queue, { duplicateKey, sequenceNumber, acceptedAt: turn.now }, turn); // DUP-04
  }
  return sequenceNumber;
}

function noteArrival(queue: Queue, arriving: Arriving, sequenceNumber: number, turn: TurnInProgress): void {
  const { content, sessionId, scheduledEnqueueTime: enqueueAt = 0 } = arriving.message;
  const { path } = queue.main;
  const sizeBytes = content.byteLength;
  const messageId = messageIdOf(arriving);
  const correlationId = correlationIdOf(arriving, turn);
  const { activities } = turn;
  if (enqueueAt > turn.now) {
    const ids = { messageId, correlationId, sessionId };
    activities?.push({ kind: 'scheduled', path, sequenceNumber, ...ids, sizeBytes, content, enqueueAt });
    return;
  }
  const kind = queue.owner?.kind === 'topic' ? 'accepted' : 'enqueued';
  activities?.push({ kind, path, sequenceNumber, messageId, correlationId, sessionId, sizeBytes, content });
}

function messageIdOf({ message, metadata }: Arriving): string | undefined {
  const { systemChanges, generatedMessageId } = metadata.details ?? {};
  return systemChanges?.messageId ?? generatedMessageId ?? message.messageId;
}

function correlationIdOf(
  { message, metadata }: Arriving,
  { messageReader }: TurnInProgress,
): string | undefined {
  const changed = metadata.details?.systemChanges?.correlationId;
  if (changed !== undefined) return changed ?? undefined;
  const { content, correlationIdOffset: offset } = message;
  return offset === undefined ? undefined : messageReader.correlationId(content, offset);
}

export function takeNumber(queue: Queue, message: NewMessage, turn: TurnInProgress): number {
  const partitionId = choosePartition(queue, message);
  turn.numberTaken(queue, partitionId);
  return queue.sequenceNumbers.take(partitionId); // SEQ-02, SCH-04
}

/** PRT-02. The via-partition-key is the last choice: it puts a message into the partition of its transaction. */
export function choosePartition(queue: Queue, message: NewMessage): number {
  if (!queue.description.enablePartitioning) return 0; // PRT-03
  const key = keyOf(queue.description, message) ?? message.viaPartitionKey;
  if (key !== undefined) return partitionOf(key);
  const partitionId = queue.nextPartitionId;
  queue.nextPartitionId = (partitionId + 1) % PARTITION_COUNT;
  return partitionId;
}

/** M1, or M2 for a scheduled message. Copies field by field: a spread costs more than the rest of this function. */
function storeOrFanOut(
  queue: Queue,
  arriving: Arriving,
  sequenceNumber: number,
  parts: BrokerParts,
  turn: TurnInProgress,
): boolean {
  const { message, metadata } = arriving;
  const { content, sessionId, timeToLiveMs = NEVER, scheduledEnqueueTime = 0 } = message;
  const contentId = arriving.contentId ?? parts.contentIds.take();
  const isScheduled = scheduledEnqueueTime > turn.now; // SCH-05; any time in the future (SCH-09)
  const sizeBytes = content.byteLength;
  if (queue.owner?.kind === 'topic' && !isScheduled) {
    const wasScheduled = false;
    const accepted = {
      metadata,
      sequenceNumber,
      enqueuedTime: turn.now,
      contentId,
      sizeBytes,
      sessionId,
      timeToLiveMs,
      wasScheduled,
    };
    const fanOutContent = {
      open: () => parts.messageReader.propertiesOf(message),
      keepContent: () => keepContent(arriving, contentId, turn),
    };
    const copies = arriving.copies ?? [];
    const isUsed = parts.fanOut(queue, accepted, fanOutContent, copies, parts, turn); // SND-15
    if (arriving.copies === undefined) parts.storeCopies(queue, copies, parts.limits, turn);
    return isUsed;
  }
  keepContent(arriving, contentId, turn);
  const schedule = { enqueueAt: scheduledEnqueueTime, timeToLiveMs };
  const record: MessageRecord = {
    sequenceNumber,
    enqueuedTime: turn.now, // SEQ-08
    expiresAt: isScheduled ? NEVER : expiryOf(queue, timeToLiveMs, parts.limits, turn.now), // TTL-14: with the present default
    deliveryCount: 0, // DLV-01
    state: isScheduled ? MESSAGE_STATE.scheduled : MESSAGE_STATE.active,
    wasScheduled: false,
    sessionId: queue.main.sessionIdFor(sessionId),
    contentId,
    sizeBytes,
    isShared: metadata.isShared,
    enqueuedSequenceNumber: metadata.enqueuedSequenceNumber,
    details: isScheduled ? withDetails(metadata.details, { schedule }) : metadata.details,
  };
  const stored = new StoredMessage(record);
  queue.main.add(stored);
  queue.stored(stored);
  turn.contentReferenced(stored);
  turn.messagePut(queue.main, stored, record);
  return true;
}

function keepContent(
  { message, contentId: storedId }: Arriving,
  contentId: number,
  turn: TurnInProgress,
): void {
  if (storedId === undefined) turn.contentStored(contentId, message.content);
}

/** Finds the message that this one repeats within the queue's present window. */
export function findOriginal(queue: Queue, duplicateKey: string, now: Instant): MessageIdRecord | undefined {
  return queue.messageIds.find(duplicateKey, now, queue.description.duplicateDetectionHistoryTimeWindowMs);
}

function noteMessageId(queue: Queue, noted: MessageIdRecord, turn: TurnInProgress): void {
  const replaced = queue.messageIds.note(noted);
  if (replaced !== undefined) forgotten(queue, replaced, turn);
  turn.events.push({ kind: 'message-id-noted', storeId: queue.main.rowsId, noted });
}

/** Removes message-ids that are older than the window, as many as a turn may. The next turn continues. */
export function forgetMessageIds(queue: Queue, turn: TurnInProgress): void {
  const { duplicateDetectionHistoryTimeWindowMs } = queue.description;
  for (const record of queue.messageIds.forget(
    turn.now,
    duplicateDetectionHistoryTimeWindowMs,
    MAX_FORGOTTEN,
  )) {
    forgotten(queue, record, turn);
  }
}

function forgotten(queue: Queue, { sequenceNumber }: MessageIdRecord, turn: TurnInProgress): void {
  turn.events.push({ kind: 'message-id-forgotten', storeId: queue.main.rowsId, sequenceNumber });
}
