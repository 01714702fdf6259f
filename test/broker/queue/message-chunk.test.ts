// Plain messages that a restart restores, or that nobody has asked for yet, are kept as numbers, and nobody can tell.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MessageRecord } from '../../../src/broker/contract/event.js';
import { NEVER } from '../../../src/broker/contract/instant.js';
import { MessageChunk } from '../../../src/broker/store/message-chunk.js';
import { MessageLog } from '../../../src/broker/store/message-log.js';
import { isPlain, PLAIN, StoredMessage } from '../../../src/broker/store/stored-message.js';

function plainRecord(sequenceNumber: number, given: Partial<MessageRecord> = {}): MessageRecord {
  const numbers = { sequenceNumber, enqueuedTime: 5000.5, expiresAt: NEVER, contentId: 7, sizeBytes: 3 };
  return { ...PLAIN, isShared: false, enqueuedSequenceNumber: undefined, ...numbers, ...given };
}

test('plain messages are kept as numbers until one of them is asked for, and are then objects with the same fields', () => {
  const chunk = new MessageChunk();
  const copy = plainRecord(9, { isShared: true, enqueuedSequenceNumber: 0 });
  const records = [plainRecord(3), plainRecord(4, { expiresAt: 9000 }), copy];
  expect(records.map((record) => chunk.addPlain(record, record.sequenceNumber))).toEqual([true, true, true]);
  expect(chunk.shown.map((message) => message.record())).toEqual(records);
  expect(chunk.shown[0]).not.toBe(chunk.shown[0]); // a look keeps no objects
  const { messages } = chunk;
  expect(messages.map((message) => message.record())).toEqual(records);
  expect(messages.every((message) => message.isAvailable)).toBe(true);
  expect(chunk.addPlain(plainRecord(10), 10)).toBe(false);
  expect(chunk.messages).toBe(messages);
  expect(chunk.shown).toBe(messages);
});

test('a message out of order, or with anything that few have, is an object at once', () => {
  const chunk = new MessageChunk();
  expect([5, 5, 4, 6].map((number) => chunk.addPlain(plainRecord(5), number))).toEqual([
    true,
    false,
    false,
    true,
  ]);
  const others: readonly Partial<MessageRecord>[] = [
    { deliveryCount: 1 },
    { state: 1 },
    { wasScheduled: true },
    { sessionId: '' },
    { details: { generatedMessageId: '0123456789abcdef0123456789abcdef' } },
    { details: { hopCount: 1 } },
  ];
  for (const given of others) expect(isPlain(plainRecord(6, given)), JSON.stringify(given)).toBe(false);
  expect(isPlain(plainRecord(6, { isShared: true, enqueuedSequenceNumber: 2 }))).toBe(true);
});

type Step = readonly [kind: 'take' | 'find' | 'browse' | 'expire', number: number];

const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom('take', 'find', 'browse', 'expire'),
  fc.integer({ min: 1, max: 400 }),
);
const record = fc
  .tuple(
    fc.integer({ min: 1, max: 400 }),
    fc.constantFrom(NEVER, NEVER, 100, 200),
    fc.constantFrom(0, 0, 0, 0, 2),
  )
  .map(([sequenceNumber, expiresAt, deliveryCount]) => {
    return plainRecord(sequenceNumber, {
      expiresAt,
      deliveryCount,
      contentId: sequenceNumber,
      isShared: sequenceNumber % 5 === 0,
    });
  });
const records = fc.uniqueArray(record, { selector: ({ sequenceNumber }) => sequenceNumber, minLength: 40 });

test('a log of restored messages behaves as one to which the same messages were added', () => {
  let numberCount = 0;
  fc.assert(
    fc.property(records, fc.boolean(), fc.array(step, { maxLength: 40 }), (unsorted, isSorted, steps) => {
      const order = isSorted ? unsorted.toSorted((a, b) => a.sequenceNumber - b.sequenceNumber) : unsorted;
      const restored = new MessageLog();
      const added = new MessageLog();
      for (const each of order) {
        restored.restore(each);
        added.add(new StoredMessage(each));
      }
      if (isSorted) numberCount += order.length;
      expect(stateOf(restored)).toEqual(stateOf(added));
      for (const taken of steps) {
        expect(perform(restored, taken)).toEqual(perform(added, taken));
        expect(stateOf(restored)).toEqual(stateOf(added));
      }
    }),
    { numRuns: 300 },
  );
  expect(numberCount).toBeGreaterThan(1000);
});

function stateOf(log: MessageLog): object {
  const { count, sizeBytes, unsharedBytes, availableCount, hasAvailable, nextExpiry } = log;
  return { count, sizeBytes, unsharedBytes, availableCount, hasAvailable, nextExpiry };
}

function perform(log: MessageLog, [kind, number]: Step): readonly (MessageRecord | undefined)[] {
  switch (kind) {
    case 'take':
      return [log.takeFirst()?.record()];
    case 'find':
      return [log.find(number)?.record()];
    case 'browse':
      return [...log.from(number)].map((message) => message.record());
    default:
      return log.takeExpired(number, 2).map((message) => message.record());
  }
}
