// The ledger of sessions must notice every kind of broken promise, or the load on sessions proves nothing.

import { expect, test } from 'vitest';
import { type Hold, SessionLedger } from './session-ledger.js';

const LOCK_MS = 5000;

/** Three messages in each session. */
function newLedger(...sessions: readonly string[]): SessionLedger {
  const ledger = new SessionLedger();
  for (const session of sessions) for (let index = 0; index < 3; index++) ledger.sending(session);
  return ledger;
}

function accept(ledger: SessionLedger, now = 0, session = 'a'): Hold {
  return ledger.accepted(session, { now, lockedUntil: now + LOCK_MS });
}

function complete(ledger: SessionLedger, hold: Hold, index: number, askedAt = 1): void {
  ledger.completing(hold, index);
  ledger.completed(hold, index, askedAt);
}

/** Receives and completes as a client does that has no trouble. */
function finish(ledger: SessionLedger, hold: Hold, ...indexes: readonly number[]): void {
  for (const index of indexes) {
    ledger.received(hold, index, 0);
    complete(ledger, hold, index);
  }
}

test('kept promises are no problem: in order, one holder after another, and what counts is counted', () => {
  const ledger = newLedger('a', 'b');
  const first = accept(ledger);
  finish(ledger, accept(ledger, 0, 'b'), 0, 1, 2);
  ledger.received(first, 0, 0);
  ledger.abandoned(first, 0, 1);
  ledger.received(first, 0, 1);
  ledger.received(first, 1, 0);
  complete(ledger, first, 0);
  ledger.closing(first, 1);
  const second = accept(ledger, 2);
  ledger.received(second, 1, 0);
  ledger.renewed(second, 3 + LOCK_MS);
  ledger.lost(second, 3 + LOCK_MS);
  const third = accept(ledger, 3 + LOCK_MS);
  ledger.received(third, 1, 1);
  // Nobody saw it under the second holder, but it may have been on its way there.
  ledger.received(third, 2, 1);
  complete(ledger, third, 1);
  complete(ledger, third, 2);
  ledger.finish();
  expect(ledger.problems).toEqual([]);
  expect([ledger.sentCount, ledger.completedCount, ledger.unfinished]).toEqual([6, 6, []]);
});

test('a holder that has not noticed yet that its lock ended is no problem', () => {
  const ledger = newLedger('a');
  const slow = accept(ledger);
  ledger.received(slow, 0, 0);
  ledger.completing(slow, 0);
  const quick = accept(ledger, LOCK_MS);
  ledger.received(quick, 0, 1);
  complete(ledger, quick, 0);
  ledger.received(slow, 1, 0);
  ledger.lost(slow, LOCK_MS);
  ledger.received(quick, 1, 0);
  expect(ledger.problems).toEqual([]);
  expect(ledger.openCount('a')).toBe(2);
});

test('a completion that is answered only when the next holder is at work is no problem', () => {
  const ledger = newLedger('a');
  const slow = accept(ledger);
  ledger.received(slow, 0, 0);
  ledger.completing(slow, 0);
  const quick = accept(ledger, LOCK_MS);
  finish(ledger, quick, 1);
  ledger.completed(slow, 0, LOCK_MS - 1);
  ledger.received(quick, 2, 0);
  expect(ledger.problems).toEqual([]);
  expect(ledger.completedCount).toBe(2);
});

test('a session that another gets before its holder closes, or its lock ends, is held twice', () => {
  const ledger = newLedger('a');
  ledger.closing(accept(ledger), 1);
  accept(ledger, 1);
  expect(ledger.problems).toEqual([]);
  accept(ledger, LOCK_MS);
  expect(ledger.problems).toEqual(['a was given to a second receiver while it was held']);
});

test('a renewed lock excludes others for longer', () => {
  const ledger = newLedger('a');
  ledger.renewed(accept(ledger), 2 * LOCK_MS);
  accept(ledger, 2 * LOCK_MS - 1);
  expect(ledger.problems).toEqual(['a was given to a second receiver while it was held']);
});

test('a message that comes before an earlier one is out of order', () => {
  const ledger = newLedger('a');
  ledger.received(accept(ledger), 1, 0);
  expect(ledger.problems).toEqual(['a/1 came when 0 was next']);
});

test('an abandoned message must come next', () => {
  const ledger = newLedger('a');
  const hold = accept(ledger);
  ledger.received(hold, 0, 0);
  ledger.abandoned(hold, 0, 1);
  ledger.received(hold, 1, 0);
  expect(ledger.problems).toEqual(['a/1 came when 0 was next']);
});

test('a message that comes twice under one lock, or was never sent, is a problem', () => {
  const ledger = newLedger('a');
  const hold = accept(ledger);
  ledger.received(hold, 0, 0);
  ledger.received(hold, 0, 0);
  ledger.received(hold, 7, 0);
  expect(ledger.problems).toEqual(['a/0 came when 1 was next', 'a/7 came and was never sent']);
});

test('a completed message that comes back is a problem', () => {
  const ledger = newLedger('a');
  const hold = accept(ledger);
  finish(ledger, hold, 0);
  ledger.received(hold, 0, 0);
  expect(ledger.problems).toEqual(['a/0 came after it was completed']);
});

test('a message that two complete is a problem', () => {
  const ledger = newLedger('a');
  const slow = accept(ledger);
  ledger.received(slow, 0, 0);
  ledger.completing(slow, 0);
  const quick = accept(ledger, LOCK_MS);
  ledger.received(quick, 0, 1);
  complete(ledger, quick, 0);
  ledger.completed(slow, 0, 1);
  expect(ledger.problems).toEqual(['a/0 was completed twice']);
});

test('a message that is completed after a later one is a problem', () => {
  const ledger = newLedger('a');
  const hold = accept(ledger);
  ledger.received(hold, 0, 0);
  ledger.received(hold, 1, 0);
  complete(ledger, hold, 1);
  complete(ledger, hold, 0);
  expect(ledger.problems).toEqual(['a/0 was completed after a later one']);
});

test('a receiver whose lock has ended can settle nothing', () => {
  const ledger = newLedger('a');
  const hold = accept(ledger);
  ledger.received(hold, 0, 0);
  ledger.received(hold, 1, 0);
  complete(ledger, hold, 0, LOCK_MS);
  ledger.abandoned(hold, 1, LOCK_MS);
  expect(ledger.problems).toEqual([
    'a/0 was settled by one who no longer held it',
    'a/1 was settled by one who no longer held it',
  ]);
});

test('a lock that ends before its time is a problem', () => {
  const ledger = newLedger('a');
  ledger.lost(accept(ledger), LOCK_MS - 1);
  expect(ledger.problems).toEqual(['a was lost before its lock ended']);
});

test('closing counts nothing, abandoning and losing the lock count one', () => {
  const ledger = newLedger('a');
  const closed = accept(ledger);
  ledger.received(closed, 0, 0);
  ledger.closing(closed, 1);
  const hold = accept(ledger, 1);
  ledger.received(hold, 0, 1);
  ledger.abandoned(hold, 0, 2);
  ledger.received(hold, 0, 0);
  ledger.lost(hold, 1 + LOCK_MS);
  ledger.received(accept(ledger, 1 + LOCK_MS), 0, 1);
  expect(ledger.problems).toEqual([
    'a/0 came with delivery count 1 instead of 0',
    'a/0 came with delivery count 0 instead of 1',
    'a/0 came with delivery count 1 instead of 2 to 3',
  ]);
});

test('a receiver that closes while its lock ends may be late, and then the delivery counts', () => {
  const ledger = newLedger('a');
  const late = accept(ledger);
  ledger.received(late, 0, 0);
  ledger.closing(late, LOCK_MS - 1);
  ledger.received(accept(ledger, LOCK_MS), 0, 1);
  expect(ledger.problems).toEqual([]);
});

test('a message that is never completed is lost', () => {
  const ledger = newLedger('a');
  finish(ledger, accept(ledger), 0, 1);
  ledger.finish();
  expect(ledger.problems).toEqual(['a/2 is lost: sent and never completed']);
});
