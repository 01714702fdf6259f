// Compares a turn of the broker with what the reference model expected: its result, its effects, and the durable rows.

import { deepStrictEqual } from 'node:assert';
import type { Turn } from '../../src/broker/broker.js';
import type { Delivery, Effect } from '../../src/broker/contract/effect.js';
import type { Event, MessageRecord } from '../../src/broker/contract/event.js';
import type { BrokerProperties, PropertyChange } from '../../src/broker/contract/message-properties.js';
import type { EntityInfo, FoundMessage, Result } from '../../src/broker/contract/result.js';
import type { DurableRows } from './durable-rows.js';
import { ANY_TEXT } from './reference-send.js';
import type {
  Expected,
  ExpectedEffect,
  ExpectedMessage,
  ExpectedResult,
  LookedAt,
} from './reference-state.js';
import {
  isSessionStore,
  type ModelMessage,
  type ModelNote,
  type ModelQueue,
  type ModelSessionState,
  type ModelState,
  PARTITION_SIZE,
} from './reference-state.js';
import { check, checkSame } from './simulation-failure.js';
import type { StoredEntity } from './stored-entities.js';

/** Also teaches the model the tokens and ids of the turn. `rows` has the turn's events applied. */
export function compareTurn(expected: Expected, turn: Turn, rows: DurableRows): void {
  compareResult(expected.result, turn.result, rows);
  compareEvents(expected, turn.events, rows);
  compareEffects(expected.effects, turn.effects, rows);
}

function compareResult(expected: ExpectedResult, actual: Result, rows: DurableRows): void {
  if (actual.kind === 'failed' && expected.kind === 'failed') {
    const { reason } = actual.error;
    check(
      expected.reasons.includes(reason),
      `it failed with ${reason}, not ${expected.reasons.join(' or ')}`,
    );
    return;
  }
  if (compareInfos(expected, actual)) return;
  if (expected.kind === 'step' && actual.kind === 'step') {
    checkSame(actual.results.length, expected.results.length, 'a step has another number of results');
    for (const [index, one] of expected.results.entries()) {
      const told = actual.results[index];
      if (told !== undefined) compareResult(one, told, rows);
    }
    return;
  }
  if (actual.kind !== expected.kind) {
    deepStrictEqual(actual, expected, 'the result is of the wrong kind');
  } else if (expected.kind === 'messages' && actual.kind === 'messages') {
    check(actual.messages.length >= expected.leastCount, 'there are messages too few');
    for (const [index, message] of actual.messages.entries()) {
      compareHandedOut(expected.messages[index], message, rows);
    }
  } else if (expected.kind === 'session-state' && actual.kind === 'session-state') {
    const { contentId } = actual;
    const content = contentId === undefined ? undefined : contentOf(contentId, rows);
    checkSame(contentId === undefined, expected.content === undefined, 'a session state is there or not');
    check(content === expected.content, 'the session state is another one');
  } else {
    deepStrictEqual(actual, expected, 'the result is wrong');
  }
}

/** Each row that must change has changed, and no other; in what, shows in the rows. */
function compareEvents(expected: Expected, events: readonly Event[], rows: DurableRows): void {
  const keys = new Set<string>();
  const queuesPut: string[] = [];
  const rules: string[] = [];
  const sessionStates: string[] = [];
  const removed: string[] = [];
  for (const event of events) {
    if (event.kind === 'message-put') {
      keys.add(`${rows.entities.placeOf(event.storeId)} ${event.message.sequenceNumber}`);
    } else if (event.kind === 'message-removed') {
      keys.add(`${rows.entities.placeOf(event.storeId)} ${event.sequenceNumber}`);
    } else if (event.kind === 'entity-put') {
      queuesPut.push(rows.entities.nameOf(event.entity.storeId));
    } else if (event.kind === 'entity-removed') {
      removed.push(rows.entities.nameOf(event.storeId));
    } else if (event.kind === 'rule-put') {
      rules.push(`put ${rows.entities.nameOf(event.storeId)} ${event.rule.description.name}`);
    } else if (event.kind === 'rule-removed') {
      rules.push(`removed ${rows.entities.nameOf(event.storeId)} ${event.name}`);
    } else if (event.kind === 'session-state-put') {
      sessionStates.push(`put ${rows.entities.nameOf(event.storeId)} ${event.state.sessionId}`);
    } else if (event.kind === 'session-state-removed') {
      sessionStates.push(`removed ${rows.entities.nameOf(event.storeId)} ${event.sessionId}`);
    }
  }
  for (const key of expected.keys) check(keys.has(key), `the row of message ${key} was not written`);
  for (const key of keys) {
    const isMeant = expected.keys.has(key) || expected.optionalKeys.has(key);
    check(isMeant, `the row of message ${key} was written`);
  }
  const inAnyOrder = expected.sessionStates.toSorted();
  if (sessionStates.length + inAnyOrder.length > 0) {
    deepStrictEqual(sessionStates.sort(), inAnyOrder, 'the wrong session states were written');
  }
  if (rules.length + expected.rules.length > 0) {
    deepStrictEqual(rules.sort(), expected.rules.toSorted(), 'the wrong rules were written');
  }
  deepStrictEqual(queuesPut, expected.queuesPut, 'the wrong entities were written');
  if (removed.length + expected.queuesRemoved.length > 0) {
    deepStrictEqual(removed.sort(), expected.queuesRemoved.toSorted(), 'the wrong entities were removed');
  }
  compareRows(expected, rows);
}

function compareRows({ touched, noted, numbered }: Expected, rows: DurableRows): void {
  for (const { queue, message } of touched) if (!message.isGone) compareMessage(queue, message, rows);
  // A reset of the same turn discards what due work has noted.
  for (const { queue, note } of noted) if (queue.noted.includes(note)) compareNote(queue, note, rows);
  for (const queue of numbered) if (!queue.isGone) compareCounters(queue, rows);
}

/** In order per link; which of two links is served first within a turn shows in the messages they get. */
function compareEffects(
  expected: readonly ExpectedEffect[],
  actual: readonly Effect[],
  rows: DurableRows,
): void {
  checkSame(actual.length, expected.length, 'the number of effects is wrong');
  const expectedInOrder = expected.toSorted((a, b) => a.linkId - b.linkId);
  const actualInOrder = actual.toSorted((a, b) => a.linkId - b.linkId);
  for (const [index, effect] of actualInOrder.entries()) compareEffect(expectedInOrder[index], effect, rows);
}

function compareEffect(expected: ExpectedEffect | undefined, actual: Effect, rows: DurableRows): void {
  checkSame(actual.kind, expected?.kind, 'the effect is of the wrong kind');
  checkSame(actual.linkId, expected?.linkId, 'the effect is for the wrong link');
  if (expected?.kind === 'deliver' && actual.kind === 'deliver') {
    compareHandedOut(expected, actual.delivery, rows);
  } else if (expected?.kind === 'drained' && actual.kind === 'drained') {
    checkSame(actual.deliveredCount, expected.deliveredCount, 'the drain ended at the wrong count');
  } else if (expected?.kind === 'detach' && actual.kind === 'detach') {
    checkSame(actual.error.reason, expected.reason, 'the link is detached for the wrong reason');
  } else if (expected?.kind === 'session-accepted' && actual.kind === 'session-accepted') {
    checkSame(actual.sessionId, expected.sessionId, 'another session was accepted');
    checkSame(actual.lockedUntil, expected.lockedUntil, 'the lock of the session ends at the wrong time');
  }
}

/** A delivery, or a message as a result. */
function compareHandedOut(
  expected: ExpectedMessage | undefined,
  actual: Delivery | FoundMessage,
  rows: DurableRows,
): void {
  check(expected !== undefined, 'there is a message too many');
  const { shown, lock } = expected;
  const { properties, lockToken, lockedUntil, contentId } = actual;
  compareProperties(shown, properties);
  checkSame(properties.partitionId, shown.partitionId, 'the partition id is wrong');
  const content = contentOf(contentId, rows);
  check(content === shown.content, 'the content is another one');
  checkSame(lockedUntil, expected.lockedUntil, 'the lock ends at the wrong time');
  checkSame(lockToken === undefined, lock === undefined, 'a lock token is missing or too much');
  if (lock !== undefined) lock.token = lockToken ?? '';
}

/** The same turn may have released it. */
function contentOf(contentId: number, rows: DurableRows): Uint8Array | undefined {
  return rows.contents.get(contentId) ?? rows.releasedContents.get(contentId);
}

/** Answers whether entities are what was asked for, and shown. */
function compareInfos(expected: ExpectedResult, actual: Result): boolean {
  const infos = infosIn(actual);
  if (infos === undefined || expected.kind !== actual.kind) return false;
  const all = 'entities' in expected ? expected.entities : [expected].filter((one) => 'queue' in one);
  checkSame(infos.length, all.length, 'the number of entities is wrong');
  for (const [index, info] of infos.entries()) compareInfo(all[index], info);
  return true;
}

function infosIn(result: Result): readonly EntityInfo[] | undefined {
  if (result.kind === 'entity-info') return [result.entity];
  return result.kind === 'entities' ? result.entities : undefined;
}

/** CNT-01 to CNT-03: exact at all times. */
function compareInfo(expected: LookedAt | undefined, actual: EntityInfo): void {
  check(expected !== undefined, 'there is an entity too many');
  const { queue, counts, subscriptionCount, sizeBytes, now } = expected;
  compareDescription(actual.description, queue.topic ?? queue.subscription ?? queue.description);
  deepStrictEqual(actual.counts, counts, 'the counts are wrong');
  if ('subscriptionCount' in actual) {
    checkSame(actual.subscriptionCount, subscriptionCount, 'the subscriptions are miscounted');
  }
  if ('sizeBytes' in actual) checkSame(actual.sizeBytes, sizeBytes, 'the size is wrong');
  checkSame(actual.createdTime, queue.createdTime, 'the created time is wrong');
  checkSame(actual.updatedTime, queue.updatedTime, 'the updated time is wrong');
  const { accessedTime } = actual;
  if (accessedTime === undefined) check(queue.accessedAt === undefined, 'it was used, and shows no access');
  else {
    const earliest = queue.accessedAt ?? queue.createdTime;
    check(accessedTime >= earliest && accessedTime <= now, 'the accessed time is wrong');
  }
}

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

function compareMessage(queue: ModelQueue, message: ModelMessage, rows: DurableRows): void {
  const actual = rows.findMessage(storeIdOf(message, recordOf(queue, rows)), message.number);
  check(actual !== undefined, 'a message is missing');
  const { details } = actual;
  compareProperties(message, { ...details, ...actual });
  compareSchedule(message, actual);
  checkSame(actual.sizeBytes, message.content.length, 'the size is wrong');
  const sessionId = isSessionStore({ queue, place: message.place }) ? message.sessionId : undefined;
  checkSame(actual.sessionId, sessionId, 'the session id is wrong');
  checkSame(actual.isShared, message.isShared, 'a content is shared or not');
  checkSame(details?.hopCount ?? 0, message.hops, 'the hop count is wrong');
  checkSame(details?.destination, message.destination, 'the destination is wrong');
  checkSame(details?.deadLetteredAt, message.deadLetteredAt, 'the time of the dead-lettering is wrong');
  check(rows.contents.get(actual.contentId) === message.content, 'the content is wrong');
}

function storeIdOf({ place }: ModelMessage, record: StoredEntity): number {
  const { storeId, deadLetterStoreId, transferStoreId = 0, transferDeadLetterStoreId = 0 } = record;
  const storeIds = {
    main: storeId,
    dead: deadLetterStoreId,
    transfer: transferStoreId,
    failed: transferDeadLetterStoreId,
  };
  return storeIds[place];
}

function compareSchedule({ schedule: expected }: ModelMessage, { details }: MessageRecord): void {
  const actual = details?.schedule;
  checkSame(actual?.enqueueAt, expected?.enqueueAt, 'the scheduled time is wrong');
  checkSame(actual?.timeToLiveMs, expected?.timeToLiveMs, 'the time to live of a scheduled message is wrong');
}

/** Of a delivered message, of one that is looked at, and of a row. */
function compareProperties(expected: ModelMessage, actual: Omit<BrokerProperties, 'partitionId'>): void {
  checkSame(actual.sequenceNumber, expected.number, 'the sequence number is wrong');
  checkSame(actual.enqueuedTime, expected.enqueuedTime, 'the enqueued time is wrong');
  checkSame(actual.expiresAt, expected.expiresAt, 'the expiry is wrong');
  checkSame(actual.deliveryCount, expected.count, 'the delivery count is wrong');
  checkSame(actual.state, expected.state, 'the state is wrong');
  checkSame(actual.wasScheduled, expected.wasScheduled, 'whether it was scheduled is wrong');
  const { invented } = expected;
  if (invented !== undefined) invented.id ??= actual.generatedMessageId;
  checkSame(actual.generatedMessageId, invented?.id, 'the message-id is wrong');
  checkSame(actual.generatedMessageId !== undefined, invented !== undefined, 'no message-id was invented');
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
function compareNote(queue: ModelQueue, { number, acceptedAt }: ModelNote, rows: DurableRows): void {
  const noted = rows.findNoted(recordOf(queue, rows).storeId, number);
  check(noted !== undefined, 'a message-id is not noted');
  checkSame(noted.acceptedAt, acceptedAt, 'a message-id is noted at the wrong time');
}

/** SES-15. */
function compareSessionState(
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
function compareCounters(queue: ModelQueue, rows: DurableRows): void {
  const { storeId } = recordOf(queue, rows);
  for (const [partition, count] of queue.counters.entries()) {
    const first = partition * PARTITION_SIZE + 1;
    const next = rows.nextNumber(storeId, partition) ?? first;
    checkSame(next, first + count, 'the next sequence number is wrong');
  }
}

/** Absent is the same as undefined: a journal cannot keep the difference. */
function compareDescription<T extends { readonly name: string }>(
  actual: NoInfer<T>,
  expected: T | undefined,
): void {
  if (expected === undefined) throw new Error('it is of another kind');
  for (const key of Object.keys({ ...actual, ...expected }) as (keyof T)[]) {
    const [is, shouldBe]: readonly unknown[] = [actual[key], expected[key]];
    if (Array.isArray(is)) deepStrictEqual(is, shouldBe, `${String(key)} is wrong`);
    else checkSame(is, shouldBe, String(key));
  }
}

function compareRules(queue: ModelQueue, rows: DurableRows): void {
  for (const { description, createdTime } of queue.rules) {
    const actual = rows.findRule(recordOf(queue, rows).storeId, description.name);
    check(actual !== undefined, 'a rule is missing');
    deepStrictEqual(actual.description, description, 'a rule is another one');
    checkSame(actual.createdTime, createdTime, 'a rule was created at another time');
  }
}

function recordOf({ name }: ModelQueue, rows: DurableRows): StoredEntity {
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
