// The ledger must notice every kind of broken promise, or the crash test proves nothing.

import { expect, test } from 'vitest';
import { type Delivered, Ledger } from './ledger.js';

const EXCLUSIVE_MS = 1000;

function newLedger(...ids: readonly string[]): Ledger {
  const ledger = new Ledger(EXCLUSIVE_MS);
  for (const id of ids) {
    ledger.sending({ id, checksum: `sum of ${id}`, batch: id });
  }
  return ledger;
}

function delivery(id: string, sequenceNumber: number): Delivered {
  return { id, checksum: `sum of ${id}`, sequenceNumber };
}

test('a kept promise is no problem: accepted is there, completed is gone, unanswered is either', () => {
  const ledger = newLedger('kept', 'done', 'unanswered', 'unanswered-too', 'half-done');
  for (const id of ['kept', 'done', 'half-done']) {
    ledger.accepted(id);
  }
  ledger.delivered(delivery('done', 2), 0);
  ledger.completing('done');
  ledger.completed('done');
  ledger.delivered(delivery('half-done', 3), 0);
  ledger.completing('half-done');
  ledger.crashed();
  ledger.compare([delivery('kept', 1), delivery('unanswered', 4)]);
  expect(ledger.problems).toEqual([]);
});

test('an accepted message that is gone is lost', () => {
  const ledger = newLedger('a');
  ledger.accepted('a');
  ledger.compare([]);
  expect(ledger.problems).toEqual([expect.stringContaining('a is lost')]);
});

test('a delivered message that is gone is lost, even when its sender never heard of it', () => {
  const ledger = newLedger('a');
  ledger.delivered(delivery('a', 1), 0);
  ledger.crashed();
  ledger.compare([]);
  expect(ledger.problems).toEqual([expect.stringContaining('a is lost')]);
});

test('a completed message that comes back is a problem', () => {
  const ledger = newLedger('a');
  ledger.accepted('a');
  ledger.delivered(delivery('a', 1), 0);
  ledger.completing('a');
  ledger.completed('a');
  ledger.crashed();
  ledger.compare([delivery('a', 1)]);
  expect(ledger.problems).toEqual([expect.stringContaining('after its completion was confirmed')]);
});

test('a message that is there twice, or was never sent, is a problem', () => {
  const ledger = newLedger('a');
  ledger.accepted('a');
  ledger.compare([delivery('a', 1), delivery('a', 1), delivery('b', 2)]);
  expect(ledger.problems).toContain('a is there 2 times');
  expect(ledger.problems).toContain('b was delivered but never sent');
});

test('a locked message belongs to one receiver until its lock ends, it is abandoned, or the broker crashes', () => {
  const ledger = newLedger('a');
  ledger.delivered(delivery('a', 1), 0);
  ledger.abandoning('a');
  ledger.delivered(delivery('a', 1), 1);
  ledger.delivered(delivery('a', 1), 1 + EXCLUSIVE_MS);
  ledger.crashed();
  ledger.delivered(delivery('a', 1), 2 + EXCLUSIVE_MS);
  expect(ledger.problems).toEqual([]);
  ledger.delivered(delivery('a', 1), 3 + EXCLUSIVE_MS);
  expect(ledger.problems).toEqual(['a was delivered again while it was locked']);
});

test('settling a locked message may not be refused', () => {
  const ledger = newLedger('a');
  ledger.delivered(delivery('a', 1), 0);
  ledger.completing('a');
  ledger.refused('a', 1);
  expect(ledger.problems).toEqual([expect.stringContaining('was refused')]);
});

test('another body, another sequence number, or one number for two messages is a problem', () => {
  const ledger = newLedger('a', 'b', 'c');
  ledger.delivered({ ...delivery('a', 1), checksum: 'another' }, 0);
  ledger.delivered(delivery('b', 1), 0);
  ledger.delivered(delivery('c', 3), 0);
  ledger.crashed();
  ledger.delivered(delivery('c', 4), 0);
  expect(ledger.problems).toEqual([
    expect.stringContaining('another body'),
    expect.stringContaining('b came as number 1'),
    expect.stringContaining('c came as number 4'),
  ]);
});

test('a batch that is there in part is a problem', () => {
  const ledger = new Ledger(EXCLUSIVE_MS);
  for (const id of ['a', 'b']) {
    ledger.sending({ id, checksum: `sum of ${id}`, batch: 'both' });
  }
  ledger.compare([delivery('a', 1)]);
  expect(ledger.problems).toEqual(['both was stored in part']);
});
