// A message comes into a queue or topic, sent or forwarded: a duplicate makes nothing, all else gets a number and its place.

import type { BrokerParts } from '../broker-parts.js';
import type { Queue } from '../entity/queue.js';
import type { MessageRecord } from '../event.js';
import { NEVER } from '../instant.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { duplicateKeyOf, findOriginal, noteMessageId } from './duplicate-detection.js';
import { fanOut } from './fan-out.js';
import { MESSAGE_STATE, type NewMessage } from './message-properties.js';
import { PARTITION_COUNT, partitionOf } from './partition.js';
import { StoredMessage } from './stored-message.js';
import { expiryOf } from './time-to-live.js';

/** What is kept of a message besides its content, wherever it goes. */
export type Luggage = Pick<
  MessageRecord,
  | 'inventedMessageId'
  | 'propertyChanges'
  | 'systemChanges'
  | 'isShared'
  | 'enqueuedSequenceNumber'
  | 'hopCount'
  | 'deadLetterSource'
>;

export type Arriving = {
  message: NewMessage;
  luggage: Luggage;
  /** Of a content that is stored already; undefined: it is new. */
  readonly contentId: number | undefined;
  /** Whether this entity has noted its id before: it is not looked for as a duplicate of itself. */
  readonly comesBack: boolean;
  /** Reserved for it; undefined: the next one. */
  sequenceNumber: number | undefined;
  /** Set by `accept`: whether a message names its content now. */
  isKept: boolean;
};

/** All checks have been made. Answers its number, or that of the message it repeats (DUP-05). */
export function accept(queue: Queue, arriving: Arriving, parts: BrokerParts, turn: TurnInProgress): number {
  const duplicateKey = duplicateKeyOf(queue, arriving.message);
  const original = duplicateKey === undefined ? undefined : findOriginal(queue, duplicateKey, turn.now);
  if (original !== undefined && !arriving.comesBack) {
    arriving.isKept = false;
    return original.sequenceNumber; // DUP-01, DUP-05, DUP-08, M3
  }
  const sequenceNumber = arriving.sequenceNumber ?? takeNumber(queue, arriving.message, turn);
  arriving.isKept = place(queue, arriving, sequenceNumber, parts, turn);
  turn.touch(queue.main);
  if (duplicateKey !== undefined && original === undefined) {
    noteMessageId(queue, { duplicateKey, sequenceNumber, acceptedAt: turn.now }, turn); // DUP-04
  }
  return sequenceNumber;
}

function takeNumber(queue: Queue, message: NewMessage, turn: TurnInProgress): number {
  const partitionId = choosePartition(queue, message);
  turn.numberTaken(queue, partitionId);
  return queue.sequenceNumbers.take(partitionId); // SEQ-02, SCH-04
}

/** PRT-02. The via-partition-key comes last: what is sent via this entity with it is of one transaction with the message. */
export function choosePartition(queue: Queue, message: NewMessage): number {
  const { enablePartitioning, requiresDuplicateDetection } = queue.description;
  if (!enablePartitioning) return 0; // PRT-03
  const { messageId, sessionId, partitionKey, viaPartitionKey } = message;
  const ofOwn = sessionId ?? partitionKey ?? (requiresDuplicateDetection ? messageId : undefined);
  const key = ofOwn ?? viaPartitionKey;
  if (key !== undefined) return partitionOf(key);
  const partitionId = queue.nextPartitionId;
  queue.nextPartitionId = (partitionId + 1) % PARTITION_COUNT;
  return partitionId;
}

/** M1, or M2 when its time is to come. Field by field: spreads and rests of objects cost more than all the rest. */
function place(
  queue: Queue,
  arriving: Arriving,
  sequenceNumber: number,
  parts: BrokerParts,
  turn: TurnInProgress,
): boolean {
  const { message, luggage } = arriving;
  const { content, sessionId, timeToLiveMs = NEVER, scheduledEnqueueTime = 0 } = message;
  const contentId = arriving.contentId ?? parts.contentIds.take();
  const isScheduled = scheduledEnqueueTime > turn.now; // SCH-05; by however much (SCH-09)
  const sizeBytes = content.byteLength;
  if (queue.topic !== undefined && !isScheduled) {
    const wasScheduled = false;
    const accepted = { luggage, sequenceNumber, contentId, sizeBytes, sessionId, timeToLiveMs, wasScheduled };
    const opened = {
      open: () => parts.reader.read(content),
      keepContent: () => keepContent(arriving, contentId, turn),
    };
    return fanOut(queue.topic, accepted, opened, parts, turn); // SND-15
  }
  keepContent(arriving, contentId, turn);
  const stored = new StoredMessage({
    sequenceNumber,
    enqueuedTime: turn.now, // SEQ-08
    expiresAt: isScheduled ? NEVER : expiryOf(queue, timeToLiveMs, parts.limits, turn.now), // TTL-14: by the default of now
    deliveryCount: 0, // DLV-01
    state: isScheduled ? MESSAGE_STATE.scheduled : MESSAGE_STATE.active,
    schedule: isScheduled ? { enqueueAt: scheduledEnqueueTime, timeToLiveMs } : undefined,
    wasScheduled: false,
    sessionId: queue.main.sessionIdFor(sessionId),
    contentId,
    sizeBytes,
    inventedMessageId: luggage.inventedMessageId,
    propertyChanges: luggage.propertyChanges,
    systemChanges: luggage.systemChanges,
    isShared: luggage.isShared,
    enqueuedSequenceNumber: luggage.enqueuedSequenceNumber,
    hopCount: luggage.hopCount,
    deadLetterSource: luggage.deadLetterSource,
  });
  queue.main.add(stored);
  queue.stored(stored);
  turn.contentNamed(stored);
  turn.messagePut(queue.main, stored);
  return true;
}

function keepContent(
  { message, contentId: storedId }: Arriving,
  contentId: number,
  turn: TurnInProgress,
): void {
  if (storedId === undefined) turn.contentStored(contentId, message.content);
}
