// Encodes the rows of messages and message-ids. There may be a million of them, so their numbers are written and read by hand; only fields
// that few messages have are JSON.

import type { MessageIdRecord, MessageRecord } from '../../../broker/contract/event.js';
import { type Instant, NEVER } from '../../../broker/contract/instant.js';
import type {
  CopiedTo,
  MessageDetails,
  MessageState,
  Schedule,
} from '../../../broker/contract/message-properties.js';
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
  const json = jsonOf(message);
  return json === '' ? row : `${row}{${json.slice(1)}}`;
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
  const json = row.isAtEnd && state !== SCHEDULED ? NO_JSON : readJson(row.rest(), state);
  if (!isState(state) || json === undefined) return undefined;
  return {
    sequenceNumber,
    enqueuedTime,
    expiresAt,
    deliveryCount,
    state,
    wasScheduled: (flags & WAS_SCHEDULED) !== 0,
    sessionId: json.sessionId,
    contentId,
    sizeBytes,
    isShared: (flags & SHARED) !== 0,
    enqueuedSequenceNumber,
    details: json.details,
  };
}

type InJson = Pick<MessageRecord, 'sessionId' | 'details'>;

const NO_JSON: InJson = { sessionId: undefined, details: undefined };

/** How the value of a detail becomes JSON, and is read from it: as undefined when it is damaged. */
type Detail<T> = {
  readonly write: (value: T) => string;
  readonly read: (value: unknown) => T | undefined;
};

const INSTANT: Detail<Instant> = {
  write: String,
  read: (value) => (isInstant(value) ? value : undefined),
};

const TEXT: Detail<string> = {
  write: JSON.stringify,
  read: (value) => (typeof value === 'string' ? value : undefined),
};

/** The schedule is apart: it goes with the state. */
type OfJson = Omit<MessageDetails, 'schedule'>;

/** Each detail of a message, under the name that it has in the row. */
const DETAILS: { readonly [Name in keyof OfJson]-?: Detail<NonNullable<OfJson[Name]>> } = {
  generatedMessageId: TEXT,
  propertyChanges: { write: writePropertyChanges, read: readPropertyChanges },
  systemChanges: { write: writeSystemChanges, read: readSystemChanges }, // ACT-04
  hopCount: { write: String, read: (value) => (isCount(value) ? value : undefined) }, // FWD-07
  deadLetterSource: TEXT, // DLQ-07
  destination: TEXT, // TXN-10
  lastHolder: TEXT,
  deadLetteredAt: INSTANT,
  copiedTo: { write: ({ storeId, copyCount }) => `[${storeId},${copyCount}]`, read: readCopiedTo }, // TOP-15
};
const BY_NAME = new Map(Object.entries(DETAILS) as [string, Detail<unknown>][]);

function jsonOf({ sessionId, details }: MessageRecord): string {
  let json = sessionId === undefined ? '' : `,"sessionId":${JSON.stringify(sessionId)}`; // SES-02
  if (details === undefined) return json;
  const { schedule } = details;
  if (schedule !== undefined) json += writeSchedule(schedule);
  for (const name in details) {
    const detail = BY_NAME.get(name);
    if (detail === undefined) continue;
    const value = details[name as keyof OfJson];
    if (value !== undefined) json += `,"${name}":${detail.write(value)}`;
  }
  return json;
}

/** Returns undefined when a field is damaged. */
function readJson(text: string, state: number): InJson | undefined {
  const row = parseObject(text);
  if (row === undefined) return undefined;
  const { sessionId } = row;
  const schedule = readSchedule(state, row);
  if (!isTextOrAbsent(sessionId) || schedule === null) return undefined;
  let details: Record<string, unknown> | undefined = schedule && { schedule };
  for (const name in row) {
    const detail = BY_NAME.get(name);
    if (detail === undefined) continue;
    const value = detail.read(row[name]);
    if (value === undefined) return undefined;
    details ??= {};
    details[name] = value;
  }
  return { sessionId, details };
}

function readCopiedTo(value: unknown): CopiedTo | undefined {
  const [storeId, copyCount] = Array.isArray(value) ? value : [];
  return isCount(storeId) && isCount(copyCount) ? { storeId, copyCount } : undefined;
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
