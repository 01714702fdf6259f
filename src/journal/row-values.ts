// What stands in the rows of session states, counters and the time; and contents, which are the sender's bytes and perhaps a checksum.

import { crc32 } from 'node:zlib';
import type { SessionStateRecord } from '../broker/event.js';
import { isCount, isInstant, parseObject } from './json-row.js';

const CHECKSUM_BYTES = 4;

export function writeSessionState({
  sessionId,
  contentId,
  sizeBytes,
  updatedTime,
}: SessionStateRecord): string {
  return JSON.stringify({ sessionId, contentId, sizeBytes, updatedTime });
}

export function readSessionState(row: string): SessionStateRecord | undefined {
  const value = parseObject(row);
  if (value === undefined) return undefined;
  const { sessionId, contentId, sizeBytes, updatedTime } = value;
  if (typeof sessionId !== 'string' || !isInstant(updatedTime)) return undefined;
  if (!isCount(contentId) || !isCount(sizeBytes)) return undefined;
  return { sessionId, contentId, sizeBytes, updatedTime };
}

/** Undefined when this is no time. */
export function readTime(row: string): number | undefined {
  const value = Number(row);
  return row !== '' && isInstant(value) ? value : undefined;
}

/** Undefined when this is no number of a message. */
export function readSequenceNumber(row: string): number | undefined {
  const value = Number(row);
  return row !== '' && isCount(value) ? value : undefined;
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
