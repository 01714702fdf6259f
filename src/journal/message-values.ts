// Encodes the rows of messages and message-ids. Every sent message needs one or two, so default values are left out and the
// JSON is assembled by hand.

import type { MessageIdRecord, MessageRecord, Schedule } from '../broker/event.js';
import { NEVER } from '../broker/instant.js';
import type { MessageState } from '../broker/queue/message-properties.js';
import {
  readPropertyChanges,
  readSystemChanges,
  writePropertyChanges,
  writeSystemChanges,
} from './change-values.js';
import { isCount, isInstant, isTextOrAbsent, parseObject, readEndless } from './json-row.js';

const SCHEDULED: MessageState = 2;

export function writeMessage(message: MessageRecord): string {
  const { enqueuedTime, expiresAt, contentId, sizeBytes, deliveryCount, state } = message;
  const { sessionId, generatedMessageId } = message;
  let row = `{"enqueuedTime":${enqueuedTime},"contentId":${contentId},"sizeBytes":${sizeBytes}`;
  if (expiresAt !== NEVER) row += `,"expiresAt":${expiresAt}`; // TTL-01
  if (deliveryCount !== 0) row += `,"deliveryCount":${deliveryCount}`;
  if (state !== 0) row += `,"state":${state}`;
  if (message.schedule !== undefined) row += writeSchedule(message.schedule);
  if (message.wasScheduled) row += ',"wasScheduled":true'; // MSG-09
  if (sessionId !== undefined) row += `,"sessionId":${JSON.stringify(sessionId)}`; // SES-02
  if (generatedMessageId !== undefined) row += `,"inventedMessageId":${JSON.stringify(generatedMessageId)}`;
  if (message.propertyChanges !== undefined) {
    row += `,"propertyChanges":${writePropertyChanges(message.propertyChanges)}`;
  }
  return `${row}${writeOrigin(message)}}`;
}

/** The additional fields of a copy and of a forwarded or transferred message. */
function writeOrigin(message: MessageRecord): string {
  const { systemChanges, enqueuedSequenceNumber, hopCount, deadLetterSource, destination } = message;
  const { lastHolder } = message;
  let row = '';
  if (systemChanges !== undefined) row += `,"systemChanges":${writeSystemChanges(systemChanges)}`; // ACT-04
  if (message.isShared) row += ',"isShared":true';
  if (enqueuedSequenceNumber !== undefined) row += `,"enqueuedSequenceNumber":${enqueuedSequenceNumber}`; // SEQ-05
  if (hopCount !== 0) row += `,"hopCount":${hopCount}`; // FWD-07
  if (deadLetterSource !== undefined) row += `,"deadLetterSource":${JSON.stringify(deadLetterSource)}`; // DLQ-07
  if (destination !== undefined) row += `,"destination":${JSON.stringify(destination)}`; // TXN-10
  if (lastHolder !== undefined) row += `,"lastHolder":${JSON.stringify(lastHolder)}`;
  return row;
}

export function readStoredMessage(row: string, sequenceNumber: number): MessageRecord | undefined {
  const value = parseObject(row);
  if (value === undefined) return undefined;
  const { enqueuedTime, contentId, sizeBytes, deliveryCount = 0, state = 0 } = value;
  const { wasScheduled = false, sessionId, inventedMessageId: generatedMessageId } = value;
  if (!isInstant(enqueuedTime) || !isCount(contentId) || !isCount(sizeBytes)) return undefined;
  if (!isCount(deliveryCount) || (state !== 0 && state !== 1 && state !== 2)) return undefined;
  if (typeof wasScheduled !== 'boolean') return undefined;
  if (!isTextOrAbsent(sessionId) || !isTextOrAbsent(generatedMessageId)) return undefined;
  const expiresAt = readEndless(value.expiresAt);
  const schedule = readSchedule(state, value);
  const propertyChanges = readPropertyChanges(value.propertyChanges);
  const origin = readOrigin(value);
  if (expiresAt === undefined || schedule === null) return undefined;
  if (propertyChanges === null || origin === undefined) return undefined;
  return {
    sequenceNumber,
    enqueuedTime,
    expiresAt,
    deliveryCount,
    state,
    schedule,
    wasScheduled,
    sessionId,
    contentId,
    sizeBytes,
    generatedMessageId,
    propertyChanges,
    ...origin,
  };
}

type Origin = Pick<
  MessageRecord,
  | 'systemChanges'
  | 'isShared'
  | 'enqueuedSequenceNumber'
  | 'hopCount'
  | 'deadLetterSource'
  | 'destination'
  | 'lastHolder'
>;

/** Returns undefined when the row is damaged. */
function readOrigin(value: Record<string, unknown>): Origin | undefined {
  const { isShared = false, enqueuedSequenceNumber, hopCount = 0, deadLetterSource, destination } = value;
  const { lastHolder } = value;
  const systemChanges = readSystemChanges(value.systemChanges);
  if (systemChanges === null || typeof isShared !== 'boolean' || !isCount(hopCount)) return undefined;
  if (enqueuedSequenceNumber !== undefined && !isCount(enqueuedSequenceNumber)) return undefined;
  if (!isTextOrAbsent(deadLetterSource) || !isTextOrAbsent(destination)) return undefined;
  if (!isTextOrAbsent(lastHolder)) return undefined;
  return {
    systemChanges,
    isShared,
    enqueuedSequenceNumber,
    hopCount,
    deadLetterSource,
    destination,
    lastHolder,
  };
}

/** The sequence number is in the key. */
export function writeMessageId({ duplicateKey, acceptedAt }: MessageIdRecord): string {
  // Escapes half surrogate pairs, which UTF-8 cannot hold: ids are compared exactly (DUP-07).
  return `{"duplicateKey":${JSON.stringify(duplicateKey)},"acceptedAt":${acceptedAt}}`;
}

export function readMessageId(row: string, sequenceNumber: number): MessageIdRecord | undefined {
  const value = parseObject(row);
  if (typeof value?.duplicateKey !== 'string' || !isInstant(value.acceptedAt)) return undefined;
  return { duplicateKey: value.duplicateKey, sequenceNumber, acceptedAt: value.acceptedAt };
}

function writeSchedule({ enqueueAt, timeToLiveMs }: Schedule): string {
  const row = `,"enqueueAt":${enqueueAt}`; // SCH-02
  return timeToLiveMs === NEVER ? row : `${row},"timeToLiveMs":${timeToLiveMs}`; // TTL-04
}

/** Returns null when the row is damaged: a message has a schedule if, and only if, it is scheduled. */
function readSchedule(state: MessageState, value: Record<string, unknown>): Schedule | undefined | null {
  const { enqueueAt } = value;
  if (state !== SCHEDULED) {
    return enqueueAt === undefined && value.timeToLiveMs === undefined ? undefined : null;
  }
  const timeToLiveMs = readEndless(value.timeToLiveMs);
  return isInstant(enqueueAt) && timeToLiveMs !== undefined ? { enqueueAt, timeToLiveMs } : null;
}
