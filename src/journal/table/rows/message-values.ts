// Encodes the rows of messages and message-ids. There may be a million of them, so their numbers are written and read by hand; only fields
// that few messages have are JSON.

import type { CopiedTo, MessageIdRecord, MessageRecord, Schedule } from '../../../broker/contract/event.js';
import { NEVER } from '../../../broker/contract/instant.js';
import type { MessageState } from '../../../broker/contract/message-properties.js';
import {
  readPropertyChanges,
  readSystemChanges,
  writePropertyChanges,
  writeSystemChanges,
} from './change-values.js';
import { isCount, isInstant, isTextOrAbsent, parseObject, readEndless } from './json-row.js';
import type { RowText } from './row-text.js';

const SCHEDULED: MessageState = 2;
/** The layout of a row's flags: two bits for the state, and two more. */
const STATE_MASK = 0b11;
const WAS_SCHEDULED = 4;
const SHARED = 8;
const MAX_FLAGS = 15;

/**
 * Writes `enqueuedTime,contentId,sizeBytes`, then `,expiresAt,deliveryCount,flags,enqueuedSequenceNumber` unless all four have their
 * defaults, then a JSON object with the other fields that the message has. A default is written as an empty text.
 */
export function writeMessage(message: MessageRecord): string {
  const { expiresAt, deliveryCount, state, isShared, wasScheduled, enqueuedSequenceNumber } = message;
  let row = `${message.enqueuedTime},${message.contentId},${message.sizeBytes}`;
  const flags = state | (wasScheduled ? WAS_SCHEDULED : 0) | (isShared ? SHARED : 0); // MSG-09
  if (expiresAt !== NEVER || deliveryCount !== 0 || flags !== 0 || enqueuedSequenceNumber !== undefined) {
    row += `,${expiresAt === NEVER ? '' : expiresAt},${deliveryCount || ''}`; // TTL-01
    row += `,${flags || ''},${enqueuedSequenceNumber ?? ''}`; // SEQ-05
  }
  const rare = writeRareFields(message);
  return rare === '' ? row : `${row}{${rare.slice(1)}}`;
}

function writeRareFields(message: MessageRecord): string {
  const { schedule, sessionId, generatedMessageId, propertyChanges, systemChanges } = message;
  const { hopCount, deadLetterSource, destination, lastHolder, copiedTo } = message;
  let row = schedule === undefined ? '' : writeSchedule(schedule);
  if (sessionId !== undefined) row += `,"sessionId":${JSON.stringify(sessionId)}`; // SES-02
  if (generatedMessageId !== undefined) row += `,"generatedMessageId":${JSON.stringify(generatedMessageId)}`;
  if (propertyChanges !== undefined) row += `,"propertyChanges":${writePropertyChanges(propertyChanges)}`;
  if (systemChanges !== undefined) row += `,"systemChanges":${writeSystemChanges(systemChanges)}`; // ACT-04
  if (hopCount !== 0) row += `,"hopCount":${hopCount}`; // FWD-07
  if (deadLetterSource !== undefined) row += `,"deadLetterSource":${JSON.stringify(deadLetterSource)}`; // DLQ-07
  if (destination !== undefined) row += `,"destination":${JSON.stringify(destination)}`; // TXN-10
  if (lastHolder !== undefined) row += `,"lastHolder":${JSON.stringify(lastHolder)}`;
  if (copiedTo !== undefined) row += `,"copiedTo":[${copiedTo.storeId},${copiedTo.copyCount}]`; // TOP-15
  return row;
}

/** Returns undefined when the row is damaged. */
export function readStoredMessage(row: RowText, sequenceNumber: number): MessageRecord | undefined {
  const enqueuedTime = row.number();
  const contentId = row.number();
  const sizeBytes = row.number();
  const expiresAt = row.number() ?? NEVER;
  const deliveryCount = row.number() ?? 0;
  const flags = row.number() ?? 0;
  const enqueuedSequenceNumber = row.number();
  if (!isInstant(enqueuedTime) || !isCount(contentId) || !isCount(sizeBytes)) return undefined;
  if (Number.isNaN(expiresAt) || !isCount(deliveryCount) || !(flags <= MAX_FLAGS)) return undefined;
  if (enqueuedSequenceNumber !== undefined && !isCount(enqueuedSequenceNumber)) return undefined;
  const state = flags & STATE_MASK;
  const rare = row.isAtEnd && state !== SCHEDULED ? NO_RARE_FIELDS : readRareFields(row.rest(), state);
  if (!isState(state) || rare === undefined) return undefined;
  return {
    sequenceNumber,
    enqueuedTime,
    expiresAt,
    deliveryCount,
    state,
    schedule: rare.schedule,
    wasScheduled: (flags & WAS_SCHEDULED) !== 0,
    sessionId: rare.sessionId,
    contentId,
    sizeBytes,
    generatedMessageId: rare.generatedMessageId,
    propertyChanges: rare.propertyChanges,
    systemChanges: rare.systemChanges,
    isShared: (flags & SHARED) !== 0,
    enqueuedSequenceNumber,
    hopCount: rare.hopCount,
    deadLetterSource: rare.deadLetterSource,
    destination: rare.destination,
    lastHolder: rare.lastHolder,
    copiedTo: rare.copiedTo,
  };
}

type RareFields = Pick<
  MessageRecord,
  | 'schedule'
  | 'sessionId'
  | 'generatedMessageId'
  | 'propertyChanges'
  | 'systemChanges'
  | 'hopCount'
  | 'deadLetterSource'
  | 'destination'
  | 'lastHolder'
  | 'copiedTo'
>;

const NO_RARE_FIELDS: RareFields = {
  schedule: undefined,
  sessionId: undefined,
  generatedMessageId: undefined,
  propertyChanges: undefined,
  systemChanges: undefined,
  hopCount: 0,
  deadLetterSource: undefined,
  destination: undefined,
  lastHolder: undefined,
  copiedTo: undefined,
};

/** Returns undefined when a field is damaged. */
function readRareFields(row: string, state: number): RareFields | undefined {
  const value = parseObject(row);
  if (value === undefined) return undefined;
  const { sessionId, generatedMessageId, hopCount = 0 } = value;
  const { deadLetterSource, destination, lastHolder } = value;
  if (!isTextOrAbsent(sessionId) || !isTextOrAbsent(generatedMessageId)) return undefined;
  if (!isTextOrAbsent(deadLetterSource) || !isTextOrAbsent(destination)) return undefined;
  if (!isTextOrAbsent(lastHolder) || !isCount(hopCount)) return undefined;
  const schedule = readSchedule(state, value);
  const propertyChanges = readPropertyChanges(value.propertyChanges);
  const systemChanges = readSystemChanges(value.systemChanges);
  const copiedTo = readCopiedTo(value.copiedTo);
  if (schedule === null || propertyChanges === null || systemChanges === null) return undefined;
  if (copiedTo === null) return undefined;
  return {
    schedule,
    sessionId,
    generatedMessageId,
    propertyChanges,
    systemChanges,
    hopCount,
    deadLetterSource,
    destination,
    lastHolder,
    copiedTo,
  };
}

/** Returns null when the value is damaged. */
function readCopiedTo(value: unknown): CopiedTo | undefined | null {
  if (value === undefined) return undefined;
  const [storeId, copyCount] = Array.isArray(value) ? value : [];
  return isCount(storeId) && isCount(copyCount) ? { storeId, copyCount } : null;
}

function isState(state: unknown): state is MessageState {
  return state === 0 || state === 1 || state === 2;
}

/** Writes the time and the duplicate key as a text of JSON. The sequence number is in the key. */
export function writeMessageId({ duplicateKey, acceptedAt }: MessageIdRecord): string {
  // JSON escapes half surrogate pairs, which UTF-8 cannot represent. Ids are compared exactly (DUP-07).
  return `${acceptedAt}${JSON.stringify(duplicateKey)}`;
}

/** Returns undefined when the row is damaged. */
export function readMessageId(row: RowText, sequenceNumber: number): MessageIdRecord | undefined {
  const acceptedAt = row.number();
  const duplicateKey = row.quotedText();
  if (!isInstant(acceptedAt) || duplicateKey === undefined) return undefined;
  return { duplicateKey, sequenceNumber, acceptedAt };
}

function writeSchedule({ enqueueAt, timeToLiveMs }: Schedule): string {
  const row = `,"enqueueAt":${enqueueAt}`; // SCH-02
  return timeToLiveMs === NEVER ? row : `${row},"timeToLiveMs":${timeToLiveMs}`; // TTL-04
}

/** Returns null if the row is damaged: a message has a schedule if, and only if, it is scheduled. */
function readSchedule(state: number, value: Record<string, unknown>): Schedule | undefined | null {
  const { enqueueAt } = value;
  if (state !== SCHEDULED) {
    return enqueueAt === undefined && value.timeToLiveMs === undefined ? undefined : null;
  }
  const timeToLiveMs = readEndless(value.timeToLiveMs);
  return isInstant(enqueueAt) && timeToLiveMs !== undefined ? { enqueueAt, timeToLiveMs } : null;
}
