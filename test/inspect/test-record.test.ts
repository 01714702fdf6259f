// The record for matchers: what it remembers of a message that is gone, and from when on nothing is missing.

import { expect, test } from 'vitest';
import type { Activity } from '../../src/broker/contract/activity.js';
import { newMessage } from '../../src/http/control/message-answers.js';
import { TestRecord } from '../../src/inspect/test-record.js';
import { ActivityStream } from '../../src/watch/activity-stream.js';

const { content } = newMessage({ body: { id: 7 }, subject: 'paid' }, 0);
const KEPT = 10_000;

function recording() {
  let machineTime = 0;
  let turnDone = (_all: readonly Activity[]) => {};
  const source: ConstructorParameters<typeof ActivityStream>[0] = {
    listen(listener) {
      turnDone = (all) => listener?.({ all, commandStart: 0, commandEnd: 0 }, 0, undefined);
    },
  };
  const now = () => machineTime;
  const stream = new ActivityStream(source, now);
  const record = new TestRecord(stream, now);
  return {
    record,
    stream,
    at(time: number, ...all: readonly Activity[]) {
      machineTime = time;
      turnDone(all);
    },
  };
}

function sent(path: string, sequenceNumber: number, kind: 'enqueued' | 'accepted' = 'enqueued'): Activity {
  const ids = { messageId: `m-${sequenceNumber}`, correlationId: undefined, sessionId: undefined };
  return { kind, path, sequenceNumber, ...ids, sizeBytes: content.length, content };
}

test('a message is remembered by its number, also in its dead-letter queue', () => {
  const { record, at } = recording();
  record.start();
  at(5, sent('orders', 1));
  const message = { sequenceNumber: 1, messageId: 'm-1', subject: 'paid', body: { id: 7 } };
  expect(record.messageOf('orders', 1)).toMatchObject(message);
  expect(record.messageOf('Orders/$DeadLetterQueue', 1)).toMatchObject(message);
  expect(record.messageOf('orders', 2)).toBeUndefined();
});

test('the copy of a message, and a scheduled one that became active, are the message', () => {
  const { record, at } = recording();
  record.start();
  at(5, sent('events', 3, 'accepted'));
  const path = 'events/Subscriptions/audit';
  at(5, { kind: 'routed', path, sequenceNumber: 1, rule: '$Default', acceptedNumber: 3 });
  at(5, { kind: 'activated', path, sequenceNumber: 2, scheduledNumber: 1 });
  for (const number of [1, 2]) {
    expect(record.messageOf(path, number)).toMatchObject({ messageId: 'm-3', body: { id: 7 } });
  }
});

test('what happened before it began is not known, and what was pushed out neither', () => {
  const { record, stream, at } = recording();
  stream.turnOn();
  at(5, sent('orders', 1));
  at(7);
  record.start();
  expect([record.isWhole, record.since, record.messageOf('orders', 1)]).toEqual([true, 7, undefined]);
  const [before] = [...stream.since(1)];
  expect(before && record.machineTimeOf(before)).toBe(0);

  at(8, sent('orders', 2));
  at(9, ...Array.from({ length: KEPT }, (_, index) => sent('orders', index + 3)));
  expect([record.isWhole, record.since]).toEqual([false, 9]);
  expect(record.messageOf('orders', 2)).toBeUndefined();
  expect(record.messageOf('orders', 3)).toBeDefined();
  const [oldest] = [...stream.since(1)];
  expect(oldest && record.machineTimeOf(oldest)).toBe(9);
});
