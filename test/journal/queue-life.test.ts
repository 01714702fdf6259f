// The counters that a journal keeps of a queue, in a directory and in memory alike, and which of its rows are damage.

import { describe, expect, test } from 'vitest';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { PARTITION_COUNT, PARTITION_SIZE } from '../../src/broker/store/partition.js';
import { messageIdKey, messageKey, sequenceKey } from '../../src/journal/table/rows/keys.js';
import { readRow } from '../../src/journal/table/rows/rows.js';
import { keep, PLACES } from '../support/journal-places.js';
import {
  counterPut,
  DEAD_LETTER_STORE_ID,
  type Kept,
  messageIdNoted,
  messagePut,
  messageRecord,
  numbersIn,
  queuePut,
} from '../support/journal-rows.js';

const PARTITIONED = queuePut({ description: describeQueue('orders', { enablePartitioning: true }) });
const LAST_NUMBER = Number.MAX_SAFE_INTEGER;

function messageIdsIn({ stored }: Kept): (readonly [number, string])[] {
  return stored.flatMap((row) =>
    row.kind === 'message-id-noted' ? [[row.noted.sequenceNumber, row.noted.duplicateKey] as const] : [],
  );
}

describe.each(PLACES)('%s', (_, makePlace) => {
  test('each partition has a counter and numbers of its own [SEQ-06, SEQ-11]', async () => {
    const partitionIds = Array.from({ length: PARTITION_COUNT }, (_unused, partitionId) => partitionId);
    const first = (partitionId: number) => partitionId * PARTITION_SIZE + 1;
    const counters = partitionIds.map((partitionId) =>
      counterPut(first(partitionId) + 1 + partitionId, { partitionId }),
    );
    const puts = partitionIds.map((partitionId) => messagePut(messageRecord(first(partitionId))));
    const kept = await keep(
      await makePlace(),
      [PARTITIONED, ...puts, ...counters.map((each) => ({ ...each, nextSequenceNumber: 0 }))],
      [...counters].reverse(),
    );
    expect(kept.stored).toEqual([PARTITIONED, ...counters, ...puts]);
  });

  test('a number is checked against the counter of its partition alone [SEQ-06, SEQ-11]', async () => {
    const counters = [counterPut(100), counterPut(3 * PARTITION_SIZE + 5, { partitionId: 3 })];
    for (const storeId of [1, DEAD_LETTER_STORE_ID]) {
      const fitting = messagePut(messageRecord(3 * PARTITION_SIZE + 4), storeId);
      const kept = await keep(await makePlace(), [PARTITIONED, ...counters, fitting]);
      expect(kept.stored.at(-1)).toEqual(fitting);
      const damaged = messagePut(messageRecord(3 * PARTITION_SIZE + 5), storeId);
      await expect(keep(await makePlace(), [PARTITIONED, ...counters, damaged])).rejects.toThrow(
        `message 844424930131973 of store ${storeId} is not below its entity's counter, 844424930131973`,
      );
    }
  });

  test('a counter that began again at 0 accepts the numbers before the end [SEQ-07]', async () => {
    const kept = await keep(
      await makePlace(),
      [queuePut(), counterPut(2), messagePut(messageRecord(LAST_NUMBER)), messagePut(messageRecord(0))],
      [messagePut(messageRecord(1)), messageIdNoted(LAST_NUMBER), messageIdNoted(0)],
    );
    expect(numbersIn(kept)).toEqual([0, 1, LAST_NUMBER]);
    expect(messageIdsIn(kept)).toEqual([
      [0, 'order-0'],
      [LAST_NUMBER, `order-${LAST_NUMBER}`],
    ]);
  });

  test('a counter of a partition begins again at the first number of that partition [SEQ-06, SEQ-07]', async () => {
    const start = 2 * PARTITION_SIZE;
    const numbers = [start, 3 * PARTITION_SIZE - 1];
    const kept = await keep(await makePlace(), [
      PARTITIONED,
      counterPut(start + 1, { partitionId: 2 }),
      ...numbers.map((number) => messagePut(messageRecord(number))),
    ]);
    expect(numbersIn(kept)).toEqual(numbers);
  });

  test('a message-id with a number that would be given out again is damage [SEQ-11]', async () => {
    await expect(keep(await makePlace(), [queuePut(), counterPut(3), messageIdNoted(3)])).rejects.toThrow(
      "the message-id noted as 3 of store 1 is not below its entity's counter, 3",
    );
  });

  test.each([
    ['a message of no queue', messagePut(messageRecord(1), 5), 'store 5 belongs to no entity'],
    ['a counter of no queue', counterPut(2, { storeId: 5 }), "store 5 is not an entity's main store"],
    [
      'a counter of a dead-letter store',
      counterPut(2, { storeId: 2 }),
      "store 2 is not an entity's main store",
    ],
    ['a message-id of no queue', messageIdNoted(1, {}, 2), "store 2 is not an entity's main store"],
    ['a message without a counter', messagePut(messageRecord(1)), 'message 1 of store 1 has no counter'],
    ['a message-id without a counter', messageIdNoted(1), 'noted as 1 of store 1 has no counter'],
    [
      'a counter of a partition where there are none',
      counterPut(PARTITION_SIZE + 1, { partitionId: 1 }),
      'store 1 has the counter 281474976710657 of partition 1, where it does not belong',
    ],
  ])('%s is damage', async (_what, event, problem) => {
    await expect(keep(await makePlace(), [queuePut(), event])).rejects.toThrow(problem);
  });

  test("a counter with another partition's number is damage [SEQ-06]", async () => {
    const counter = counterPut(PARTITION_SIZE + 1, { partitionId: 2 });
    await expect(keep(await makePlace(), [PARTITIONED, counter])).rejects.toThrow(
      'store 1 has the counter 281474976710657 of partition 2, where it does not belong',
    );
  });
});

const DAMAGED: readonly (readonly [what: string, key: string, row: string])[] = [
  ['a message-id under a key cut short', messageIdKey(1, 1).slice(0, -1), '5000"order"'],
  ['a message under a key cut short', messageKey(1, 1).slice(0, -1), '5000,3,3'],
  ['a counter below zero', sequenceKey(1, 0), '-1'],
  ['a counter under a key cut short', sequenceKey(1, 12).slice(0, -1), '1'],
  ['a counter of the first partition under two keys', `${sequenceKey(1, 0)}00`, '1'],
  ['a counter of a partition there is not', sequenceKey(1, PARTITION_COUNT), '1'],
];
test('rows that differ from the written form are not read, each', () => {
  for (const [what, key, row] of DAMAGED) expect(readRow(key, row), what).toBeUndefined();
});
