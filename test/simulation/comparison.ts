// Whether the broker did what the reference model expected of a turn: its answer, what it made durable, and its effects.

import { deepStrictEqual } from 'node:assert';
import type { Turn } from '../../src/broker/broker.js';
import type { Delivery, Effect } from '../../src/broker/effect.js';
import type { Event } from '../../src/broker/event.js';
import type { FoundMessage, Result } from '../../src/broker/result.js';
import { check, checkSame } from './check.js';
import type { DurableRows } from './durable-rows.js';
import { compareInfos } from './info-comparison.js';
import type { Expected, ExpectedEffect, ExpectedMessage, ExpectedResult } from './reference-expected.js';
import { compareCounters, compareMessage, compareNote, compareProperties } from './state-comparison.js';
import { isEntityPut, isRemoval } from './stored-entities.js';

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
    } else if (isEntityPut(event)) {
      queuesPut.push(rows.entities.pathOf(event));
    } else if (isRemoval(event)) {
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
  for (const { queue, note } of noted) if (!queue.isGone) compareNote(queue, note, rows);
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
