// Messages come in: all checks first, then all are stored (SND-11), except those that repeat one accepted before.

import type { MessageStore } from '../entity/message-store.js';
import { entityDisabled, type Queue } from '../entity/queue.js';
import { NEVER } from '../instant.js';
import type { Limits } from '../limits.js';
import type { NumberSeries } from '../number-series.js';
import type { Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { duplicateKeyOf, findOriginal, noteMessageId } from './duplicate-detection.js';
import { MESSAGE_STATE, type NewMessage } from './message-properties.js';
import { PARTITION_COUNT, partitionOf } from './partition.js';
import { checkMessages } from './send-check.js';
import { StoredMessage } from './stored-message.js';
import { expiryOf } from './time-to-live.js';

export type SendResources = {
  readonly limits: Limits;
  readonly contentIds: NumberSeries;
  readonly nextGuid: () => string;
};

/** SND-09 and ENT-07, when a sender attaches and with every send. */
export function checkMaySend({ queue, isDeadLetterQueue, path }: MessageStore): void {
  if (isDeadLetterQueue) {
    throw new ServiceBusError('not-allowed', `Nothing can be sent to the dead-letter queue '${path}'.`, path);
  }
  if (!queue.canSend) throw entityDisabled(path);
}

export function send(
  store: MessageStore,
  messages: readonly NewMessage[],
  resources: SendResources,
  turn: TurnInProgress,
): Result {
  checkMaySend(store);
  checkMessages(store.queue, messages, resources.limits); // SND-11; no number is taken before (SEQ-04)
  const partitionIds = new Set<number>();
  const sequenceNumbers = messages.map((message) => {
    const duplicateKey = duplicateKeyOf(store.queue, message);
    const original =
      duplicateKey === undefined ? undefined : findOriginal(store.queue, duplicateKey, turn.now);
    if (original !== undefined) return original.sequenceNumber; // DUP-01, DUP-05, M3
    const partitionId = choosePartition(store.queue, message);
    partitionIds.add(partitionId);
    const sequenceNumber = accept(store.queue, message, partitionId, resources, turn);
    if (duplicateKey !== undefined) {
      noteMessageId(store.queue, { duplicateKey, sequenceNumber, acceptedAt: turn.now }, turn); // DUP-04
    }
    return sequenceNumber;
  });
  for (const partitionId of partitionIds) turn.sequencePut(store.queue, partitionId);
  if (partitionIds.size > 0) turn.touch(store);
  return { kind: 'sent', sequenceNumbers };
}

/** PRT-02. */
function choosePartition(queue: Queue, { messageId, sessionId, partitionKey }: NewMessage): number {
  const { enablePartitioning, requiresDuplicateDetection } = queue.description;
  if (!enablePartitioning) return 0; // PRT-03
  const key = sessionId ?? partitionKey ?? (requiresDuplicateDetection ? messageId : undefined);
  if (key !== undefined) return partitionOf(key);
  const partitionId = queue.nextPartitionId;
  queue.nextPartitionId = (partitionId + 1) % PARTITION_COUNT;
  return partitionId;
}

/** M1, or M2 when its time is to come. */
function accept(
  queue: Queue,
  { content, messageId, sessionId, timeToLiveMs = NEVER, scheduledEnqueueTime = 0 }: NewMessage,
  partitionId: number,
  { contentIds, nextGuid, limits }: SendResources,
  turn: TurnInProgress,
): number {
  const isScheduled = scheduledEnqueueTime > turn.now; // SCH-05; by however much (SCH-09)
  const message = new StoredMessage({
    sequenceNumber: queue.sequenceNumbers.take(partitionId), // SEQ-02, SCH-04
    enqueuedTime: turn.now, // SEQ-08
    expiresAt: isScheduled ? NEVER : expiryOf(queue, timeToLiveMs, limits, turn.now), // TTL-14: by the default of now
    deliveryCount: 0, // DLV-01
    state: isScheduled ? MESSAGE_STATE.scheduled : MESSAGE_STATE.active,
    schedule: isScheduled ? { enqueueAt: scheduledEnqueueTime, timeToLiveMs } : undefined,
    sessionId: queue.main.sessionIdFor(sessionId),
    contentId: contentIds.take(),
    sizeBytes: content.byteLength,
    inventedMessageId: messageId === undefined ? nextGuid() : undefined, // MSG-04
    propertyChanges: undefined,
  });
  queue.main.add(message);
  queue.sizeBytes += message.sizeBytes;
  turn.events.push({ kind: 'content-stored', contentId: message.contentId, content });
  turn.messagePut(queue.main, message);
  return message.sequenceNumber;
}
