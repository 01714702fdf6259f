// What a journal says of its format: rows of an earlier version are read, and no earlier version reads rows of this one.

import { expect, test } from 'vitest';
import { describeQueue } from '../../src/broker/entities/queue-description.js';
import { NEVER } from '../../src/broker/instant.js';
import { TEXT } from '../../src/journal/row-store.js';
import {
  deleteRow,
  type JournalPlace,
  PLACES,
  putRow,
  reopen,
  rowOf,
  started,
  write,
} from '../support/journal-places.js';
import {
  counterPut,
  messageIdNoted,
  messagePut,
  messageRecord,
  messageRemoved,
  numbersIn,
  queuePut,
  send,
  sessionStatePut,
  TOPIC_STORE_ID,
  topicPut,
} from '../support/journal-rows.js';
import { cutShort, killedJournal, logBytes } from '../support/killed-journal.js';

const FORMAT_1 = '{"format":1}';
const FORMAT_2 = '{"format":2}';
const FORMAT_3 = '{"format":3}';
const FORMAT_4 = '{"format":4}';
const FORMAT_5 = '{"format":5}';
const FORMAT_6 = '{"format":6}';
const FORMAT_8 = '{"format":8}';

/** As the version that wrote format 1 left them; a partition flag was kept, and meant nothing. */
const ROWS_OF_FORMAT_1: readonly (readonly [string, string])[] = [
  ['F', FORMAT_1],
  [
    'Q0000000001',
    '{"description":{"name":"orders","lockDurationMs":60000,"maxDeliveryCount":10,"maxSizeInMegabytes":1024,' +
      '"requiresSession":false,"requiresDuplicateDetection":false,"duplicateDetectionHistoryTimeWindowMs":600000,' +
      '"defaultMessageTimeToLiveMs":{"never":true},"deadLetteringOnMessageExpiration":false,' +
      '"enableBatchedOperations":true,"enablePartitioning":true,"enableExpress":false,"status":"Active",' +
      '"autoDeleteOnIdleMs":{"never":true}},"createdTime":1000,"updatedTime":2000,"storeId":1,"deadLetterStoreId":2}',
  ],
  ['S0000000001', '5'],
  ['T', '9000'],
  [
    'm00000000010000000000000003',
    '{"enqueuedTime":5000,"contentId":3,"sizeBytes":3,"inventedMessageId":"0123456789abcdef0123456789abcdef"}',
  ],
  [
    'm00000000020000000000000004',
    '{"enqueuedTime":5000,"contentId":4,"sizeBytes":3,"deliveryCount":2,' +
      '"propertyChanges":[{"name":"DeadLetterReason","text":"why"},{"name":"n","bytes":"oQF4"}]}',
  ],
];

/** As the version that wrote format 2 left them; messages were kept without their session ids, also where those are required. */
const ROWS_OF_FORMAT_2: readonly (readonly [string, string])[] = [
  ['F', FORMAT_2],
  [
    'Q0000000001',
    '{"description":{"name":"orders","lockDurationMs":60000,"maxDeliveryCount":10,"maxSizeInMegabytes":1024,' +
      '"requiresSession":true,"requiresDuplicateDetection":false,"duplicateDetectionHistoryTimeWindowMs":600000,' +
      '"defaultMessageTimeToLiveMs":{"never":true},"deadLetteringOnMessageExpiration":false,' +
      '"enableBatchedOperations":true,"enablePartitioning":false,"enableExpress":false,"status":"Active",' +
      '"autoDeleteOnIdleMs":{"never":true}},"createdTime":1000,"updatedTime":2000,"storeId":1,"deadLetterStoreId":2}',
  ],
  ['S0000000001', '5'],
  ['T', '9000'],
  ['i00000000010000000000000003', '{"duplicateKey":"order-3","acceptedAt":5000}'],
  ['m00000000010000000000000003', '{"enqueuedTime":5000,"contentId":3,"sizeBytes":3,"expiresAt":7000}'],
  [
    'm00000000010000000000000004',
    '{"enqueuedTime":5000,"contentId":4,"sizeBytes":3,"state":2,"enqueueAt":90000,"timeToLiveMs":5000}',
  ],
];

/** As the version that wrote format 3 left them; no message was a copy, and none had been forwarded. */
const ROWS_OF_FORMAT_3: readonly (readonly [string, string])[] = [
  ['F', FORMAT_3],
  ...ROWS_OF_FORMAT_2.slice(1, -1),
  [
    'm00000000010000000000000004',
    '{"enqueuedTime":5000,"contentId":4,"sizeBytes":3,"state":1,"sessionId":"blue",' +
      '"propertyChanges":[{"name":"a","text":"b"}]}',
  ],
  [
    's0000000001b475ceab9d1084488333b3cfabfa909f1138e5d033010dcc6804f912a1f7eb14',
    '{"sessionId":"blue","contentId":5,"sizeBytes":3,"updatedTime":6000}',
  ],
];

/** As the version that wrote format 4 left them; of an active message it was not known whether it had been scheduled. */
const ROWS_OF_FORMAT_4: readonly (readonly [string, string])[] = [
  ['F', FORMAT_4],
  ...ROWS_OF_FORMAT_2.slice(1, -2),
  [
    'm00000000010000000000000003',
    '{"enqueuedTime":5000,"contentId":3,"sizeBytes":3,"isShared":true,"enqueuedSequenceNumber":9,"hopCount":1}',
  ],
  [
    'm00000000010000000000000004',
    '{"enqueuedTime":5000,"contentId":4,"sizeBytes":3,"state":2,"enqueueAt":90000}',
  ],
];

/** As the version that wrote format 5 left them; no message waited for another entity. */
const ROWS_OF_FORMAT_5: readonly (readonly [string, string])[] = [
  ['F', FORMAT_5],
  ...ROWS_OF_FORMAT_4.slice(1, -1),
  ['m00000000010000000000000004', '{"enqueuedTime":5000,"contentId":4,"sizeBytes":3,"wasScheduled":true}'],
];

const TRANSFER_STORES = '"deadLetterStoreId":2,"transferStoreId":3,"transferDeadLetterStoreId":4}';

/** As the version that wrote format 6 left them; no store had been emptied. */
const ROWS_OF_FORMAT_6: readonly (readonly [string, string])[] = [
  ['F', FORMAT_6],
  ...ROWS_OF_FORMAT_5.slice(1, -1).map(
    ([key, row]) => [key, row.replace('"deadLetterStoreId":2}', TRANSFER_STORES)] as const,
  ),
  ['m00000000030000000000000004', '{"enqueuedTime":5000,"contentId":4,"sizeBytes":3,"destination":"bills"}'],
];

async function putRows(place: JournalPlace, left: typeof ROWS_OF_FORMAT_1): Promise<void> {
  await place.withRows(async (rows) => {
    const batch = rows.batch();
    for (const [key, row] of left) batch.put(key, row, TEXT);
    await batch.write({ sync: false });
  });
}

for (const [where, makePlace] of PLACES) {
  test(`${where} rows of format 1 are read: no message expires or waits, and the counter is that of partition 0`, async () => {
    const place = await makePlace();
    await putRows(place, ROWS_OF_FORMAT_1);
    const kept = await reopen(place);
    expect(kept).toEqual({
      stored: [
        queuePut({ description: describeQueue('orders', { enablePartitioning: true }) }),
        counterPut(5),
        messagePut(messageRecord(3, { generatedMessageId: '0123456789abcdef0123456789abcdef' })),
        messagePut(
          messageRecord(4, {
            deliveryCount: 2,
            propertyChanges: [
              { name: 'DeadLetterReason', value: 'why' },
              { name: 'n', value: new Uint8Array([0xa1, 0x01, 0x78]) },
            ],
          }),
          2,
        ),
      ],
      lastTime: 9000,
      nextContentId: 1,
    });
    const expiresAt = kept.stored.map((row) => (row.kind === 'message-put' ? row.message.expiresAt : NEVER));
    expect(expiresAt).toEqual([NEVER, NEVER, NEVER, NEVER]);
  });

  test(`${where} rows of format 2 are read: no message names a session, and no session has state`, async () => {
    const place = await makePlace();
    await putRows(place, ROWS_OF_FORMAT_2);
    const kept = await reopen(place);
    expect(kept).toEqual({
      stored: [
        queuePut({ description: describeQueue('orders', { requiresSession: true }) }),
        counterPut(5),
        messageIdNoted(3),
        messagePut(messageRecord(3, { expiresAt: 7000 })),
        messagePut(messageRecord(4, { state: 2, schedule: { enqueueAt: 90_000, timeToLiveMs: 5000 } })),
      ],
      lastTime: 9000,
      nextContentId: 1,
    });
  });

  test(`${where} rows of format 3 are read: no message shares its content, none comes from elsewhere`, async () => {
    const place = await makePlace();
    await putRows(place, ROWS_OF_FORMAT_3);
    const kept = await reopen(place);
    const deferred = messageRecord(4, {
      state: 1,
      sessionId: 'blue',
      propertyChanges: [{ name: 'a', value: 'b' }],
      systemChanges: undefined,
      isShared: false,
      enqueuedSequenceNumber: undefined,
      hopCount: 0,
      deadLetterSource: undefined,
    });
    expect(kept).toEqual({
      stored: [
        queuePut({ description: describeQueue('orders', { requiresSession: true }) }),
        counterPut(5),
        messageIdNoted(3),
        messagePut(messageRecord(3, { expiresAt: 7000 })),
        messagePut(deferred),
        sessionStatePut('blue', { contentId: 5, updatedTime: 6000 }),
      ],
      lastTime: 9000,
      nextContentId: 1,
    });
  });

  test(`${where} rows of format 4 are read: no active message is known to have been scheduled`, async () => {
    const place = await makePlace();
    await putRows(place, ROWS_OF_FORMAT_4);
    const kept = await reopen(place);
    const schedule = { enqueueAt: 90_000, timeToLiveMs: NEVER };
    expect(kept.stored.filter(({ kind }) => kind === 'message-put')).toEqual([
      messagePut(messageRecord(3, { isShared: true, enqueuedSequenceNumber: 9, hopCount: 1 })),
      messagePut(messageRecord(4, { state: 2, schedule, wasScheduled: false })),
    ]);
  });

  test(`${where} rows of format 5 are read: no entity has transfers, and no message a destination`, async () => {
    const place = await makePlace();
    await putRows(place, ROWS_OF_FORMAT_5);
    const { stored } = await reopen(place);
    expect(stored[0]).toEqual(queuePut({ description: describeQueue('orders', { requiresSession: true }) }));
    expect(stored.filter(({ kind }) => kind === 'message-put')).toEqual([
      messagePut(messageRecord(3, { isShared: true, enqueuedSequenceNumber: 9, hopCount: 1 })),
      messagePut(messageRecord(4, { wasScheduled: true })),
    ]);
  });

  test(`${where} rows of format 6 are read: all rows of a store lie under its own id`, async () => {
    const place = await makePlace();
    await putRows(place, ROWS_OF_FORMAT_6);
    const { stored } = await reopen(place);
    expect(stored.some(({ kind }) => kind === 'store-emptied' || kind === 'rows-discarded')).toBe(false);
    expect(stored).toContainEqual(messagePut(messageRecord(4, { destination: 'bills' }), 3));
  });

  test(`${where} the place of an emptied store's rows is kept, and which rows are being removed`, async () => {
    const place = await makePlace();
    const emptied = { kind: 'store-emptied', storeId: 1, rowsId: 7 } as const;
    const discarded = { kind: 'rows-discarded', rowsId: 1 } as const;
    const events = [
      ...[queuePut(), counterPut(6), emptied, discarded, messagePut(messageRecord(4), 1)],
      ...[messagePut(messageRecord(5, { lastHolder: 'azsdk "b"' }), 7), sessionStatePut('blue', {}, 7)],
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
  ] as const)(`${where} %s is damage`, async (_, event, message) => {
    const place = await makePlace();
    const emptied = { kind: 'store-emptied', storeId: 1, rowsId: 7 } as const;
    await write(place, [queuePut(), counterPut(6), emptied, event]);
    await expect(reopen(place)).rejects.toThrow(message);
  });

  test(`${where} transfers are kept: the stores of an entity, and where each message goes [TXN-11]`, async () => {
    const place = await makePlace();
    const stores = { transferStoreId: 3, transferDeadLetterStoreId: 4 };
    const events = [
      queuePut(stores),
      topicPut({ transferStoreId: 5, transferDeadLetterStoreId: 6 }),
      counterPut(6),
      counterPut(3, { storeId: TOPIC_STORE_ID }),
      messagePut(messageRecord(5, { destination: 'Bills "b"' }), 3),
      messagePut(messageRecord(4), 4),
      messagePut(messageRecord(2, { destination: 'bills' }), 5),
    ];
    await write(place, events);
    const { stored } = await reopen(place);
    expect(new Set(stored)).toEqual(new Set(events));
  });

  test(`${where} an entity with one store for transfers and not the other is damage`, async () => {
    const place = await makePlace();
    await write(place, [queuePut({ transferStoreId: 3 })]);
    await expect(reopen(place)).rejects.toMatchObject({ kind: 'corrupt' });
  });

  test.each([
    ['a destination outside a transfer store', messagePut(messageRecord(4, { destination: 'b' }), 4)],
    ['none in one', messagePut(messageRecord(4), 3)],
  ])(`${where} %s is damage`, async (_, message) => {
    const place = await makePlace();
    await write(place, [
      queuePut({ transferStoreId: 3, transferDeadLetterStoreId: 4 }),
      counterPut(6),
      message,
    ]);
    await expect(reopen(place)).rejects.toThrow('waits for a destination or does not');
  });

  test(`${where} a message that was scheduled is still known as one, and one that is not has no more to its row`, async () => {
    const place = await makePlace();
    const messages = [messageRecord(3, { wasScheduled: true }), messageRecord(4)];
    await write(place, [queuePut(), counterPut(5), ...messages.map((each) => messagePut(each))]);
    expect(await rowOf(place, 'm00000000010000000000000003')).toBe('5000,3,3,,,4,');
    expect(await rowOf(place, 'm00000000010000000000000004')).toBe('5000,4,3');
    const records = (await reopen(place)).stored.flatMap((row) =>
      row.kind === 'message-put' ? [row.message] : [],
    );
    expect(records.map(({ wasScheduled }) => wasScheduled)).toEqual([true, false]);
  });

  test(`${where} a new journal says with its first batch that it is of format 8`, async () => {
    const place = await makePlace();
    await reopen(place);
    expect(await rowOf(place, 'F')).toBeUndefined();
    await write(place, [queuePut()]);
    expect(await rowOf(place, 'F')).toBe(FORMAT_8);
  });

  test.each([
    [FORMAT_1, ROWS_OF_FORMAT_1],
    [FORMAT_2, ROWS_OF_FORMAT_2],
    [FORMAT_3, ROWS_OF_FORMAT_3],
    [FORMAT_4, ROWS_OF_FORMAT_4],
    [FORMAT_5, ROWS_OF_FORMAT_5],
    [FORMAT_6, ROWS_OF_FORMAT_6],
  ])(
    `${where} a journal that says %s stays so while it is just read, and is of format 8 once written to`,
    async (format, rows) => {
      const place = await makePlace();
      await putRows(place, rows);
      await reopen(place);
      expect(await rowOf(place, 'F')).toBe(format);
      await write(place, [counterPut(6)]);
      expect(await rowOf(place, 'F')).toBe(FORMAT_8);
      expect(numbersIn(await reopen(place))).toEqual([3, 4]);
    },
  );

  test(`${where} a journal that could not write its first batch says its format with the next`, async () => {
    const place = await makePlace();
    await putRows(place, ROWS_OF_FORMAT_2);
    const journal = await started(place);
    const broken = Object.defineProperty({ ...queuePut() }, 'entity', {
      get: () => {
        throw new Error('no such thing');
      },
    });
    await expect(journal.append([broken])).rejects.toThrow('no such thing');
    await journal.append([counterPut(6)]);
    await journal.close();
    expect(await rowOf(place, 'F')).toBe(FORMAT_8);
  });

  test(`${where} the format of a later version is refused, and says so`, async () => {
    const place = await makePlace();
    await write(place, [queuePut()]);
    await place.withRows((rows) => putRow(rows, 'F', '{"format":9}'));
    await expect(place.open()).rejects.toMatchObject({
      kind: 'newer-format',
      message: expect.stringContaining('it is of format 9, and this version reads formats up to 8'),
    });
  });

  test.each([
    ['rows that do not say their format', 'orders', '{}', 'does not say its format'],
    ['a format that is none', 'F', 'x', 'its format is x'],
    ['a format there has never been', 'F', '{"format":0}', 'its format is {"format":0}'],
  ])(`${where} %s are no journal`, async (_, key, row, message) => {
    const place = await makePlace();
    await place.withRows((rows) => putRow(rows, key, row));
    await expect(place.open()).rejects.toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining(message),
    });
  });

  test(`${where} rows that have lost their format are not taken for a new journal`, async () => {
    const place = await makePlace();
    await write(place, [queuePut()]);
    await place.withRows((rows) => deleteRow(rows, 'F'));
    await expect(place.open()).rejects.toThrow('it holds "L", but does not say its format');
  });
}

test('a process killed after its first batch leaves a journal of this format, with the rows of both', async () => {
  const { place } = await killedJournal([send(5, 5), send(6, 6)], ROWS_OF_FORMAT_2);
  expect(numbersIn(await reopen(place))).toEqual([3, 4, 5, 6]);
  expect(await rowOf(place, 'F')).toBe(FORMAT_8);
});

test('a process killed while it wrote its first batch leaves the rows of an earlier format, converted', async () => {
  const whole = await killedJournal([send(5, 5)], ROWS_OF_FORMAT_2);
  const { place } = await cutShort(whole, logBytes(whole) - 1);
  expect(numbersIn(await reopen(place))).toEqual([3, 4]);
  expect(await rowOf(place, 'F')).toBe(FORMAT_8);
});
