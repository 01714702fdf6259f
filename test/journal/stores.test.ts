// Rows that must fit together: stores of transfers, stores that were emptied, and the messages in them.

import { expect, test } from 'vitest';
import { memoryPlace, reopen, rowOf, write } from '../support/journal-places.js';
import {
  counterPut,
  messagePut,
  messageRecord,
  messageRemoved,
  queuePut,
  sessionStatePut,
  TOPIC_STORE_ID,
  topicPut,
} from '../support/journal-rows.js';

test("the place of an emptied store's rows is kept, and which rows are being removed", async () => {
  const place = await memoryPlace();
  const emptied = { kind: 'store-emptied', storeId: 1, rowsId: 7 } as const;
  const discarded = { kind: 'rows-discarded', rowsId: 1 } as const;
  const events = [
    ...[queuePut(), counterPut(6), emptied, discarded, messagePut(messageRecord(4), 1)],
    ...[
      messagePut(messageRecord(5, { details: { lastHolder: 'azsdk "b"' } }), 7),
      sessionStatePut('blue', {}, 7),
    ],
  ];
  await write(place, events);
  expect(new Set((await reopen(place)).stored)).toEqual(new Set(events));
  expect(await rowOf(place, 'U0000000001')).toBe('7');
  expect(await rowOf(place, 'V0000000001')).toBe('');

  const gone = [messageRemoved(4, 1), { kind: 'rows-removed', rowsId: 1 }] as const;
  await write(place, [...gone, { kind: 'store-closed', storeId: 1 }]);
  expect(await rowOf(place, 'U0000000001')).toBeUndefined();
  expect(await rowOf(place, 'V0000000001')).toBeUndefined();
});

test.each([
  ['a row under the old id of an emptied store', messagePut(messageRecord(4), 1), 'belongs to no entity'],
  [
    'an emptied store of no entity',
    { kind: 'store-emptied', storeId: 9, rowsId: 10 },
    'belongs to no entity',
  ],
  [
    'two stores with the same rows',
    { kind: 'store-emptied', storeId: 2, rowsId: 7 },
    'has the rows of store',
  ],
  ['the removal of rows that a store has', { kind: 'rows-discarded', rowsId: 7 }, 'still has them'],
  ['the removal of rows of a store never emptied', { kind: 'rows-discarded', rowsId: 2 }, 'still has them'],
] as const)('%s is damage', async (_, event, message) => {
  const place = await memoryPlace();
  const emptied = { kind: 'store-emptied', storeId: 1, rowsId: 7 } as const;
  await write(place, [queuePut(), counterPut(6), emptied, event]);
  await expect(reopen(place)).rejects.toThrow(message);
});

test('transfers are kept: the stores of an entity, and where each message goes [TXN-11]', async () => {
  const place = await memoryPlace();
  const stores = { transferStoreId: 3, transferDeadLetterStoreId: 4 };
  const events = [
    queuePut(stores),
    topicPut({ transferStoreId: 5, transferDeadLetterStoreId: 6 }),
    counterPut(6),
    counterPut(3, { storeId: TOPIC_STORE_ID }),
    messagePut(messageRecord(5, { details: { destination: 'Bills "b"' } }), 3),
    messagePut(messageRecord(4), 4),
    messagePut(messageRecord(2, { details: { destination: 'bills' } }), 5),
  ];
  await write(place, events);
  const { stored } = await reopen(place);
  expect(new Set(stored)).toEqual(new Set(events));
});

test('an entity with one store for transfers and not the other is damage', async () => {
  const place = await memoryPlace();
  await write(place, [queuePut({ transferStoreId: 3 })]);
  await expect(reopen(place)).rejects.toMatchObject({ kind: 'corrupt' });
});

test.each([
  [
    'a destination outside a transfer store',
    messagePut(messageRecord(4, { details: { destination: 'b' } }), 4),
  ],
  ['none in one', messagePut(messageRecord(4), 3)],
])('%s is damage', async (_, message) => {
  const place = await memoryPlace();
  await write(place, [
    queuePut({ transferStoreId: 3, transferDeadLetterStoreId: 4 }),
    counterPut(6),
    message,
  ]);
  await expect(reopen(place)).rejects.toThrow('waits for a destination or does not');
});
