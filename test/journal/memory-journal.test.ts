// What a journal without a directory keeps: contents, for as long as somebody may read them.

import { expect, test } from 'vitest';
import { MemoryJournal } from '../../src/journal/memory-journal.js';
import { contentStored, messagePut, messageRecord, queuePut } from '../support/journal-rows.js';

test('contents are read as they were given until they are deleted', async () => {
  const journal = new MemoryJournal();
  const stored = contentStored(1);
  await journal.append([queuePut(), stored, contentStored(2), messagePut(messageRecord(1))]);
  expect(journal.readContentNow(1)).toBe(stored.kind === 'content-stored' && stored.content);
  expect(await journal.readContent(1)).toBe(journal.readContentNow(1));
  journal.deleteContent(1);
  expect(() => journal.readContentNow(1)).toThrow('content 1 is not in memory');
  await expect(journal.readContent(1)).rejects.toThrow('content 1 is not in memory');
  expect(journal.readContentNow(2)).toBeDefined();
});

test('nothing is there for a later start', async () => {
  const journal = new MemoryJournal();
  const restored: unknown[] = [];
  expect(await journal.recover((stored) => restored.push(...stored))).toEqual({
    lastTime: 0,
    nextContentId: 1,
  });
  expect(restored).toEqual([]);
});
