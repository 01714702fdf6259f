// Encodes the rows of session states, counters, the time and its epochs.

import type { SessionStateRecord } from '../../../broker/contract/event.js';
import type { TimeEpoch } from '../../time-epochs.js';
import { isCount, isInstant, isObject, parseObject } from './json-row.js';

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

/** Returns undefined when the row is not a time. */
export function readTime(row: string): number | undefined {
  const value = Number(row);
  return row !== '' && isInstant(value) ? value : undefined;
}

export function writeTimeEpochs(epochs: readonly TimeEpoch[]): string {
  return JSON.stringify({ epochs });
}

/** Returns undefined when the row is damaged. */
export function readTimeEpochs(row: string): readonly TimeEpoch[] | undefined {
  const epochs = parseObject(row)?.epochs;
  return Array.isArray(epochs) && epochs.every(isTimeEpoch) ? epochs : undefined;
}

function isTimeEpoch(value: unknown): value is TimeEpoch {
  return isObject(value) && isInstant(value.after) && isCount(value.lessMs);
}

/** Returns undefined when the row is not a sequence number. */
export function readCounter(row: string): number | undefined {
  const value = Number(row);
  return row !== '' && isCount(value) ? value : undefined;
}
