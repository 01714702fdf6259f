// Whether the broker did what the reference model expected: its answer, what it made durable, and its effects.

import { deepStrictEqual } from 'node:assert';
import type { Turn } from '../../src/broker/broker.js';
import type { Effect } from '../../src/broker/effect.js';
import { describeQueue, type QueueDescription } from '../../src/broker/entity/queue-description.js';
import type { Event, MessageRecord } from '../../src/broker/event.js';
import type { BrokerProperties, PropertyChange } from '../../src/broker/message/message-properties.js';
import type { Result } from '../../src/broker/result.js';
import type { BrokerRows } from '../support/broker-rows.js';
import { check, checkSame } from './check.js';
import type {
  Expected,
  ExpectedEffect,
  ExpectedResult,
  ModelMessage,
  ModelQueue,
  ModelState,
} from './reference-state.js';

const DESCRIPTION_KEYS = Object.keys(describeQueue('any')) as (keyof QueueDescription)[];

/** Also teaches the model the tokens of the turn's deliveries. `rows` has the turn's events applied. */
export function compareTurn(expected: Expected, turn: Turn, rows: BrokerRows): void {
  deepStrictEqual(comparableResult(turn.result), expected.result, 'the result is wrong');
  const durable = turn.events.map((event) => durableLine(event, rows)).sort();
  deepStrictEqual(durable, expected.durable.sort(), 'the events are wrong');
  compareEffects(expected.effects, turn.effects);
}

function comparableResult(result: Result): ExpectedResult {
  return result.kind === 'failed' ? { kind: 'failed', reason: result.error.reason } : result;
}

function durableLine(event: Event, rows: BrokerRows): string {
  switch (event.kind) {
    case 'queue-put':
      return `queue ${event.queue.description.name}`;
    case 'message-put':
      return `put ${rows.placeOf(event.storeId)} ${event.message.sequenceNumber}`;
    case 'message-removed':
      return `removed ${rows.placeOf(event.storeId)} ${event.sequenceNumber}`;
    case 'sequence-put':
      return `next of ${rows.placeOf(event.storeId).replace(/ main$/, '')} is ${event.nextSequenceNumber}`;
    case 'content-stored':
      return 'content stored';
    case 'content-released':
      return 'content released';
    case 'time-put':
      return 'time';
  }
}

/** In order per link; which of two links is served first within a turn shows in the messages they get. */
function compareEffects(expected: readonly ExpectedEffect[], actual: readonly Effect[]): void {
  checkSame(actual.length, expected.length, 'the number of effects is wrong');
  const expectedInOrder = expected.toSorted((a, b) => a.linkId - b.linkId);
  const actualInOrder = actual.toSorted((a, b) => a.linkId - b.linkId);
  for (const [index, effect] of actualInOrder.entries()) compareEffect(expectedInOrder[index], effect);
}

function compareEffect(expected: ExpectedEffect | undefined, actual: Effect): void {
  checkSame(actual.kind, expected?.kind, 'the effect is of the wrong kind');
  checkSame(actual.linkId, expected?.linkId, 'the effect is for the wrong link');
  if (expected?.kind === 'deliver' && actual.kind === 'deliver') {
    const { properties, lockToken, lockedUntil } = actual.delivery;
    compareProperties(expected.message, properties);
    checkSame(lockedUntil, expected.message.lock?.until, 'the lock ends at the wrong time');
    checkSame(
      lockToken === undefined,
      expected.message.lock === undefined,
      'a lock token is missing or too much',
    );
    if (expected.message.lock !== undefined) expected.message.lock.token = lockToken ?? '';
  } else if (expected?.kind === 'drained' && actual.kind === 'drained') {
    checkSame(actual.deliveredCount, expected.deliveredCount, 'the drain ended at the wrong count');
  } else if (expected?.kind === 'detach' && actual.kind === 'detach') {
    checkSame(actual.error.reason, expected.reason, 'the link is detached for the wrong reason');
  }
}

/** Everything durable against everything the model remembers. */
export function compareState(state: ModelState, rows: BrokerRows): void {
  let messageCount = 0;
  for (const queue of state.queues) {
    const record = rows.findQueue(queue.name);
    check(record !== undefined, 'a queue is missing');
    compareDescription(queue, record.description);
    checkSame(record.createdTime, queue.createdTime, 'the created time is wrong');
    checkSame(record.updatedTime, queue.updatedTime, 'the updated time is wrong');
    checkSame(rows.nextNumber(record.storeId), queue.lastNumber + 1, 'the next sequence number is wrong');
    for (const message of queue.messages) {
      const storeId = message.place === 'main' ? record.storeId : record.deadLetterStoreId;
      compareMessage(message, rows.findMessage(storeId, message.number), rows);
    }
    messageCount += queue.messages.length;
  }
  checkSame(rows.messageCount, messageCount, 'there are messages too many');
  checkSame(rows.contents.size, messageCount, 'there are contents too many');
}

function compareMessage(expected: ModelMessage, actual: MessageRecord | undefined, rows: BrokerRows): void {
  check(actual !== undefined, 'a message is missing');
  compareProperties(expected, actual);
  checkSame(actual.sizeBytes, expected.content.length, 'the size is wrong');
  check(rows.contents.get(actual.contentId) === expected.content, 'the content is wrong');
}

function compareProperties(expected: ModelMessage, actual: BrokerProperties): void {
  checkSame(actual.sequenceNumber, expected.number, 'the sequence number is wrong');
  checkSame(actual.enqueuedTime, expected.enqueuedTime, 'the enqueued time is wrong');
  checkSame(actual.deliveryCount, expected.count, 'the delivery count is wrong');
  checkSame(actual.state, 0, 'the state is wrong');
  if (expected.hasInventedId) expected.inventedId ??= actual.inventedMessageId;
  checkSame(actual.inventedMessageId, expected.inventedId, 'the message-id is wrong');
  checkSame(expected.inventedId !== undefined, expected.hasInventedId, 'no message-id was invented');
  if (actual.propertyChanges !== undefined || Object.keys(expected.changes).length > 0) {
    deepStrictEqual(
      recordOf(actual.propertyChanges ?? []),
      expected.changes,
      'the property changes are wrong',
    );
  }
}

function recordOf(changes: readonly PropertyChange[]): Record<string, PropertyChange['value']> {
  checkSame(new Set(changes.map(({ name }) => name)).size, changes.length, 'a property was set twice');
  return Object.fromEntries(changes.map(({ name, value }) => [name, value]));
}

/** Absent is the same as undefined: a journal cannot keep the difference. */
function compareDescription(expected: ModelQueue, actual: QueueDescription): void {
  checkSame(actual.name, expected.name, 'the name is wrong');
  for (const key of DESCRIPTION_KEYS) {
    if (key !== 'name') checkSame(actual[key], expected.description[key], key);
  }
}
