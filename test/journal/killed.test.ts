// What a killed process leaves of a queue's life: everything that was durable, and of the last batch all or nothing.

import { expect, test } from 'vitest';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { reopen } from '../support/journal-places.js';
import {
  counterPut,
  DEAD_LETTER_STORE_ID,
  messageIdForgotten,
  messageIdNoted,
  messagePut,
  messageRecord,
  messageRemoved,
  queuePut,
  queueRemoved,
  send,
  sessionStatePut,
  sessionStateRemoved,
} from '../support/journal-rows.js';
import { cutShort, killedJournal, logBytes } from '../support/killed-journal.js';

const PARTITION_1 = 2 ** 48;

test('schedules, message-ids, session states and the counters of partitions are there after a kill [DUP-09, SCH-02, SEQ-06, SEQ-11, SES-15]', async () => {
  const description = describeQueue('orders', { enablePartitioning: true, requiresSession: true });
  const queue = queuePut({ description });
  const schedule = { enqueueAt: 90_000, timeToLiveMs: 5000 };
  const rows = [
    queue,
    counterPut(4),
    counterPut(PARTITION_1 + 2, { partitionId: 1 }),
    messageIdNoted(1, { duplicateKey: '\0"\ud83d\n' }),
    messageIdNoted(PARTITION_1 + 1),
    messagePut(messageRecord(3, { expiresAt: 7000, sessionId: '\udce6Größe' })),
    messagePut(messageRecord(PARTITION_1 + 1, { state: 2, sessionId: '', details: { schedule } })),
    sessionStatePut(''),
    sessionStatePut('\0"\ud83d\u00e9\n', { contentId: 2 }),
  ];
  const kept = await reopen((await killedJournal([rows])).place);
  expect(new Set(kept.stored)).toEqual(new Set(rows));
});

test('forgotten and removed rows do not come back after a kill', async () => {
  const { place } = await killedJournal([
    [queuePut(), ...send(1, 1), messageIdNoted(1), sessionStatePut('é')],
    [messageIdForgotten(1), messageRemoved(1), sessionStateRemoved('é'), queueRemoved()],
    [queuePut({ createdTime: 9000 }), counterPut(1)],
  ]);
  expect((await reopen(place)).stored).toEqual([queuePut({ createdTime: 9000 }), counterPut(1)]);
});

test('a message whose dead-lettering is cut off by a kill is in one of its two places, wherever it is cut [DLQ-13]', async () => {
  const before = [queuePut(), ...send(1, 1)];
  const dead = messagePut(
    messageRecord(1, {
      details: { propertyChanges: [{ name: 'DeadLetterReason', value: 'TTLExpiredException' }] },
    }),
    DEAD_LETTER_STORE_ID,
  );
  const killed = await killedJournal([before, [messageRemoved(1), dead]]);
  const wholeBytes = logBytes(killed);
  const firstBytes = logBytes(await killedJournal([before]));
  expect((await reopen(killed.place)).stored.slice(2)).toEqual([dead]);
  for (let length = firstBytes; length < wholeBytes; length += 9) {
    const { place, warnings } = await cutShort(killed, length);
    expect((await reopen(place)).stored.slice(2)).toEqual([messagePut(messageRecord(1))]);
    const torn = `00000001.segment ends in ${length - firstBytes} bytes that are not a whole batch`;
    const expected = length === firstBytes ? [] : [expect.stringContaining(torn)];
    expect(warnings).toEqual(expected);
  }
});
