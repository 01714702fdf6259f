// The histories of messages: what they have, how they follow a message, when they are given up, and how much memory they take.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Activity } from '../../src/broker/contract/activity.js';
import { MessageHistories } from '../../src/watch/message-histories.js';

const START = 1_000_000;
const WORKER = { connectionId: 2, name: 'worker', product: undefined, label: 'worker' };

let histories: MessageHistories;
let id: number;
let time: number;

beforeEach(() => {
  histories = new MessageHistories(START);
  id = 0;
  time = START;
});

function note(...activities: readonly Activity[]): void {
  for (const activity of activities) {
    id += 1;
    histories.note(activity, id, time, undefined, WORKER);
  }
}

const message = (path: string, sequenceNumber: number) => ({ path, sequenceNumber });
const arrival = <Kind extends 'enqueued' | 'accepted'>(kind: Kind, path: string, sequenceNumber: number) => ({
  kind,
  ...message(path, sequenceNumber),
  messageId: 'm',
  correlationId: 'c',
  sessionId: undefined,
  sizeBytes: 9,
  content: new Uint8Array(9),
});
const enqueued = (path = 'orders', sequenceNumber = 7) => arrival('enqueued', path, sequenceNumber);
const locked = (deliveryCount = 0, path = 'orders', sequenceNumber = 7): Activity => ({
  kind: 'locked',
  ...message(path, sequenceNumber),
  linkId: 4,
  lockToken: '0123456789abcdef',
  lockedUntil: START + 30_000,
  deliveryCount,
});
const abandoned = (deliveryCount = 1, path = 'orders', sequenceNumber = 7): Activity => ({
  kind: 'abandoned',
  ...message(path, sequenceNumber),
  linkId: 4,
  heldMs: 3,
  deliveryCount,
  maxDeliveryCount: 10,
});
const renewed = (lockedUntil: number): Activity => ({
  kind: 'renewed',
  ...message('orders', 7),
  lockToken: '0123456789abcdef',
  lockedUntil,
});
const dead = (path = 'orders', sequenceNumber = 7): Activity => ({
  kind: 'dead-lettered',
  ...message(path, sequenceNumber),
  reason: 'address',
  description: undefined,
});

function kinds(path = 'orders', sequenceNumber = 7): string[] | undefined {
  return histories.find(path, sequenceNumber)?.records.map(({ kind }) => kind);
}

it('a history has the records of its message with all their fields', () => {
  note(enqueued(), enqueued('orders', 8));
  time += 5;
  note(locked(2));
  expect(histories.find('orders', 7)).toEqual({
    records: [
      {
        ...{ id: 1, time: START, kind: 'enqueued', path: 'orders', sequenceNumber: 7, sizeBytes: 9 },
        ...{ messageId: 'm', correlationId: 'c', sessionId: undefined, linkId: undefined, client: WORKER },
      },
      {
        ...{ id: 3, time: START + 5, kind: 'locked', path: 'orders', sequenceNumber: 7, linkId: 4 },
        ...{ lockToken: '01234567', lockedUntil: START + 30_000, deliveryCount: 2, client: WORKER },
      },
    ],
    isComplete: true,
    since: undefined,
    omittedDeliveries: 0,
  });
});

it('a message in its dead-letter queue is found there and at its entity', () => {
  note(enqueued(), locked(), dead(), locked(0, 'orders/$DeadLetterQueue'));
  const all = ['enqueued', 'locked', 'dead-lettered', 'locked'];
  expect(kinds()).toEqual(all);
  expect(kinds('ORDERS/$deadletterqueue')).toEqual(all);
  expect(kinds('bills')).toBeUndefined();
});

describe('a history is given up', () => {
  it.each<[string, Activity]>([
    ['completed', { kind: 'completed', ...message('orders', 7), linkId: 4, heldMs: 1 }],
    ['received and deleted', { kind: 'consumed', ...message('orders', 7), linkId: 4 }],
    ['cancelled', { kind: 'cancelled', ...message('orders', 7) }],
    ['deleted by hand', { kind: 'deleted', ...message('orders', 7) }],
    ['purged', { kind: 'purged', path: 'orders', messageCount: 1 }],
    ['gone with its entity', { kind: 'entity-deleted', entity: 'queue', path: 'orders' }],
  ])('when its message is %s', (_what, end) => {
    note(enqueued(), locked(), end);
    expect(kinds()).toBeUndefined();
    expect(histories.bytes).toBe(0);
  });

  it('when its message has expired, unless it is dead-lettered then', () => {
    const expired = (sequenceNumber: number): Activity => ({
      kind: 'expired',
      ...message('orders', sequenceNumber),
    });
    note(enqueued('orders', 7), enqueued('orders', 8), expired(7), dead(), expired(8), enqueued('orders', 9));
    expect(kinds()).toEqual(['enqueued', 'expired', 'dead-lettered']);
    expect(kinds('orders', 8)).toBeUndefined();
    note(enqueued('bills', 7), { kind: 'expired', ...message('bills', 7) }, dead('parcels', 7));
    expect(kinds('bills', 7)).toBeUndefined();
  });

  it('not when another store is purged', () => {
    note(enqueued(), dead(), enqueued('orders', 8), { kind: 'purged', path: 'orders', messageCount: 1 });
    expect(kinds()).toEqual(['enqueued', 'dead-lettered']);
    expect(kinds('orders', 8)).toBeUndefined();
  });
});

it('a message has nothing of another one that was completed before', () => {
  const completed: Activity = { kind: 'completed', ...message('orders', 7), linkId: 4, heldMs: 1 };
  for (let round = 0; round < 3; round++) {
    note(enqueued());
    for (let count = 0; count < 30; count++) note(locked(count), abandoned(count + 1));
    note(locked(30), completed);
  }
  note(enqueued('bills', 1), locked(0, 'bills', 1));
  expect(histories.find('bills', 1)).toMatchObject({ isComplete: true, omittedDeliveries: 0 });
  expect(kinds('bills', 1)).toEqual(['enqueued', 'locked']);
  expect(histories.find('bills', 1)?.records[0]).toMatchObject({ messageId: 'm', sizeBytes: 9 });
});

describe('of many deliveries', () => {
  it('the first ten and the last ten are kept, and the others counted', () => {
    note(enqueued());
    for (let count = 0; count < 50; count++) note(locked(count), abandoned(count + 1));
    const { records, omittedDeliveries, isComplete } = histories.find('orders', 7) ?? { records: [] };
    const counts = records.flatMap((one) => (one.kind === 'locked' ? [one.deliveryCount] : []));
    expect(counts).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49]);
    expect(records.filter(({ kind }) => kind === 'abandoned')).toHaveLength(20);
    expect([omittedDeliveries, isComplete, records[0]?.kind]).toEqual([30, true, 'enqueued']);
    note({ kind: 'deleted', ...message('orders', 7) });
    expect(histories.bytes).toBe(0);
  });

  it('renewals are one record, with the last time and their number', () => {
    note(enqueued(), locked());
    for (let minute = 1; minute <= 3; minute++) {
      time += 60_000;
      note(renewed(time + 30_000));
    }
    expect(kinds()).toEqual(['enqueued', 'locked', 'renewed']);
    expect(histories.find('orders', 7)?.records.at(-1)).toMatchObject({
      ...{ id: 5, time: START + 180_000, lockedUntil: START + 210_000, renewalCount: 3 },
    });
  });
});

describe('a history follows its message', () => {
  it('from a topic to each of its copies', () => {
    note(arrival('accepted', 'events', 3));
    for (const name of ['eu', 'us']) {
      const path = `events/Subscriptions/${name}`;
      note({ kind: 'routed', path, sequenceNumber: 1, rule: name, acceptedNumber: 3 });
    }
    expect(kinds('events/Subscriptions/eu', 1)).toEqual(['accepted', 'routed']);
    expect(histories.find('events/subscriptions/US', 1)).toMatchObject({
      records: [
        { path: 'events', sequenceNumber: 3 },
        { path: 'events/Subscriptions/us', rule: 'us' },
      ],
      isComplete: true,
    });
  });

  it('from its schedule, in a queue and in a topic', () => {
    for (const path of ['orders', 'events']) {
      note({ ...enqueued(path, 1), kind: 'scheduled', enqueueAt: time + 9 });
      note({ kind: 'activated', path, sequenceNumber: 2, scheduledNumber: 1 });
    }
    note({
      kind: 'routed',
      path: 'events/Subscriptions/eu',
      sequenceNumber: 5,
      rule: 'r',
      acceptedNumber: 2,
    });
    expect(kinds('orders', 2)).toEqual(['scheduled', 'activated']);
    expect(kinds('orders', 1)).toBeUndefined();
    expect(kinds('events/Subscriptions/eu', 5)).toEqual(['scheduled', 'activated', 'routed']);
    expect([kinds('events', 1), kinds('events', 2)]).toEqual([undefined, undefined]);
  });

  it('to the entity that it is forwarded to, and not to one that only comes next', () => {
    note(enqueued('first', 1), { kind: 'forwarded', ...message('first', 1), destination: 'second' });
    note(enqueued('second', 4));
    expect(kinds('second', 4)).toEqual(['enqueued', 'forwarded', 'enqueued']);
    expect(kinds('first', 1)).toBeUndefined();
    note(enqueued('first', 2), { kind: 'forwarded', ...message('first', 2), destination: 'second' });
    note({ kind: 'duplicate', ...message('second', 4), messageId: 'm', correlationId: undefined });
    note(enqueued('second', 5));
    expect(kinds('second', 5)).toEqual(['enqueued']);
  });

  it('from where it waited for its destination', () => {
    note({ kind: 'transfer-waiting', ...message('via', 1), destination: 'there' });
    expect(kinds('via', 1)).toEqual(['transfer-waiting']);
    note({ kind: 'forwarded', ...message('via', 1), destination: 'there' }, enqueued('there', 1));
    expect(kinds('there', 1)).toEqual(['transfer-waiting', 'forwarded', 'enqueued']);
    note({ kind: 'transfer-waiting', ...message('via', 2), destination: 'gone' }, dead('via/$Transfer', 2));
    expect(kinds('via/$Transfer/$DeadLetterQueue', 2)).toEqual(['transfer-waiting', 'dead-lettered']);
  });

  it('when it is resubmitted, but not further than ten times', () => {
    note(enqueued('orders', 1), dead('orders', 1));
    for (let number = 2; number <= 30; number++) {
      const from = { path: 'orders/$DeadLetterQueue', sequenceNumber: number - 1 };
      note(enqueued('orders', number));
      note({ kind: 'resubmitted', ...from, destination: 'orders', newNumber: number });
      note(dead('orders', number));
      if (number !== 2) continue;
      expect(kinds('orders', 2)).toEqual([
        ...['enqueued', 'dead-lettered', 'resubmitted', 'enqueued', 'dead-lettered'],
      ]);
      expect(histories.find('orders', 2)?.isComplete).toBe(true);
    }
    expect(kinds('orders', 30)).toHaveLength(10 * 3 + 2);
    expect(histories.find('orders', 30)).toMatchObject({ isComplete: false, since: time });
  });
});

it('a message that was there before says from when its history reaches', () => {
  time += 50;
  note(locked());
  expect(histories.find('orders', 7)).toMatchObject({
    records: [{ kind: 'locked' }],
    isComplete: false,
    since: START,
  });
});

describe('the memory of all histories', () => {
  const MAX_BYTES = 100_000;

  beforeEach(() => {
    histories = new MessageHistories(START, { maxBytes: MAX_BYTES });
  });

  it('is bounded: the oldest are given up first, and dead letters last', () => {
    note(enqueued('orders', 1), dead('orders', 1));
    for (let number = 2; number <= 1000; number++) {
      time += 1;
      note(enqueued('orders', number));
      expect(histories.bytes).toBeLessThanOrEqual(MAX_BYTES);
    }
    expect(kinds('orders', 1)).toEqual(['enqueued', 'dead-lettered']);
    expect(kinds('orders', 2)).toBeUndefined();
    expect(kinds('orders', 1000)).toEqual(['enqueued']);
    note(locked(0, 'orders', 2));
    const { since = 0, isComplete } = histories.find('orders', 2) ?? { isComplete: true };
    expect(isComplete).toBe(false);
    expect(since).toBeGreaterThan(START);
    expect(histories.since).toBe(since);
    for (let number = 1001; number <= 2000; number++)
      note(enqueued('orders', number), dead('orders', number));
    expect(kinds('orders', 1)).toBeUndefined();
    expect(histories.bytes).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('is not used up by one message that is resubmitted again and again', () => {
    note(enqueued('bills', 1), enqueued('orders', 1), dead('orders', 1));
    const bytes = [];
    for (let number = 2; number <= 300; number++) {
      const from = { path: 'orders/$DeadLetterQueue', sequenceNumber: number - 1 };
      note(enqueued('orders', number));
      note({ kind: 'resubmitted', ...from, destination: 'orders', newNumber: number });
      note(dead('orders', number));
      bytes.push(histories.bytes);
    }
    expect(new Set(bytes.slice(20)).size).toBe(1);
    expect(kinds('bills', 1)).toEqual(['enqueued']);
    for (const path of ['bills', 'orders/$DeadLetterQueue']) note({ kind: 'purged', path, messageCount: 1 });
    expect(histories.bytes).toBe(0);
  });

  it('counts two bytes for each character of a text that is not Latin', () => {
    const bytesOf = (messageId: string) => {
      const before = histories.bytes;
      note({ ...enqueued('orders', id), messageId });
      return histories.bytes - before;
    };
    const [latin, other] = [bytesOf('é'.repeat(100)), bytesOf('ж'.repeat(100))];
    expect(other - latin).toBe(100);
  });

  it('is bounded for messages that are delivered again and again', () => {
    for (let number = 1; number <= 100; number++) note(enqueued('orders', number));
    for (let count = 0; count < 30; count++) {
      for (let number = 1; number <= 100; number++) {
        note(locked(count, 'orders', number), abandoned(count + 1, 'orders', number));
        expect(histories.bytes).toBeLessThanOrEqual(MAX_BYTES);
      }
    }
  });
});
