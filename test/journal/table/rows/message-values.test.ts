// The rows of messages and message-ids: their layout, and damage to it. That all of them come back is shown in rows.test.ts.

import { expect, test } from 'vitest';
import { NEVER } from '../../../../src/broker/contract/instant.js';
import { messageIdKey, messageKey } from '../../../../src/journal/table/rows/keys.js';
import { writeMessage, writeMessageId } from '../../../../src/journal/table/rows/message-values.js';
import { readRow } from '../../../../src/journal/table/rows/rows.js';
import { messageIdNoted, messagePut, messageRecord } from '../../../support/journal-rows.js';

const KEY = messageKey(1, 3);

test('a plain message is three numbers, and one that expires or is a copy has more', () => {
  expect(writeMessage(messageRecord(3, { contentId: 12, sizeBytes: 1024 }))).toBe('5000,12,1024');
  expect(writeMessage(messageRecord(3, { expiresAt: 7000 }))).toBe('5000,3,3,7000,,,');
  expect(writeMessage(messageRecord(3, { isShared: true, enqueuedSequenceNumber: 0 }))).toBe(
    '5000,3,3,,,8,0',
  );
});

test('what few messages have follows as JSON', () => {
  expect(writeMessage(messageRecord(3, { sessionId: 'blue' }))).toBe('5000,3,3{"sessionId":"blue"}');
  const schedule = { enqueueAt: 9000, timeToLiveMs: NEVER };
  expect(writeMessage(messageRecord(3, { state: 2, details: { schedule } }))).toBe(
    '5000,3,3,,,2,{"enqueueAt":9000}',
  );
  const copied = messageRecord(3, { details: { copiedTo: { storeId: 7, copyCount: 2 } } });
  expect(writeMessage(copied)).toBe('5000,3,3{"copiedTo":[7,2]}');
  expect(readRow(KEY, '5000,3,3{"copiedTo":[7,2]}')).toEqual(messagePut(copied));
});

test('a message-id is its time and its text', () => {
  expect(writeMessageId({ duplicateKey: 'a"b', acceptedAt: 5000, sequenceNumber: 3 })).toBe('5000"a\\"b"');
});

test('numbers that are left out at the end have their default', () => {
  expect(readRow(KEY, '5000,3,3,,2')).toEqual(messagePut(messageRecord(3, { deliveryCount: 2 })));
});

test.each([
  ['is empty', ''],
  ['lacks a number', '5000,3'],
  ['has a number that is none', '5000,x,3'],
  ['has a broken number', '50.0.0,3,3'],
  ['has a fraction for a size', '5000,3,3.5'],
  ['has an expiry that is none', '5000,3,3,soon,,,'],
  ['has a negative delivery count', '5000,3,3,,-1,,'],
  ['has unknown flags', '5000,3,3,,,16,'],
  ['has a state that is none', '5000,3,3,,,3,'],
  ['is scheduled without a time', '5000,3,3,,,2,'],
  ['has a time to be scheduled at and is not', '5000,3,3{"enqueueAt":9000}'],
  ['has more numbers', '5000,3,3,,,,1,5'],
  ['has JSON that is cut off', '5000,3,3{"sessionId":"blue"'],
  ['has a text for an object', '5000,3,3"blue"'],
  ['has a session id that is no text', '5000,3,3{"sessionId":7}'],
  ['has copies of a store that is none', '5000,3,3{"copiedTo":["7",2]}'],
  ['has copies without their number', '5000,3,3{"copiedTo":[7]}'],
  ['has a schedule that is no time', '5000,3,3,,,2,{"enqueueAt":"soon"}'],
  ['has a schedule with a time to live that is none', '5000,3,3,,,2,{"enqueueAt":1,"timeToLiveMs":null}'],
  ['is deferred and has a schedule', '5000,3,3,,,1,{"enqueueAt":1}'],
  ['has a time to live and no schedule', '5000,3,3{"timeToLiveMs":1}'],
  ['is an object of JSON alone', '{"enqueuedTime":5000,"contentId":3,"sizeBytes":3}'],
])('a message whose row %s is damaged', (_problem, row) => {
  expect(readRow(KEY, row)).toBeUndefined();
});

test.each([
  ['is a time alone', '5000'],
  ['has no time', '"order-3"'],
  ['has a text that is cut off', '5000"order-3'],
  ['has more behind its text', '5000"order-3"7'],
  ['has a number for a text', '5000,7'],
])('a message-id whose row %s is damaged', (_problem, row) => {
  expect(readRow(messageIdKey(1, 3), row)).toBeUndefined();
  expect(readRow(messageIdKey(1, 3), '5000"order-3"')).toEqual(messageIdNoted(3));
});
