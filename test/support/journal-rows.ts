// Builders of what a journal keeps, and a way to read all of it back.

import {
  describeQueue,
  type QueueDescription,
} from '../../src/broker/contract/entities/queue-description.js';
import { describeSubscription, describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import type {
  MessageIdRecord,
  MessageRecord,
  QueueRecord,
  SessionStateRecord,
  StoredEvent,
  SubscriptionRecord,
  TopicRecord,
} from '../../src/broker/contract/event.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import type { RuleDescription } from '../../src/broker/contract/rule-description.js';
import type { Journal, JournalEvent, Recovered } from '../../src/engine/ports.js';
import type { RowChange } from '../../src/journal/log/record.js';
import type { RowWriter } from '../../src/journal/table/rows/row-writer.js';

export const STORE_ID = 1;
export const DEAD_LETTER_STORE_ID = 2;
/** Of the topic; its other store is the next. */
export const TOPIC_STORE_ID = 11;
/** Of its subscription; its dead-letter store is the next. */
export const SUBSCRIPTION_STORE_ID = 13;

export function queueRecord(
  given: Partial<Omit<QueueRecord, 'description'>> & { description?: QueueDescription } = {},
): QueueRecord {
  return {
    type: 'queue',
    description: describeQueue('orders'),
    createdTime: 1000,
    updatedTime: 2000,
    storeId: STORE_ID,
    deadLetterStoreId: DEAD_LETTER_STORE_ID,
    ...given,
  };
}

export function messageRecord(sequenceNumber: number, given: Partial<MessageRecord> = {}): MessageRecord {
  return {
    sequenceNumber,
    enqueuedTime: 5000,
    expiresAt: NEVER,
    deliveryCount: 0,
    state: 0,
    wasScheduled: false,
    sessionId: undefined,
    contentId: sequenceNumber,
    sizeBytes: 3,
    isShared: false,
    enqueuedSequenceNumber: undefined,
    details: undefined,
    ...given,
  };
}

export function queuePut(given: Parameters<typeof queueRecord>[0] = {}): JournalEvent & StoredEvent {
  return { kind: 'entity-put', entity: queueRecord(given) };
}

export function topicPut(given: Partial<TopicRecord> = {}): JournalEvent & StoredEvent {
  const entity: TopicRecord = {
    type: 'topic',
    description: describeTopic('news'),
    createdTime: 1000,
    updatedTime: 2000,
    storeId: TOPIC_STORE_ID,
    deadLetterStoreId: TOPIC_STORE_ID + 1,
    ...given,
  };
  return { kind: 'entity-put', entity };
}

export function topicRemoved(storeId = TOPIC_STORE_ID): JournalEvent {
  return {
    kind: 'entity-removed',
    type: 'topic',
    storeId,
    deadLetterStoreId: storeId + 1,
    isPartitioned: true,
  };
}

export function subscriptionPut(given: Partial<SubscriptionRecord> = {}): JournalEvent & StoredEvent {
  const storeId = given.storeId ?? SUBSCRIPTION_STORE_ID;
  const entity: SubscriptionRecord = {
    type: 'subscription',
    description: describeSubscription('mine'),
    topicStoreId: TOPIC_STORE_ID,
    createdTime: 1000,
    updatedTime: 2000,
    storeId,
    deadLetterStoreId: storeId + 1,
    ...given,
  };
  return { kind: 'entity-put', entity };
}

export function subscriptionRemoved(storeId = SUBSCRIPTION_STORE_ID): JournalEvent {
  return {
    kind: 'entity-removed',
    type: 'subscription',
    storeId,
    deadLetterStoreId: storeId + 1,
    isPartitioned: true,
  };
}

export function rulePut(
  name: string,
  given: Partial<Omit<RuleDescription, 'name'>> & { readonly createdTime?: number } = {},
  storeId = SUBSCRIPTION_STORE_ID,
): JournalEvent & StoredEvent {
  const { createdTime = 3000, filter = { kind: 'true' }, action = undefined } = given;
  return { kind: 'rule-put', storeId, rule: { description: { name, filter, action }, createdTime } };
}

export function ruleRemoved(name: string, storeId = SUBSCRIPTION_STORE_ID): JournalEvent {
  return { kind: 'rule-removed', storeId, name };
}

export function messagePut(message: MessageRecord, storeId = STORE_ID): JournalEvent & StoredEvent {
  return { kind: 'message-put', storeId, message };
}

export function messageRemoved(sequenceNumber: number, storeId = STORE_ID): JournalEvent {
  return { kind: 'message-removed', storeId, sequenceNumber };
}

export function counterPut(
  nextSequenceNumber: number,
  { storeId = STORE_ID, partitionId = 0 } = {},
): JournalEvent & StoredEvent {
  return { kind: 'sequence-put', storeId, partitionId, nextSequenceNumber };
}

export function messageIdNoted(
  sequenceNumber: number,
  given: Partial<Omit<MessageIdRecord, 'sequenceNumber'>> = {},
  storeId = STORE_ID,
): JournalEvent & StoredEvent {
  const noted = { duplicateKey: `order-${sequenceNumber}`, acceptedAt: 5000, ...given, sequenceNumber };
  return { kind: 'message-id-noted', storeId, noted };
}

export function messageIdForgotten(sequenceNumber: number): JournalEvent {
  return { kind: 'message-id-forgotten', storeId: STORE_ID, sequenceNumber };
}

export function sessionStatePut(
  sessionId: string,
  given: Partial<Omit<SessionStateRecord, 'sessionId'>> = {},
  storeId = STORE_ID,
): JournalEvent & StoredEvent {
  const state = { sessionId, contentId: 1, sizeBytes: 3, updatedTime: 5000, ...given };
  return { kind: 'session-state-put', storeId, state };
}

export function sessionStateRemoved(sessionId: string, storeId = STORE_ID): JournalEvent {
  return { kind: 'session-state-removed', storeId, sessionId };
}

/** With all counters that there may be. */
export function queueRemoved(storeId = STORE_ID): JournalEvent {
  return {
    kind: 'entity-removed',
    type: 'queue',
    storeId,
    deadLetterStoreId: storeId + 1,
    isPartitioned: true,
  };
}

export function contentStored(
  contentId: number,
  content: Uint8Array = contentNumber(contentId),
): JournalEvent {
  return { kind: 'content-stored', contentId, content };
}

export function contentNumber(contentId: number, sizeBytes = 3): Uint8Array {
  return new Uint8Array(sizeBytes).fill(contentId % 256);
}

/** Messages of a queue that is there already, with their contents and the counter behind them. */
export function send(from: number, to: number, sizeBytes = 3): JournalEvent[] {
  const events: JournalEvent[] = [];
  for (let number = from; number <= to; number++) {
    events.push(contentStored(number, contentNumber(number, sizeBytes)), messagePut(messageRecord(number)));
  }
  return [...events, counterPut(to + 1)];
}

/** Writes rows to a map. */
export function writerTo(rows: Map<string, string>): RowWriter {
  const put = (key: string, text: string) => void rows.set(key, text);
  const del = (key: string) => void rows.delete(key);
  const change = ([key, text]: RowChange) => (text === undefined ? del(key) : put(key, text));
  return { put, del, change, putContent() {} };
}

export type Kept = Recovered & { readonly stored: readonly StoredEvent[] };

export async function recover(journal: Journal, clockTime?: number): Promise<Kept> {
  const stored: StoredEvent[] = [];
  const recovered = await journal.recover((rows) => stored.push(...rows), clockTime);
  return { stored, ...recovered };
}

export function numbersIn({ stored }: Kept): number[] {
  return stored.flatMap((row) => (row.kind === 'message-put' ? [row.message.sequenceNumber] : []));
}
