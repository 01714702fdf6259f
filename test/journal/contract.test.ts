// What every journal does, in a directory and in memory alike.

import { expect, test } from 'vitest';
import { ContentUnreadable } from '../../src/broker/contract/content-unreadable.js';
import type { Journal, JournalEvent } from '../../src/engine/ports.js';
import { changeTable, keep, PLACES, reopen, started, write } from '../support/journal-places.js';
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
    expect(await keep(await makePlace())).toEqual({ stored: [], lastTime: 0, nextContentId: 1 });
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
      nextContentId: 11,
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
    const journal = await started(place);
    await journal.append([queuePut(), ...send(1, 1)]);
    const unwritable: object = Object.defineProperty({ type: 'queue' }, 'name', {
      get: () => {
        throw new Error('no such thing');
      },
      enumerable: true,
    });
    const broken = { ...queuePut(), entity: unwritable } as JournalEvent;
    await expect(journal.append([...send(2, 2), broken, ...send(3, 3)])).rejects.toThrow('no such thing');
    await journal.close();
    const kept = await reopen(place);
    expect(numbersIn(kept)).toEqual([1]);
    expect(kept.stored).toContainEqual(counterPut(2));
  });

  test(`${where} a content is read back byte for byte, also within the call, in this process and the next`, async () => {
    const place = await makePlace();
    const contents = [new Uint8Array(), new Uint8Array([0, 255, 7]), contentNumber(3, 300_000)];
    const journal = await started(place);
    await journal.append([queuePut(), counterPut(3)]);
    await journal.append(
      contents.flatMap((content, id) => [contentStored(id, content), messagePut(messageRecord(id))]),
    );
    await expectContents(journal, contents);
    await journal.close();
    const next = await started(place);
    await expectContents(next, contents);
    await next.close();
  });

  test(`${where} a content that is part of a larger buffer is written alone`, async () => {
    const journal = await started(await makePlace());
    await journal.append([contentStored(1, new Uint8Array([1, 2, 3, 4, 5]).subarray(1, 4))]);
    expect(new Uint8Array(await journal.readContent(1))).toEqual(new Uint8Array([2, 3, 4]));
    await journal.close();
  });

  test(`${where} reading a missing or deleted content says that it alone cannot be read`, async () => {
    const journal = await started(await makePlace());
    await journal.append([contentStored(1)]);
    journal.deleteContent(1);
    await expect(journal.readContent(1)).rejects.toEqual(new ContentUnreadable(1, 'content 1 is missing'));
    await expect(journal.readContent(2)).rejects.toBeInstanceOf(ContentUnreadable);
    expect(() => journal.readContentNow(1)).toThrow(new ContentUnreadable(1, 'content 1 is missing'));
    expect(() => journal.readContentNow(2)).toThrow(ContentUnreadable);
    await journal.close();
  });

  test(`${where} a content is read within the call while others are being written and read`, async () => {
    const journal = await started(await makePlace());
    const first = journal.append([contentStored(1)]);
    await first;
    const second = journal.append([contentStored(2)]);
    const reading = journal.readContent(1);
    expect(new Uint8Array(journal.readContentNow(1))).toEqual(contentNumber(1));
    await Promise.all([second, reading]);
    expect(new Uint8Array(journal.readContentNow(2))).toEqual(contentNumber(2));
    await journal.close();
  });

  test(`${where} many rows come in chunks, and others have their turn in between`, async () => {
    const place = await makePlace();
    const puts = Array.from({ length: 25_000 }, (_, index) => messagePut(messageRecord(index + 1)));
    await write(place, [queuePut(), counterPut(25_001), ...puts]);
    const journal = await place.open();
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

  test(`${where} after a restart the contents are gone that no message names, and their ids are not given again`, async () => {
    const place = await makePlace();
    await write(
      place,
      [queuePut(), ...send(1, 3), contentStored(100), contentStored(200)],
      [messageRemoved(2)],
    );
    const journal = await place.open();
    expect((await recover(journal)).nextContentId).toBe(201);
    for (const gone of [2, 100, 200]) await expect(journal.readContent(gone)).rejects.toThrow('missing');
    for (const kept of [1, 3])
      expect(new Uint8Array(await journal.readContent(kept))).toEqual(contentNumber(kept));
    await journal.close();
  });

  test(`${where} a content that several messages share is kept for each of them`, async () => {
    const place = await makePlace();
    const puts = [1, 2].map((number) => messagePut(messageRecord(number, { contentId: 9, isShared: true })));
    await write(place, [queuePut(), counterPut(3), contentStored(9), ...puts], [messageRemoved(1)]);
    const journal = await started(place);
    expect(new Uint8Array(await journal.readContent(9))).toEqual(contentNumber(9));
    await journal.close();
  });

  test(`${where} a journal that was not recovered is not written`, async () => {
    const journal = await (await makePlace()).open();
    await expect(journal.append([queuePut()])).rejects.toThrow('a journal is recovered before it is written');
    await journal.close();
  });

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
    ['a queue under another number than its own', 'Q0000000009', JSON.stringify(queuePut())],
    ['a topic under the key of a queue', 'Q0000000001', JSON.stringify(topicPut())],
    ['a counter that is no number', 'S0000000001', 'many'],
    ['a time that is no number', 'T', ''],
    ['epochs of the time that are no list', 'E', '{"epochs":1}'],
    ['an epoch of the time without its length', 'E', '{"epochs":[{"after":1}]}'],
  ])(`${where} %s is damage`, async (_, key, row) => {
    const place = await makePlace();
    await write(place, [queuePut()]);
    await changeTable(place, new Map([[key, row]]));
    await expect(reopen(place)).rejects.toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining(JSON.stringify(key)),
    });
  });
}
