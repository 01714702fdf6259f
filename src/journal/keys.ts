// The keys of the journal's rows: a letter for the kind, then numbers of fixed width, so that rows sort by number.
// Session states have a digest of the session's id as well, and rules one of their name: where limits are off an id or a name
// has any length, and a key has not.
//
// Keys are text because LevelDB's binding hands a string out three times faster than a buffer, and recovery reads every key.

import { createHash } from 'node:crypto';

/**
 * Of the kinds in capital letters there are few rows; of those in small letters one or more per message or session.
 * Entities come before what belongs to them: a topic before its subscriptions, these before their rules, and all of them
 * before counters. Between queues and counters the alphabet has one letter, so that two kinds have a second one.
 */
export const ROW_KIND = {
  format: 'F',
  queue: 'Q',
  topic: 'QT',
  subscription: 'QU',
  rule: 'R',
  sequence: 'S',
  time: 'T',
  content: 'c',
  messageId: 'i',
  message: 'm',
  sessionState: 's',
} as const;

export const FORMAT_KEY = ROW_KIND.format;
export const TIME_KEY = ROW_KIND.time;

export type KeyRange = { readonly gte?: string; readonly lt?: string };

/** The rows of recovery are all but the contents, those of a kind nobody knows included. */
export const BEFORE_CONTENTS: KeyRange = { lt: ROW_KIND.content };
export const CONTENTS: KeyRange = { gte: ROW_KIND.content, lt: 'd' };
export const AFTER_CONTENTS: KeyRange = { gte: 'd' };

const STORE_DIGITS = 10;
/** The largest integer JavaScript counts with, 2^53 - 1, has 16 digits. */
const NUMBER_DIGITS = 16;
const ZEROS = '0'.repeat(NUMBER_DIGITS);
const SEQUENCE_START = 1 + STORE_DIGITS;
const TOPIC_KEY_LENGTH = ROW_KIND.topic.length + STORE_DIGITS;
const MESSAGE_KEY_LENGTH = SEQUENCE_START + NUMBER_DIGITS;
const PARTITION_DIGITS = 2;
/** Of a partitioned queue, topic or subscription. */
export const PARTITION_COUNT = 16;

export function queueKey(storeId: number): string {
  return ROW_KIND.queue + digits(storeId, STORE_DIGITS);
}

export function topicKey(storeId: number): string {
  return ROW_KIND.topic + digits(storeId, STORE_DIGITS);
}

/** Subscriptions sort in the order of their creation, as copies are made in it. */
export function subscriptionKey(storeId: number): string {
  return ROW_KIND.subscription + digits(storeId, STORE_DIGITS);
}

/** One for a name in any case (TOP-11), and different ones for any two names that differ in more than case. */
export function ruleKey(storeId: number, name: string): string {
  return ROW_KIND.rule + digits(storeId, STORE_DIGITS) + digestOf(name.toLowerCase());
}

/** Without a partition for the first: a queue that is not partitioned has no other (SEQ-06). */
export function sequenceKey(storeId: number, partitionId: number): string {
  const key = ROW_KIND.sequence + digits(storeId, STORE_DIGITS);
  return partitionId === 0 ? key : key + digits(partitionId, PARTITION_DIGITS);
}

export function messageKey(storeId: number, sequenceNumber: number): string {
  return ROW_KIND.message + digits(storeId, STORE_DIGITS) + digits(sequenceNumber, NUMBER_DIGITS);
}

export function messageIdKey(storeId: number, sequenceNumber: number): string {
  return ROW_KIND.messageId + digits(storeId, STORE_DIGITS) + digits(sequenceNumber, NUMBER_DIGITS);
}

/** Any two ids have different digests, in whatever unit they differ (SES-02). */
export function sessionStateKey(storeId: number, sessionId: string): string {
  return ROW_KIND.sessionState + digits(storeId, STORE_DIGITS) + digestOf(sessionId);
}

export function contentKey(contentId: number): string {
  return ROW_KIND.content + digits(contentId, NUMBER_DIGITS);
}

export function isContentKey(key: string): boolean {
  return key.startsWith(ROW_KIND.content);
}

/** Undefined when this is no key of a queue. */
export function parseQueueKey(key: string): number | undefined {
  return key.length === SEQUENCE_START ? parseDigits(key, 1, SEQUENCE_START) : undefined;
}

/** Of a topic or a subscription. */
export function parseTopicKey(key: string): number | undefined {
  if (key.length !== TOPIC_KEY_LENGTH) return undefined;
  return parseDigits(key, ROW_KIND.topic.length, TOPIC_KEY_LENGTH);
}

/** The main store of its subscription; undefined when this is not the key of that rule. */
export function parseRuleKey(key: string, name: string): number | undefined {
  const storeId = parseDigits(key, 1, SEQUENCE_START);
  return storeId !== undefined && ruleKey(storeId, name) === key ? storeId : undefined;
}

export function parseSequenceKey(key: string): { storeId: number; partitionId: number } | undefined {
  const isFirst = key.length === SEQUENCE_START;
  if (!isFirst && key.length !== SEQUENCE_START + PARTITION_DIGITS) return undefined;
  const storeId = parseDigits(key, 1, SEQUENCE_START);
  const partitionId = parseDigits(key, SEQUENCE_START, key.length);
  if (storeId === undefined || partitionId === undefined) return undefined;
  // Each counter has one key.
  const isWritten = isFirst || (partitionId > 0 && partitionId < PARTITION_COUNT);
  return isWritten ? { storeId, partitionId } : undefined;
}

/** Of a message or a message-id. */
export function parseMessageKey(key: string): { storeId: number; sequenceNumber: number } | undefined {
  if (key.length !== MESSAGE_KEY_LENGTH) return undefined;
  const storeId = parseDigits(key, 1, SEQUENCE_START);
  const sequenceNumber = parseDigits(key, SEQUENCE_START, MESSAGE_KEY_LENGTH);
  if (storeId === undefined || sequenceNumber === undefined) return undefined;
  return { storeId, sequenceNumber };
}

/** The store; undefined when this is not the key of that session's state. */
export function parseSessionStateKey(key: string, sessionId: string): number | undefined {
  const storeId = parseDigits(key, 1, SEQUENCE_START);
  return storeId !== undefined && sessionStateKey(storeId, sessionId) === key ? storeId : undefined;
}

export function parseContentKey(key: string): number | undefined {
  return key.length === 1 + NUMBER_DIGITS ? parseDigits(key, 1, key.length) : undefined;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text, 'utf16le').digest('hex');
}

/** `padStart` takes twice the time, and every message needs a few keys. */
function digits(value: number, count: number): string {
  const text = String(value);
  return ZEROS.slice(text.length, count) + text;
}

function parseDigits(key: string, start: number, end: number): number | undefined {
  let value = 0;
  for (let index = start; index < end; index++) {
    const digit = key.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return Number.isSafeInteger(value) ? value : undefined;
}
