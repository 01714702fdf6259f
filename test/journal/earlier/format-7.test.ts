// A journal that a program of format 7 left when it was killed, and what its clients had seen before.

import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { expect, test } from 'vitest';
import type { Journal } from '../../../src/engine/ports.js';
import { contentKey } from '../../../src/journal/keys.js';
import { cutOff, overwrite } from '../../support/journal-files.js';
import {
  changeRows,
  ENCODINGS,
  makeTemporaryDirectory,
  placeIn,
  reopen,
  rowOf,
  started,
  write,
} from '../../support/journal-places.js';
import {
  contentNumber,
  contentStored,
  counterPut,
  type Kept,
  messagePut,
  messageRecord,
  messageRemoved,
  recover,
} from '../../support/journal-rows.js';
import { storedIn } from '../../support/table-rows.js';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures');
const AHEAD = join('ahead', '00000001.ahead');
/** The main stores of the queues; subscriptions by the numbers of their stores. */
const STORES: Readonly<Record<string, number>> = {
  plain: 13,
  'plain/dead': 14,
  unique: 17,
  'news/all': 21,
  'news/red': 23,
};
const STATES = ['active', 'deferred', 'scheduled'];
/** Contents 1, 4 and 12 were consumed. */
const CONTENT_IDS = [2, 3, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24];

type Seen = {
  readonly sequenceNumber: number;
  readonly body: string;
  readonly state: string;
  readonly deliveryCount: number;
};

async function makeCopy(): Promise<string> {
  const directory = join(await makeTemporaryDirectory(), 'journal');
  await cp(join(FIXTURES, 'format-7'), directory, { recursive: true });
  return directory;
}

async function messagesOf(journal: Journal, { stored }: Kept, storeId: number): Promise<Seen[]> {
  const messages: Seen[] = [];
  for (const event of stored) {
    if (event.kind !== 'message-put' || event.storeId !== storeId) continue;
    const { sequenceNumber, contentId, sizeBytes, state, deliveryCount } = event.message;
    const content = await journal.readContent(contentId);
    expect(content).toHaveLength(sizeBytes);
    // The sender encoded each body as a text of JSON.
    const [body = ''] = /"[^"]* "/.exec(Buffer.from(content).toString()) ?? [];
    messages.push({ sequenceNumber, body: JSON.parse(body), state: STATES[state] ?? '', deliveryCount });
  }
  return messages;
}

async function expectEverything(directory: string): Promise<void> {
  const view = JSON.parse(await readFile(join(FIXTURES, 'format-7-view.json'), 'utf8'));
  const journal = await placeIn(directory).open();
  const kept = await recover(journal);
  for (const [entity, storeId] of Object.entries(STORES)) {
    const seen = view[entity].map(({ sequenceNumber, body, state, deliveryCount }: Seen) => {
      return { sequenceNumber, body, state, deliveryCount };
    });
    expect(await messagesOf(journal, kept, storeId), entity).toEqual(seen);
  }
  const bodies = (await messagesOf(journal, kept, 15)).map(({ body }) => body);
  expect(bodies).toEqual(
    expect.arrayContaining([...view['sessions/blå'].messages, ...view['sessions/c'].messages]),
  );
  const states = kept.stored.flatMap((event) => (event.kind === 'session-state-put' ? [event.state] : []));
  expect(states.map(({ sessionId }) => sessionId)).toEqual(['c']);
  const state = await journal.readContent(states[0]?.contentId ?? 0);
  expect(JSON.parse(Buffer.from(state).toString())).toEqual(view['sessions/c'].state);
  await journal.close();
}

/** The contents that LevelDB has. */
async function contentIdsIn(directory: string): Promise<number[]> {
  const contentIds: number[] = [];
  await changeRows(new Level<string, Buffer>(directory, ENCODINGS), async (rows) => {
    const stored = await storedIn(rows, { gte: 'c', lt: 'd' });
    contentIds.push(...[...stored.keys()].map((key) => Number(key.slice(1))));
  });
  return contentIds;
}

test('it has exactly the messages, bodies and session states that clients saw, and keeps its format', async () => {
  const directory = await makeCopy();
  await expectEverything(directory);
  await expectEverything(directory);
  expect(await rowOf(placeIn(directory), 'F')).toBe('{"format":7}');
  expect(await readdir(directory)).not.toContain('segments');
});

test('its rows become those of format 8 with the first append, and everything is still there', async () => {
  const directory = await makeCopy();
  const before = await reopen(placeIn(directory));
  await write(placeIn(directory), [{ kind: 'time-put', now: before.lastTime + 1 }]);
  expect(await rowOf(placeIn(directory), 'F')).toBe('{"format":8}');
  await expectEverything(directory);
  const after = await reopen(placeIn(directory));
  expect(after).toEqual({ ...before, lastTime: before.lastTime + 1 });
});

test('its log is not taken a second time, should a power cut bring it back', async () => {
  const directory = await makeCopy();
  await write(placeIn(directory), [messageRemoved(6, 13)]);
  const before = await reopen(placeIn(directory));
  await cp(join(FIXTURES, 'format-7', 'ahead'), join(directory, 'ahead'), { recursive: true });
  expect(await reopen(placeIn(directory))).toEqual(before);
  expect(await readdir(directory)).not.toContain('ahead');
});

test('its contents stay in LevelDB until they are deleted, and new ones go to the segments', async () => {
  const directory = await makeCopy();
  const journal = await placeIn(directory).open();
  const { nextContentId } = await recover(journal);
  expect(nextContentId).toBe(25);
  const added = messagePut(messageRecord(11, { contentId: 25 }), 13);
  await journal.append([messageRemoved(3, 13), contentStored(25), added, counterPut(12, { storeId: 13 })]);
  journal.deleteContent(3);
  await expect(journal.readContent(3)).rejects.toThrow('content 3 is missing');
  expect(journal.readContentNow(5)).toHaveLength(118);
  await journal.close();
  expect(await contentIdsIn(directory)).toEqual(CONTENT_IDS.filter((contentId) => contentId !== 3));
  const next = await started(placeIn(directory));
  expect(new Uint8Array(await next.readContent(25))).toEqual(contentNumber(25));
  expect(await next.readContent(5)).toHaveLength(118);
  await next.close();
});

test('a content whose deletion a kill prevented is deleted after the next start', async () => {
  const directory = await makeCopy();
  await write(placeIn(directory), [messageRemoved(3, 13)]);
  await write(placeIn(directory), [{ kind: 'time-put', now: 1795470200000 }]);
  expect(await contentIdsIn(directory)).toEqual(CONTENT_IDS.filter((contentId) => contentId !== 3));
});

test('a content under a key that is not one is damage', async () => {
  const directory = await makeCopy();
  await changeRows(new Level<string, Buffer>(directory, ENCODINGS), async (rows) => {
    const batch = rows.batch();
    batch.put(contentKey(2).slice(0, -1), Buffer.from('x'));
    await batch.write({ sync: false });
  });
  await expect(reopen(placeIn(directory))).rejects.toThrow('"c000000000000000" is not a row of a journal');
});

test('without the last byte of its log it lacks its last batch only', async () => {
  const directory = await makeCopy();
  await cutOff(join(directory, AHEAD), 1);
  const whole = await reopen(placeIn(await makeCopy()));
  const { stored } = await reopen(placeIn(directory));
  const isBack = (event: Kept['stored'][number]) =>
    event.kind === 'message-put' && event.storeId === 21 && event.message.sequenceNumber === 2;
  // The last batch completed this message.
  expect(stored.filter(isBack)).toHaveLength(1);
  expect(stored.filter((event) => !isBack(event))).toEqual(whole.stored);
});

test('damage in the middle of its log is refused, and nothing is deleted', async () => {
  const directory = await makeCopy();
  await overwrite(join(directory, AHEAD), 1000, Uint8Array.of(0xee));
  const before = await readFile(join(directory, AHEAD));
  const contents = await contentIdsIn(directory);
  await expect(placeIn(directory).open()).rejects.toMatchObject({
    kind: 'corrupt',
    message: expect.stringContaining('ahead/00000001.ahead is not what was written'),
  });
  expect(await readFile(join(directory, AHEAD))).toEqual(before);
  expect(await contentIdsIn(directory)).toEqual(contents);
});
