// Messages come in, in the reference model: at once, at their time, or not at all because they are here already.

import { MESSAGE_STATE, type NewMessage } from '../../src/broker/message/message-properties.js';
import { partitionOf } from '../../src/broker/message/partition.js';
import { refusalsOfSend } from './reference-checks.js';
import { type ExpectedResult, failed } from './reference-expected.js';
import type { ModelQueue, Target } from './reference-state.js';
import {
  effectiveTimeToLive,
  happened,
  type ModelTurn,
  nextNumber,
  PARTITION_SIZE,
  PARTITIONS,
  put,
} from './reference-turn.js';

export function send(messages: readonly NewMessage[], target: Target, turn: ModelTurn): ExpectedResult {
  const { queue } = target;
  queue.activeAt = turn.now;
  const reasons = refusalsOfSend(target, messages, turn.limits);
  if (reasons.length > 0) return failed(...reasons);
  queue.accessedAt = turn.now;
  return { kind: 'sent', sequenceNumbers: messages.map((message) => accept(queue, message, turn)) };
}

function accept(queue: ModelQueue, message: NewMessage, turn: ModelTurn): number {
  const key = duplicateKey(queue, message);
  const noted = key === undefined ? undefined : queue.noted.find((one) => one.key === key);
  if (noted !== undefined) {
    happened('M3', turn);
    return noted.number; // DUP-05
  }
  const number = nextNumber(queue, partitionFor(queue, message), turn);
  if (key !== undefined) {
    const note = { key, number, acceptedAt: turn.now };
    queue.noted.push(note);
    turn.expected.noted.push({ queue, note });
  }
  store(queue, message, number, turn);
  return number;
}

function store(queue: ModelQueue, message: NewMessage, number: number, turn: ModelTurn): void {
  const { now } = turn;
  const { content, messageId, scheduledEnqueueTime: enqueueAt = now } = message;
  const timeToLiveMs = message.timeToLiveMs ?? Number.POSITIVE_INFINITY;
  const isScheduled = enqueueAt > now; // SCH-05
  happened(isScheduled ? 'M2' : 'M1', turn);
  if (message.scheduledEnqueueTime !== undefined && !isScheduled) happened('scheduled too late', turn);
  const stored = {
    place: 'main' as const,
    number,
    partitionId: queue.description.enablePartitioning ? Math.floor(number / PARTITION_SIZE) : undefined,
    state: isScheduled ? MESSAGE_STATE.scheduled : MESSAGE_STATE.active,
    enqueuedTime: now,
    expiresAt: isScheduled ? Number.POSITIVE_INFINITY : now + effectiveTimeToLive(queue, timeToLiveMs, turn),
    schedule: isScheduled ? { enqueueAt, timeToLiveMs } : undefined,
    content,
    sessionId: message.sessionId,
    hasInventedId: messageId === undefined,
    inventedId: undefined,
    count: 0,
    changes: {},
    lock: undefined,
    isGone: false,
  };
  queue.messages.push(stored);
  put(queue, stored, turn);
}

/** DUP-01, DUP-02; undefined when the message is not checked (DUP-07). */
function duplicateKey({ description }: ModelQueue, message: NewMessage): string | undefined {
  const { messageId, sessionId, partitionKey } = message;
  if (!description.requiresDuplicateDetection || messageId === undefined) return undefined;
  return JSON.stringify([messageId, description.enablePartitioning ? (sessionId ?? partitionKey ?? '') : '']);
}

/** PRT-02. */
function partitionFor(queue: ModelQueue, { sessionId, partitionKey, messageId }: NewMessage): number {
  const { enablePartitioning, requiresDuplicateDetection } = queue.description;
  if (!enablePartitioning) return 0;
  const key = sessionId ?? partitionKey ?? (requiresDuplicateDetection ? messageId : undefined);
  if (key !== undefined) return partitionOf(key);
  const partition = queue.nextPartition;
  queue.nextPartition = (partition + 1) % PARTITIONS;
  return partition;
}
