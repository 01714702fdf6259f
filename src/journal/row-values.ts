// What stands in the journal's rows: JSON for everything but contents, which are the sender's bytes and perhaps a checksum.

import { crc32 } from 'node:zlib';
import type { MessageRecord, QueueRecord } from '../broker/event.js';
import type { PropertyChange } from '../broker/message/message-properties.js';

/** Raised when a row changes so that an older version could not read it. */
export const FORMAT_VERSION = 1;

const CHECKSUM_BYTES = 4;

export function writeFormat(): string {
  return JSON.stringify({ format: FORMAT_VERSION });
}

/** Undefined when this is no format row. */
export function readFormat(row: string): number | undefined {
  const value = parseObject(row);
  return isCount(value?.format) ? value.format : undefined;
}

/** JSON has no infinity, which is what a span that never ends is counted with. */
export function writeQueue(queue: QueueRecord): string {
  return JSON.stringify(queue, (_key, value) =>
    value === Number.POSITIVE_INFINITY ? { never: true } : value,
  );
}

export function readQueue(row: string): QueueRecord | undefined {
  const value = parseObject(row, (_key, inner) => (inner?.never === true ? Number.POSITIVE_INFINITY : inner));
  return isQueueRecord(value) ? value : undefined;
}

function isQueueRecord(value: unknown): value is QueueRecord {
  if (!isObject(value) || !isObject(value.description)) return false;
  const { createdTime, updatedTime, storeId, deadLetterStoreId } = value;
  const isTimed = isInstant(createdTime) && isInstant(updatedTime);
  return (
    typeof value.description.name === 'string' && isTimed && isCount(storeId) && isCount(deadLetterStoreId)
  );
}

/** One is written for every message, so what is usual is left out or put together by hand. */
export function writeMessage(message: MessageRecord): string {
  const { enqueuedTime, contentId, sizeBytes, deliveryCount, state, inventedMessageId } = message;
  let row = `{"enqueuedTime":${enqueuedTime},"contentId":${contentId},"sizeBytes":${sizeBytes}`;
  if (deliveryCount !== 0) row += `,"deliveryCount":${deliveryCount}`;
  if (state !== 0) row += `,"state":${state}`;
  if (inventedMessageId !== undefined) row += `,"inventedMessageId":${JSON.stringify(inventedMessageId)}`;
  if (message.propertyChanges !== undefined) {
    row += `,"propertyChanges":${JSON.stringify(message.propertyChanges.map(writeChange))}`;
  }
  return `${row}}`;
}

export function readMessage(row: string, sequenceNumber: number): MessageRecord | undefined {
  const value = parseObject(row);
  if (value === undefined) return undefined;
  const { enqueuedTime, contentId, sizeBytes, deliveryCount = 0, state = 0, inventedMessageId } = value;
  if (!isInstant(enqueuedTime) || !isCount(contentId) || !isCount(sizeBytes)) return undefined;
  if (!isCount(deliveryCount) || (state !== 0 && state !== 1 && state !== 2)) return undefined;
  if (inventedMessageId !== undefined && typeof inventedMessageId !== 'string') return undefined;
  const propertyChanges =
    value.propertyChanges === undefined ? undefined : readChanges(value.propertyChanges);
  if (propertyChanges === null) return undefined;
  return {
    sequenceNumber,
    enqueuedTime,
    deliveryCount,
    state,
    contentId,
    sizeBytes,
    inventedMessageId,
    propertyChanges,
  };
}

function writeChange({ name, value }: PropertyChange): object {
  return typeof value === 'string'
    ? { name, text: value }
    : { name, bytes: asBuffer(value).toString('base64') };
}

/** Null when they are not property changes. */
function readChanges(value: unknown): PropertyChange[] | null {
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

/** Of a time or the next sequence number. */
export function readNumber(row: string): number | undefined {
  const value = Number(row);
  return row !== '' && isInstant(value) ? value : undefined;
}

/** A content with its checksum behind it. */
export function sealContent(content: Uint8Array): Buffer {
  const row = Buffer.allocUnsafe(content.length + CHECKSUM_BYTES);
  row.set(content);
  row.writeUInt32LE(crc32(content), content.length);
  return row;
}

/** Undefined when these are not the bytes that were sealed. */
export function openContent(row: Buffer): Buffer | undefined {
  const length = row.length - CHECKSUM_BYTES;
  if (length < 0) return undefined;
  const content = row.subarray(0, length);
  return crc32(content) === row.readUInt32LE(length) ? content : undefined;
}

/** The same bytes, not copied. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

type Reviver = (key: string, value: { readonly never?: unknown } | null) => unknown;

function parseObject(row: string, reviver?: Reviver): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(row, reviver);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isInstant(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
