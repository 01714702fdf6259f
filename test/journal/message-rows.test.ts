// The rows of a batch's messages: store by store, and copies of a message share their text.

import { expect, test } from 'vitest';
import type { MessageRecord } from '../../src/broker/event.js';
import { messageKey } from '../../src/journal/keys.js';
import { MessageRows } from '../../src/journal/message-rows.js';
import { writeMessage } from '../../src/journal/message-values.js';
import { messageRecord } from '../support/journal-rows.js';

type Change = readonly [key: string, text: string | undefined];

function changesOf(rows: MessageRows): readonly Change[] {
  const changes: Change[] = [];
  const put = (key: string, text: string) => changes.push([key, text]);
  rows.write({ put, del: (key) => changes.push([key, undefined]), putContent() {} });
  return changes;
}

test('the rows of a store follow one another in their order, whatever came between them', () => {
  const rows = new MessageRows();
  rows.put(1, messageRecord(9));
  rows.put(22, messageRecord(100));
  rows.put(1, messageRecord(2 ** 53 - 1));
  rows.remove(22, 100);
  rows.put(1, messageRecord(10));
  expect(changesOf(rows)).toEqual([
    [messageKey(1, 9), writeMessage(messageRecord(9))],
    [messageKey(1, 2 ** 53 - 1), writeMessage(messageRecord(2 ** 53 - 1))],
    [messageKey(1, 10), writeMessage(messageRecord(10))],
    [messageKey(22, 100), writeMessage(messageRecord(100))],
    [messageKey(22, 100), undefined],
  ]);
});

test('the text of copies that differ in their numbers only is written once', () => {
  let writtenCount = 0;
  const change = {
    name: 'color',
    get value() {
      writtenCount += 1;
      return 'red';
    },
  };
  const copy = messageRecord(1, { propertyChanges: [change] });
  const rows = new MessageRows();
  for (let number = 1; number <= 10; number++) rows.put(number, { ...copy, sequenceNumber: number });
  const changes = changesOf(rows);
  expect(changes.map(([key]) => key)).toEqual(
    Array.from({ length: 10 }, (_, index) => messageKey(index + 1, index + 1)),
  );
  expect(writtenCount).toBe(1);
  expect(new Set(changes.map(([, text]) => text))).toEqual(new Set([writeMessage(copy)]));
});

test('a copy that differs in any other field has a text of its own', () => {
  const message = messageRecord(1);
  const others: { readonly [field in keyof Required<MessageRecord>]?: MessageRecord[field] } = {
    enqueuedTime: 1,
    expiresAt: 2,
    deliveryCount: 3,
    state: 1,
    schedule: { enqueueAt: 4, timeToLiveMs: 5 },
    wasScheduled: true,
    sessionId: 'session',
    contentId: 6,
    sizeBytes: 7,
    generatedMessageId: 'id',
    propertyChanges: [{ name: 'color', value: 'red' }],
    systemChanges: { subject: 'an order' },
    isShared: true,
    enqueuedSequenceNumber: 8,
    hopCount: 9,
    deadLetterSource: 'orders',
    destination: 'events',
    lastHolder: 'a client',
  };
  const fields = Object.keys(message).filter((field) => field !== 'sequenceNumber');
  expect(Object.keys(others).sort()).toEqual(fields.sort());
  for (const [field, value] of Object.entries(others)) {
    const rows = new MessageRows();
    const other = { ...message, [field]: value };
    rows.put(1, message);
    rows.put(2, other);
    expect(changesOf(rows)).toEqual([
      [messageKey(1, 1), writeMessage(message)],
      [messageKey(2, 1), writeMessage(other)],
    ]);
    expect(writeMessage(other), field).not.toBe(writeMessage(message));
  }
});
