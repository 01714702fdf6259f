// The keys of the journal's rows: a letter for the kind, then numbers of fixed width, so that rows sort by number.
// Keys of session states end with a digest of the session id, and keys of rules with a digest of the name, because without limits an id
// or a name can be too long for a key.
//
// Keys are text, because LevelDB's binding returns a string three times as fast as a buffer, and recovery reads every key.

import { createHash } from 'node:crypto';

/**
 * Kinds in capitals have few rows; kinds in lower case have one or more per message or session. Rows sort by kind, so entities
 * come before the rows that refer to them: topics, subscriptions, rules, counters. The alphabet has only one letter between
 * queues and counters, so two kinds have a second letter.
 */
export const ROW_KIND = {
  timeEpochs: 'E',
  format: 'F',
  queue: 'Q',
  topic: 'QT',
  subscription: 'QU',
  rule: 'R',
  sequence: 'S',
  time: 'T',
  emptied: 'U',
  discarded: 'V',
  importMark: 'W',
  mark: 'L',
  messageId: 'i',
  messageIdPage: 'j',
  message: 'm',
  messagePage: 'n',
  sessionState: 's',
} as const;

export const FORMAT_KEY = ROW_KIND.format;
export const MARK_KEY = ROW_KIND.mark;
export const TIME_KEY = ROW_KIND.time;
export const TIME_EPOCHS_KEY = ROW_KIND.timeEpochs;

const STORE_DIGITS = 10;
/** The largest safe integer, 2^53 - 1, has 16 digits. */
const NUMBER_DIGITS = 16;
const ZEROS = '0'.repeat(NUMBER_DIGITS);
const SEQUENCE_START = 1 + STORE_DIGITS;
const MESSAGE_KEY_LENGTH = SEQUENCE_START + NUMBER_DIGITS;
/** A page has the rows whose keys differ only in their last two digits. */
const INDEX_DIGITS = 2;
export const PAGE_ROWS = 100;
const PAGE_KEY_LENGTH = MESSAGE_KEY_LENGTH - INDEX_DIGITS;
const PARTITION_DIGITS = 2;
/** The number of partitions of a partitioned entity. */
export const COUNTERS_PER_STORE = 16;

export function queueKey(storeId: number): string {
  return ROW_KIND.queue + digits(storeId, STORE_DIGITS);
}

export function topicKey(storeId: number): string {
  return ROW_KIND.topic + digits(storeId, STORE_DIGITS);
}

/** Sorts subscriptions in the order of their creation, which is the order in which copies are made. */
export function subscriptionKey(storeId: number): string {
  return ROW_KIND.subscription + digits(storeId, STORE_DIGITS);
}

/** Names that differ only in case have the same key (TOP-11); all other names have different keys. */
export function ruleKey(storeId: number, name: string): string {
  return ROW_KIND.rule + digits(storeId, STORE_DIGITS) + digestOf(name.toLowerCase());
}

/** The key of partition 0 has no partition, because it is the only one of an entity without partitions (SEQ-06). */
export function sequenceKey(storeId: number, partitionId: number): string {
  const key = ROW_KIND.sequence + digits(storeId, STORE_DIGITS);
  return partitionId === 0 ? key : key + digits(partitionId, PARTITION_DIGITS);
}

/** The key of the row that says under which id the rows of an emptied store are. */
export function emptiedKey(storeId: number): string {
  return ROW_KIND.emptied + digits(storeId, STORE_DIGITS);
}

/** `importId`: 64 hexadecimal digits. */
export function importMarkKey(storeId: number, importId: string): string {
  return ROW_KIND.importMark + digits(storeId, STORE_DIGITS) + importId;
}

export function discardedKey(rowsId: number): string {
  return ROW_KIND.discarded + digits(rowsId, STORE_DIGITS);
}

export function messageKey(storeId: number, sequenceNumber: number): string {
  return ROW_KIND.message + digits(storeId, STORE_DIGITS) + digits(sequenceNumber, NUMBER_DIGITS);
}

/** Returns the text with which the keys of all messages in this page begin. */
export function messagePageStart(storeId: number, pageNumber: number): string {
  const pageDigits = digits(pageNumber, NUMBER_DIGITS - INDEX_DIGITS);
  return ROW_KIND.message + digits(storeId, STORE_DIGITS) + pageDigits;
}

/** Returns the key of a row in a page. */
export function keyInPage(pageStart: string, index: number): string {
  return (index < 10 ? `${pageStart}0` : pageStart) + index;
}

export function messageIdKey(storeId: number, sequenceNumber: number): string {
  return ROW_KIND.messageId + digits(storeId, STORE_DIGITS) + digits(sequenceNumber, NUMBER_DIGITS);
}

/** Ids are compared exactly, so any two ids have different digests (SES-02). */
export function sessionStateKey(storeId: number, sessionId: string): string {
  return ROW_KIND.sessionState + digits(storeId, STORE_DIGITS) + digestOf(sessionId);
}

/** Whether the row with this key is kept in a page, as rows of messages and message-ids are. */
export function isPagedKey(key: string): boolean {
  return key.startsWith(ROW_KIND.message) || key.startsWith(ROW_KIND.messageId);
}

export function isPageKey(key: string): boolean {
  return key.startsWith(ROW_KIND.messagePage) || key.startsWith(ROW_KIND.messageIdPage);
}

/** Returns the key of the page that has the row with this key. */
export function pageKeyOf(key: string): string {
  const kind = key.startsWith(ROW_KIND.message) ? ROW_KIND.messagePage : ROW_KIND.messageIdPage;
  return kind + key.slice(1, -INDEX_DIGITS);
}

/** The place of the row in its page. */
export function indexInPage(key: string): number {
  const tens = key.charCodeAt(key.length - 2) - 48;
  return tens * 10 + key.charCodeAt(key.length - 1) - 48;
}

/** Returns the key of a row in this page. */
export function rowKeyOf(pageKey: string, index: number): string {
  const kind = pageKey.startsWith(ROW_KIND.messagePage) ? ROW_KIND.message : ROW_KIND.messageId;
  return kind + pageKey.slice(1) + digits(index, INDEX_DIGITS);
}

/** Parses a key of a letter and the id of a store or of its rows; undefined for any other key. */
export function parseStoreKey(key: string): number | undefined {
  return key.length === SEQUENCE_START ? parseDigits(key, 1, SEQUENCE_START) : undefined;
}

/** Returns the main store of the subscription; undefined if this is not the key of the rule with this name. */
export function parseRuleKey(key: string, name: string): number | undefined {
  const storeId = parseDigits(key, 1, SEQUENCE_START);
  return storeId !== undefined && ruleKey(storeId, name) === key ? storeId : undefined;
}

export function parseImportMarkKey(key: string): { storeId: number; importId: string } | undefined {
  const storeId = parseDigits(key, 1, SEQUENCE_START);
  const importId = key.slice(SEQUENCE_START);
  return storeId !== undefined && /^[0-9a-f]{64}$/.test(importId) ? { storeId, importId } : undefined;
}

export function parseSequenceKey(key: string): { storeId: number; partitionId: number } | undefined {
  const isFirst = key.length === SEQUENCE_START;
  if (!isFirst && key.length !== SEQUENCE_START + PARTITION_DIGITS) return undefined;
  const storeId = parseDigits(key, 1, SEQUENCE_START);
  const partitionId = parseDigits(key, SEQUENCE_START, key.length);
  if (storeId === undefined || partitionId === undefined) return undefined;
  // Each counter has exactly one valid key.
  const isWritten = isFirst || (partitionId > 0 && partitionId < COUNTERS_PER_STORE);
  return isWritten ? { storeId, partitionId } : undefined;
}

/** Parses the key of a message or message-id. */
export function parseMessageKey(key: string): { storeId: number; sequenceNumber: number } | undefined {
  if (key.length !== MESSAGE_KEY_LENGTH) return undefined;
  const storeId = parseDigits(key, 1, SEQUENCE_START);
  const sequenceNumber = parseDigits(key, SEQUENCE_START, MESSAGE_KEY_LENGTH);
  if (storeId === undefined || sequenceNumber === undefined) return undefined;
  return { storeId, sequenceNumber };
}

/** Parses the key of a page into the store of its rows and the lowest number that it may have. */
export function parsePageKey(key: string): { storeId: number; firstNumber: number } | undefined {
  if (key.length !== PAGE_KEY_LENGTH) return undefined;
  const storeId = parseDigits(key, 1, SEQUENCE_START);
  const pageNumber = parseDigits(key, SEQUENCE_START, PAGE_KEY_LENGTH);
  if (storeId === undefined || pageNumber === undefined) return undefined;
  return { storeId, firstNumber: pageNumber * PAGE_ROWS };
}

/** Returns the store; undefined if this is not the key of the state of this session. */
export function parseSessionStateKey(key: string, sessionId: string): number | undefined {
  const storeId = parseDigits(key, 1, SEQUENCE_START);
  return storeId !== undefined && sessionStateKey(storeId, sessionId) === key ? storeId : undefined;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text, 'utf16le').digest('hex');
}

/** Pads with zeros. `padStart` would take twice the time, and every message needs a few keys. */
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
