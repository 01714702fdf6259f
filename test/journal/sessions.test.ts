// Session states in a journal, in a directory and in memory alike: their bytes, their contents, and which rows are damage.

import { describe, expect, test } from 'vitest';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { messageKey, sessionStateKey } from '../../src/journal/table/rows/keys.js';
import { readRow } from '../../src/journal/table/rows/rows.js';
import { keep, PLACES, rowOf, started, write } from '../support/journal-places.js';
import {
  contentNumber,
  contentStored,
  counterPut,
  DEAD_LETTER_STORE_ID,
  messagePut,
  messageRecord,
  queuePut,
  queueRemoved,
  send,
  sessionStatePut,
} from '../support/journal-rows.js';

const SESSIONFUL = queuePut({ description: describeQueue('orders', { requiresSession: true }) });

describe.each(PLACES)('%s', (_, makePlace) => {
  test('a message without a session has none in its row, and comes back without', async () => {
    const place = await makePlace();
    const kept = await keep(place, [SESSIONFUL, counterPut(2), messagePut(messageRecord(1))]);
    expect(kept.stored.at(-1)).toEqual(messagePut(messageRecord(1, { sessionId: undefined })));
    expect(await rowOf(place, messageKey(1, 1))).toBe('5000,1,3');
  });

  test('a session id of any length can have state, where limits are off', async () => {
    const puts = [100_000, 100_001].map((length) => sessionStatePut('é'.repeat(length)));
    const { stored } = await keep(await makePlace(), [SESSIONFUL, ...puts]);
    expect(new Set(stored)).toEqual(new Set([SESSIONFUL, ...puts]));
  });

  test('the bytes of a session state come back, none at all as well [SES-15]', async () => {
    const place = await makePlace();
    await write(place, [
      SESSIONFUL,
      contentStored(1, contentNumber(1, 300_000)),
      contentStored(2, new Uint8Array()),
      sessionStatePut('blue', { contentId: 1, sizeBytes: 300_000 }),
      sessionStatePut('green', { contentId: 2, sizeBytes: 0 }),
    ]);
    const journal = await started(place);
    expect(Buffer.compare(await journal.readContent(1), contentNumber(1, 300_000))).toBe(0);
    expect(await journal.readContent(2)).toHaveLength(0);
    await journal.close();
  });

  test('a state that outlives its queue is damage', async () => {
    const batches = [[SESSIONFUL, sessionStatePut('blue "7"')], [queueRemoved()]];
    await expect(keep(await makePlace(), ...batches)).rejects.toThrow(
      `the state of session "blue \\"7\\"": store 1 is not an entity's main store`,
    );
  });

  test('a session state of a dead-letter store is damage', async () => {
    const state = sessionStatePut('blue', {}, DEAD_LETTER_STORE_ID);
    await expect(keep(await makePlace(), [SESSIONFUL, state])).rejects.toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining("store 2 is not an entity's main store"),
    });
  });

  test('contents of current session states are kept, and those of former ones are not', async () => {
    const place = await makePlace();
    await write(
      place,
      [SESSIONFUL, ...send(1, 1), contentStored(2), sessionStatePut('blue', { contentId: 2 })],
      [contentStored(3), sessionStatePut('blue', { contentId: 3 })],
    );
    const journal = await started(place);
    await expect(journal.readContent(2)).rejects.toThrow('content 2 is missing');
    for (const kept of [1, 3])
      expect(new Uint8Array(await journal.readContent(kept))).toEqual(contentNumber(kept));
    await journal.close();
  });
});

const KEY = sessionStateKey(1, 'blue');
const ROW = '{"sessionId":"blue","contentId":1,"sizeBytes":1,"updatedTime":1}';
const rowWithout = (name: string) => ROW.replace(new RegExp(`"${name}":[^,}]+,?`), '').replace(',}', '}');
const rowWith = (name: string, value: string) =>
  ROW.replace(new RegExp(`"${name}":[^,}]+`), `"${name}":${value}`);
const DAMAGED: readonly (readonly [what: string, key: string, row: string])[] = [
  ['a session state that is no JSON', KEY, ROW.slice(0, -1)],
  ['a session state that is no object', KEY, '1'],
  ['a session state without its session', KEY, rowWithout('sessionId')],
  ['a session state whose session is a number', KEY, rowWith('sessionId', '1')],
  ['a session state without its content', KEY, rowWithout('contentId')],
  ['a session state with a content that is no number', KEY, rowWith('contentId', '"1"')],
  ['a session state without its size', KEY, rowWithout('sizeBytes')],
  ['a session state of less than no bytes', KEY, rowWith('sizeBytes', '-1')],
  ['a session state without its time', KEY, rowWithout('updatedTime')],
  ['a session state with an endless time', KEY, rowWith('updatedTime', '1e999')],
  ["a session state under another session's key", sessionStateKey(1, 'Blue'), ROW],
  ['a session state under a key cut short', KEY.slice(0, -1), ROW],
  ['a session state under a key with something behind it', `${KEY}0`, ROW],
  ['a session state under a key in capital letters', `s${KEY.slice(1).toUpperCase()}`, ROW],
  ['a session state under a key without a digest', KEY.slice(0, 11), ROW],
  ['a session state under a key without a store', `s${KEY.slice(11)}`, ROW],
  [
    'a message whose session id is a number',
    messageKey(1, 1),
    '{"enqueuedTime":1,"contentId":1,"sizeBytes":1,"sessionId":1}',
  ],
  [
    'a message whose session id is null',
    messageKey(1, 1),
    '{"enqueuedTime":1,"contentId":1,"sizeBytes":1,"sessionId":null}',
  ],
];

test('rows that differ from the written form are not read, each', () => {
  for (const [what, key, row] of DAMAGED) expect(readRow(key, row), what).toBeUndefined();
  expect(readRow(KEY, ROW)).toBeDefined();
});
