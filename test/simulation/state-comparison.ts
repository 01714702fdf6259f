// Whether what is durable is what the reference model remembers, row by row.

import { deepStrictEqual } from 'node:assert';
import { describeQueue, type QueueDescription } from '../../src/broker/entity/queue-description.js';
import type { MessageRecord, QueueRecord } from '../../src/broker/event.js';
import type { BrokerProperties, PropertyChange } from '../../src/broker/message/message-properties.js';
import { check, checkSame } from './check.js';
import type { DurableRows } from './durable-rows.js';
import {
  isSessionStore,
  type ModelMessage,
  type ModelNote,
  type ModelQueue,
  type ModelSessionState,
  type ModelState,
} from './reference-state.js';
import { PARTITION_SIZE } from './reference-turn.js';

const DESCRIPTION_KEYS = Object.keys(describeQueue('any')) as (keyof QueueDescription)[];

/** Everything durable against everything the model remembers. */
export function compareState(state: ModelState, rows: DurableRows): void {
  let messageCount = 0;
  let stateCount = 0;
  for (const queue of state.queues) {
    const record = recordOf(queue, rows);
    compareDescription(queue, record.description);
    checkSame(record.createdTime, queue.createdTime, 'the created time is wrong');
    checkSame(record.updatedTime, queue.updatedTime, 'the updated time is wrong');
    compareCounters(queue, rows);
    for (const message of queue.messages) compareMessage(queue, message, rows);
    for (const note of queue.noted) compareNote(queue, note, rows);
    for (const sessionState of queue.sessionStates) compareSessionState(queue, sessionState, rows);
    messageCount += queue.messages.length;
    stateCount += queue.sessionStates.length;
  }
  checkSame(rows.queueCount, state.queues.length, 'there are queues too many');
  checkSame(rows.messageCount, messageCount, 'there are messages too many');
  checkSame(rows.sessionStateCount, stateCount, 'there are session states too many');
  checkSame(rows.contents.size, messageCount + stateCount, 'there are contents too many');
}

export function compareMessage(queue: ModelQueue, message: ModelMessage, rows: DurableRows): void {
  const { storeId, deadLetterStoreId } = recordOf(queue, rows);
  const actual = rows.findMessage(message.place === 'main' ? storeId : deadLetterStoreId, message.number);
  check(actual !== undefined, 'a message is missing');
  compareProperties(message, actual);
  compareSchedule(message, actual);
  checkSame(actual.sizeBytes, message.content.length, 'the size is wrong');
  const sessionId = isSessionStore({ queue, place: message.place }) ? message.sessionId : undefined;
  checkSame(actual.sessionId, sessionId, 'the session id is wrong');
  check(rows.contents.get(actual.contentId) === message.content, 'the content is wrong');
}

function compareSchedule({ schedule: expected }: ModelMessage, { schedule: actual }: MessageRecord): void {
  checkSame(actual?.enqueueAt, expected?.enqueueAt, 'the scheduled time is wrong');
  checkSame(actual?.timeToLiveMs, expected?.timeToLiveMs, 'the time to live of a scheduled message is wrong');
}

/** Of a delivered message, of one that is looked at, and of a row. */
export function compareProperties(
  expected: ModelMessage,
  actual: Omit<BrokerProperties, 'partitionId'>,
): void {
  checkSame(actual.sequenceNumber, expected.number, 'the sequence number is wrong');
  checkSame(actual.enqueuedTime, expected.enqueuedTime, 'the enqueued time is wrong');
  checkSame(actual.expiresAt, expected.expiresAt, 'the expiry is wrong');
  checkSame(actual.deliveryCount, expected.count, 'the delivery count is wrong');
  checkSame(actual.state, expected.state, 'the state is wrong');
  if (expected.hasInventedId) expected.inventedId ??= actual.inventedMessageId;
  checkSame(actual.inventedMessageId, expected.inventedId, 'the message-id is wrong');
  checkSame(expected.inventedId !== undefined, expected.hasInventedId, 'no message-id was invented');
  if (actual.propertyChanges !== undefined || Object.keys(expected.changes).length > 0) {
    const changes = changesByName(actual.propertyChanges ?? []);
    deepStrictEqual(changes, expected.changes, 'the property changes are wrong');
  }
}

/** What is noted for longer than the window does no harm (DUP-03); what is noted for less must be there. */
export function compareNote(queue: ModelQueue, { number, acceptedAt }: ModelNote, rows: DurableRows): void {
  const noted = rows.findNoted(recordOf(queue, rows).storeId, number);
  check(noted !== undefined, 'a message-id is not noted');
  checkSame(noted.acceptedAt, acceptedAt, 'a message-id is noted at the wrong time');
}

/** SES-15. */
export function compareSessionState(
  queue: ModelQueue,
  { sessionId, content, updatedTime }: ModelSessionState,
  rows: DurableRows,
): void {
  const actual = rows.findSessionState(recordOf(queue, rows).storeId, sessionId);
  check(actual !== undefined, 'a session state is missing');
  checkSame(actual.sessionId, sessionId, 'the session id of a state is wrong');
  checkSame(actual.updatedTime, updatedTime, 'the time of a session state is wrong');
  checkSame(actual.sizeBytes, content.length, 'the size of a session state is wrong');
  check(rows.contents.get(actual.contentId) === content, 'the session state is wrong');
}

/** SEQ-11. */
export function compareCounters(queue: ModelQueue, rows: DurableRows): void {
  const { storeId } = recordOf(queue, rows);
  for (const [partition, count] of queue.counters.entries()) {
    const first = partition * PARTITION_SIZE + 1;
    const next = rows.nextNumber(storeId, partition) ?? first;
    checkSame(next, first + count, 'the next sequence number is wrong');
  }
}

/** Absent is the same as undefined: a journal cannot keep the difference. */
export function compareDescription(expected: ModelQueue, actual: QueueDescription): void {
  checkSame(actual.name, expected.name, 'the name is wrong');
  for (const key of DESCRIPTION_KEYS) {
    if (key !== 'name') checkSame(actual[key], expected.description[key], key);
  }
}

function recordOf({ name }: ModelQueue, rows: DurableRows): QueueRecord {
  const record = rows.findQueue(name);
  check(record !== undefined, `queue ${name} is missing`);
  return record;
}

function changesByName(changes: readonly PropertyChange[]): Record<string, PropertyChange['value']> {
  checkSame(new Set(changes.map(({ name }) => name)).size, changes.length, 'a property was set twice');
  return Object.fromEntries(changes.map(({ name, value }) => [name, value]));
}
