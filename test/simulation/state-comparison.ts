// Whether what is durable is what the reference model remembers, row by row.

import { deepStrictEqual } from 'node:assert';
import type { MessageRecord } from '../../src/broker/event.js';
import type { BrokerProperties, PropertyChange } from '../../src/broker/message/message-properties.js';
import { check, checkSame } from './check.js';
import type { DurableRows } from './durable-rows.js';
import { ANY_TEXT } from './reference-fan-out.js';
import {
  isSessionStore,
  type ModelMessage,
  type ModelNote,
  type ModelQueue,
  type ModelSessionState,
  type ModelState,
} from './reference-state.js';
import { PARTITION_SIZE } from './reference-turn.js';
import type { EntityRecord } from './stored-entities.js';

/** Everything durable against everything the model remembers. */
export function compareState(state: ModelState, rows: DurableRows): void {
  let messageCount = 0;
  let stateCount = 0;
  let ruleCount = 0;
  for (const queue of state.queues) {
    const record = recordOf(queue, rows);
    compareDescription(record.description, queue.topic ?? queue.subscription ?? queue.description);
    compareRules(queue, rows);
    checkSame(record.createdTime, queue.createdTime, 'the created time is wrong');
    checkSame(record.updatedTime, queue.updatedTime, 'the updated time is wrong');
    compareCounters(queue, rows);
    for (const message of queue.messages) compareMessage(queue, message, rows);
    for (const note of queue.noted) compareNote(queue, note, rows);
    for (const sessionState of queue.sessionStates) compareSessionState(queue, sessionState, rows);
    messageCount += queue.messages.length;
    stateCount += queue.sessionStates.length;
    ruleCount += queue.rules.length;
  }
  checkSame(rows.entities.count, state.queues.length, 'there are entities too many');
  checkSame(rows.ruleCount, ruleCount, 'there are rules too many');
  checkSame(rows.messageCount, messageCount, 'there are messages too many');
  checkSame(rows.sessionStateCount, stateCount, 'there are session states too many');
}

export function compareMessage(queue: ModelQueue, message: ModelMessage, rows: DurableRows): void {
  const actual = rows.findMessage(storeIdOf(message, recordOf(queue, rows)), message.number);
  check(actual !== undefined, 'a message is missing');
  compareProperties(message, actual);
  compareSchedule(message, actual);
  checkSame(actual.sizeBytes, message.content.length, 'the size is wrong');
  const sessionId = isSessionStore({ queue, place: message.place }) ? message.sessionId : undefined;
  checkSame(actual.sessionId, sessionId, 'the session id is wrong');
  checkSame(actual.isShared, message.isShared, 'a content is shared or not');
  checkSame(actual.hopCount, message.hops, 'the hop count is wrong');
  checkSame(actual.destination, message.destination, 'the destination is wrong');
  check(rows.contents.get(actual.contentId) === message.content, 'the content is wrong');
}

function storeIdOf({ place }: ModelMessage, record: EntityRecord): number {
  const { storeId, deadLetterStoreId, transferStoreId = 0, transferDeadLetterStoreId = 0 } = record;
  const storeIds = {
    main: storeId,
    dead: deadLetterStoreId,
    transfer: transferStoreId,
    failed: transferDeadLetterStoreId,
  };
  return storeIds[place];
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
  checkSame(actual.wasScheduled, expected.wasScheduled, 'whether it was scheduled is wrong');
  const { invented } = expected;
  if (invented !== undefined) invented.id ??= actual.inventedMessageId;
  checkSame(actual.inventedMessageId, invented?.id, 'the message-id is wrong');
  checkSame(actual.inventedMessageId !== undefined, invented !== undefined, 'no message-id was invented');
  checkSame(actual.enqueuedSequenceNumber, expected.submittedNumber, 'the first sequence number is wrong');
  checkSame(
    actual.deadLetterSource,
    expected.deadLetterSource,
    'the source of a dead-lettered message is wrong',
  );
  if (actual.propertyChanges !== undefined || Object.keys(expected.changes).length > 0) {
    const changes = changesByName(actual.propertyChanges ?? []);
    learnText(expected.changes, changes);
    deepStrictEqual(changes, expected.changes, 'the property changes are wrong');
  }
  if (actual.systemChanges !== undefined || Object.keys(expected.systemChanges).length > 0) {
    deepStrictEqual(actual.systemChanges, expected.systemChanges, 'the changes of a rule are wrong');
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
export function compareDescription<T extends { readonly name: string }>(
  actual: NoInfer<T>,
  expected: T | undefined,
): void {
  if (expected === undefined) throw new Error('it is of another kind');
  for (const key of Object.keys({ ...actual, ...expected }) as (keyof T)[]) {
    const [is, shouldBe]: readonly unknown[] =
      key === 'name' ? [lower(actual.name), lower(expected.name)] : [actual[key], expected[key]];
    if (Array.isArray(is)) deepStrictEqual(is, shouldBe, `${String(key)} is wrong`);
    else checkSame(is, shouldBe, String(key));
  }
}

function lower(name: string): string {
  return name.toLowerCase();
}

function compareRules(queue: ModelQueue, rows: DurableRows): void {
  for (const { description, createdTime } of queue.rules) {
    const actual = rows.findRule(recordOf(queue, rows).storeId, description.name);
    check(actual !== undefined, 'a rule is missing');
    deepStrictEqual(actual.description, description, 'a rule is another one');
    checkSame(actual.createdTime, createdTime, 'a rule was created at another time');
  }
}

function recordOf({ name }: ModelQueue, rows: DurableRows): EntityRecord {
  const record = rows.entities.find(name);
  check(record !== undefined, `queue ${name} is missing`);
  return record;
}

function changesByName(changes: readonly PropertyChange[]): ModelMessage['changes'] {
  checkSame(new Set(changes.map(({ name }) => name)).size, changes.length, 'a property was set twice');
  return Object.fromEntries(changes.map(({ name, value }) => [name, value]));
}

/** What an error says is the broker's affair, as long as it says something. */
function learnText(expected: ModelMessage['changes'], actual: ModelMessage['changes']): void {
  for (const [name, value] of Object.entries(expected)) {
    const said = actual[name];
    if (value === ANY_TEXT && typeof said === 'string' && said.length > 0) expected[name] = said;
  }
}
