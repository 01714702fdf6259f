// What stands in the rows of messages and of noted message-ids. One or two are written for every message that is sent, so
// what is usual is left out and the JSON put together by hand.

import type { MessageIdRecord, MessageRecord, Schedule } from '../broker/event.js';
import { NEVER } from '../broker/instant.js';
import type { MessageState, PropertyChange } from '../broker/message/message-properties.js';
import { isCount, isInstant, isObject, isTextOrAbsent, parseObject, readEndless } from './json-row.js';
import { asBuffer } from './row-values.js';

const SCHEDULED: MessageState = 2;

export function writeMessage(message: MessageRecord): string {
  const { enqueuedTime, expiresAt, contentId, sizeBytes, deliveryCount, state } = message;
  const { sessionId, inventedMessageId } = message;
  let row = `{"enqueuedTime":${enqueuedTime},"contentId":${contentId},"sizeBytes":${sizeBytes}`;
  if (expiresAt !== NEVER) row += `,"expiresAt":${expiresAt}`; // TTL-01
  if (deliveryCount !== 0) row += `,"deliveryCount":${deliveryCount}`;
  if (state !== 0) row += `,"state":${state}`;
  if (message.schedule !== undefined) row += writeSchedule(message.schedule);
  if (sessionId !== undefined) row += `,"sessionId":${JSON.stringify(sessionId)}`; // SES-02
  if (inventedMessageId !== undefined) row += `,"inventedMessageId":${JSON.stringify(inventedMessageId)}`;
  if (message.propertyChanges !== undefined) {
    row += `,"propertyChanges":${JSON.stringify(message.propertyChanges.map(writeChange))}`;
  }
  return `${row}}`;
}

export function readMessage(row: string, sequenceNumber: number): MessageRecord | undefined {
  const value = parseObject(row);
  if (value === undefined) return undefined;
  const { enqueuedTime, contentId, sizeBytes, deliveryCount = 0, state = 0 } = value;
  const { sessionId, inventedMessageId } = value;
  if (!isInstant(enqueuedTime) || !isCount(contentId) || !isCount(sizeBytes)) return undefined;
  if (!isCount(deliveryCount) || (state !== 0 && state !== 1 && state !== 2)) return undefined;
  if (!isTextOrAbsent(sessionId) || !isTextOrAbsent(inventedMessageId)) return undefined;
  const expiresAt = readEndless(value.expiresAt);
  const schedule = readSchedule(state, value);
  const propertyChanges = readChanges(value.propertyChanges);
  if (expiresAt === undefined || schedule === null || propertyChanges === null) return undefined;
  return {
    sequenceNumber,
    enqueuedTime,
    expiresAt,
    deliveryCount,
    state,
    schedule,
    sessionId,
    contentId,
    sizeBytes,
    inventedMessageId,
    propertyChanges,
  };
}

/** The number it was noted with is in the key. */
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

/** Null when it is damaged: a message has a schedule if it is scheduled, and only then. */
function readSchedule(state: MessageState, value: Record<string, unknown>): Schedule | undefined | null {
  const { enqueueAt } = value;
  if (state !== SCHEDULED) {
    return enqueueAt === undefined && value.timeToLiveMs === undefined ? undefined : null;
  }
  const timeToLiveMs = readEndless(value.timeToLiveMs);
  return isInstant(enqueueAt) && timeToLiveMs !== undefined ? { enqueueAt, timeToLiveMs } : null;
}

function writeChange({ name, value }: PropertyChange): object {
  return typeof value === 'string'
    ? { name, text: value }
    : { name, bytes: asBuffer(value).toString('base64') };
}

/** Null when they are not property changes. */
function readChanges(value: unknown): PropertyChange[] | undefined | null {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return null;
  const changes = value.map(readChange);
  return changes.every((change) => change !== undefined) ? changes : null;
}

function readChange(value: unknown): PropertyChange | undefined {
  if (!isObject(value) || typeof value.name !== 'string') return undefined;
  if (typeof value.text === 'string') return { name: value.name, value: value.text };
  if (typeof value.bytes !== 'string') return undefined;
  return { name: value.name, value: new Uint8Array(Buffer.from(value.bytes, 'base64')) };
}
