// What every journal does, in a directory and in memory alike.

import { expect, test } from 'vitest';
import type { Journal, JournalEvent } from '../../src/engine/ports.js';
import { contentKey, messageKey } from '../../src/journal/keys.js';
import { deleteRow, keep, PLACES, putRow, reopen, write } from '../support/journal-places.js';
import {
  contentNumber,
  contentStored,
  counterPut,
  DEAD_LETTER_STORE_ID,
  messagePut,
  messageRecord,
  messageRemoved,
  numbersIn,
  queuePut,
  recover,
  send,
  sessionStatePut,
  topicPut,
} from '../support/journal-rows.js';

async function expectContents(journal: Journal, contents: readonly Uint8Array[]): Promise<void> {
  for (const [contentId, content] of contents.entries()) {
    expect(Buffer.compare(await journal.readContent(contentId), content)).toBe(0);
    expect(Buffer.compare(journal.readContentNow(contentId), content)).toBe(0);
  }
}

for (const [where, makePlace] of PLACES) {
  test(`${where} an empty journal gives back nothing, and time zero`, async () => {
    expect(await keep(await makePlace())).toEqual({ stored: [], lastTime: 0 });
  });

  test(`${where} appended rows come back: queues, counters, messages by number, session states`, async () => {
    const kept = await keep(
      await makePlace(),
      [sessionStatePut('blue'), queuePut(), contentStored(10), messagePut(messageRecord(10)), counterPut(11)],
      [contentStored(9), messagePut(messageRecord(9)), { kind: 'time-put', now: 123_456 }],
      [contentStored(3), messagePut(messageRecord(3), DEAD_LETTER_STORE_ID)],
    );
    expect(kept).toEqual({
      stored: [
        queuePut(),
        counterPut(11),
        messagePut(messageRecord(9)),
        messagePut(messageRecord(10)),
        messagePut(messageRecord(3), DEAD_LETTER_STORE_ID),
        sessionStatePut('blue'),
      ],
      lastTime: 123_456,
    });
  });

  test(`${where} messages beyond the fourth milliard come back in the order of their numbers`, async () => {
    const numbers = [1, 2 ** 31, 2 ** 32, 2 ** 40, 2 ** 52 - 2];
    const puts = [...numbers].reverse().map((number) => messagePut(messageRecord(number)));
    const kept = await keep(await makePlace(), [queuePut(), counterPut(2 ** 52 - 1), ...puts]);
    expect(numbersIn(kept)).toEqual(numbers);
  });

  test(`${where} a batch that cannot be written leaves nothing behind`, async () => {
    const place = await makePlace();
    const journal = await place.open();
    await journal.append([queuePut(), ...send(1, 1)]);
    const unwritable: object = Object.defineProperty({}, 'name', {
      get: () => {
        throw new Error('no such thing');
      },
      enumerable: true,
    });
    const broken = { ...queuePut(), queue: unwritable } as JournalEvent;
    await expect(journal.append([...send(2, 2), broken, ...send(3, 3)])).rejects.toThrow('no such thing');
    await journal.close();
    const kept = await reopen(place);
    expect(numbersIn(kept)).toEqual([1]);
    expect(kept.stored).toContainEqual(counterPut(2));
  });

  test(`${where} a content is read back byte for byte, also within the call, in this process and the next`, async () => {
    const place = await makePlace();
    const contents = [new Uint8Array(), new Uint8Array([0, 255, 7]), contentNumber(3, 300_000)];
    const journal = await place.open();
    await journal.append(contents.map((content, contentId) => contentStored(contentId, content)));
    await expectContents(journal, contents);
    await journal.close();
    const next = await place.open();
    await expectContents(next, contents);
    await next.close();
  });

  test(`${where} a content that is part of a larger buffer is written alone`, async () => {
    const journal = await (await makePlace()).open();
    await journal.append([contentStored(1, new Uint8Array([1, 2, 3, 4, 5]).subarray(1, 4))]);
    expect(new Uint8Array(await journal.readContent(1))).toEqual(new Uint8Array([2, 3, 4]));
    await journal.close();
  });

  test(`${where} reading a missing or removed content is an error of damage`, async () => {
    const journal = await (await makePlace()).open();
    await journal.append([contentStored(1)]);
    await journal.append([{ kind: 'content-deleted', contentId: 1 }]);
    await expect(journal.readContent(1)).rejects.toMatchObject({ kind: 'corrupt' });
    await expect(journal.readContent(2)).rejects.toThrow('content 2 is missing');
    expect(() => journal.readContentNow(1)).toThrow('content 1 is missing');
    expect(() => journal.readContentNow(2)).toThrow(expect.objectContaining({ kind: 'corrupt' }));
    await journal.close();
  });

  test(`${where} a content is read within the call while others are being written and read`, async () => {
    const journal = await (await makePlace()).open();
    const first = journal.append([contentStored(1)]);
    await first;
    const second = journal.append([contentStored(2)]);
    const reading = journal.readContent(1);
    expect(new Uint8Array(journal.readContentNow(1))).toEqual(contentNumber(1));
    await Promise.all([second, reading]);
    expect(new Uint8Array(journal.readContentNow(2))).toEqual(contentNumber(2));
    await journal.close();
  });

  test(`${where} a content that is read when the journal is closed is an error that names the place`, async () => {
    const journal = await (await makePlace()).open();
    await journal.append([contentStored(1)]);
    await journal.close();
    expect(() => journal.readContentNow(1)).toThrow(expect.objectContaining({ kind: 'unreadable' }));
  });

  test(`${where} many rows come in chunks, and others have their turn in between`, async () => {
    const place = await makePlace();
    const journal = await place.open();
    const puts = Array.from({ length: 25_000 }, (_, index) => messagePut(messageRecord(index + 1)));
    await journal.append([queuePut(), counterPut(25_001), ...puts]);
    const sizes: number[] = [];
    const turnsOfOthers: number[] = [];
    let turnCount = 0;
    await journal.recover((rows) => {
      sizes.push(rows.length);
      turnsOfOthers.push(turnCount);
      setImmediate(() => turnCount++);
    });
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10_000);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(25_002);
    expect(turnsOfOthers).toEqual(sizes.map((_, index) => index));
    await journal.close();
  });

  test(`${where} the sweep deletes the contents no message names, and says how many`, async () => {
    const place = await makePlace();
    const journal = await place.open();
    await journal.append([queuePut(), ...send(1, 3), contentStored(100), contentStored(200)]);
    await journal.append([messageRemoved(2)]);
    await recover(journal);
    expect(await journal.sweepContents((contentId) => contentId === 200)).toBe(2);
    await expect(journal.readContent(2)).rejects.toThrow('missing');
    await expect(journal.readContent(100)).rejects.toThrow('missing');
    for (const kept of [1, 3, 200])
      expect(new Uint8Array(await journal.readContent(kept))).toEqual(contentNumber(kept));
    await journal.close();
  });

  test(`${where} a content that several messages share is kept for each of them`, async () => {
    const journal = await (await makePlace()).open();
    const puts = [1, 2].map((number) => messagePut(messageRecord(number, { contentId: 9, isShared: true })));
    await journal.append([queuePut(), counterPut(3), contentStored(9), ...puts]);
    await recover(journal);
    expect(await journal.sweepContents(() => false)).toBe(0);
    expect(new Uint8Array(await journal.readContent(9))).toEqual(contentNumber(9));
    await journal.close();
  });

  test.each([1, 2, 3])(
    `${where} a message whose content %i is missing is damage, and nothing is swept`,
    async (missing) => {
      const place = await makePlace();
      await write(place, [queuePut(), contentStored(0), ...send(1, 3)]);
      await place.withRows((rows) => deleteRow(rows, contentKey(missing)));
      const journal = await place.open();
      await recover(journal);
      await expect(journal.sweepContents(() => false)).rejects.toThrow(
        `content ${missing}, which is missing`,
      );
      expect(new Uint8Array(await journal.readContent(0))).toEqual(contentNumber(0));
      await journal.close();
    },
  );

  test(`${where} a message number that the counter would give out again is damage [SEQ-11]`, async () => {
    const place = await makePlace();
    await write(place, [queuePut(), ...send(1, 3), counterPut(3)]);
    await expect(reopen(place)).rejects.toThrow("message 3 of store 1 is not below its entity's counter, 3");
  });

  test(`${where} dead-lettered messages keep the numbers of their queue's counter [SEQ-10]`, async () => {
    const dead = messagePut(messageRecord(3), DEAD_LETTER_STORE_ID);
    const kept = await keep(await makePlace(), [queuePut(), counterPut(4), dead]);
    expect(kept.stored.at(-1)).toEqual(dead);
  });

  test.each([
    ['a row of an unknown kind', 'x1', '1'],
    ['a row of an unknown kind before all others', '!', '1'],
    ['a message under a key cut short', messageKey(1, 1).slice(0, -1), '{}'],
    ['a message that is no JSON', messageKey(1, 1), '{"enqueuedTime":'],
    ['a message without a content', messageKey(1, 1), '{"enqueuedTime":1,"sizeBytes":1}'],
    ['a queue under another number than its own', 'Q0000000009', JSON.stringify(queuePut())],
    ['a topic under the key of a queue', 'Q0000000001', JSON.stringify(topicPut())],
    ['a counter that is no number', 'S0000000001', 'many'],
    ['a time that is no number', 'T', ''],
    ['epochs of the time that are no list', 'E', '{"epochs":1}'],
    ['an epoch of the time without its length', 'E', '{"epochs":[{"after":1}]}'],
  ])(`${where} %s is damage`, async (_, key, row) => {
    const place = await makePlace();
    await write(place, [queuePut()]);
    await place.withRows((rows) => putRow(rows, key, row));
    await expect(reopen(place)).rejects.toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining(JSON.stringify(key)),
    });
  });

  test(`${where} a content under an unknown key is damage`, async () => {
    const place = await makePlace();
    await write(place, [queuePut()]);
    await place.withRows((rows) => putRow(rows, 'c12', 'x'));
    const journal = await place.open();
    await recover(journal);
    await expect(journal.sweepContents(() => false)).rejects.toMatchObject({ kind: 'corrupt' });
    await journal.close();
  });
}
