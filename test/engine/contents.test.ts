// Where contents are: in memory up to a budget, in the journal as long as a message or a reader needs them.

import { expect, test } from 'vitest';
import { contentOf, deliver, removed, stored } from '../support/engine-broker.js';
import { JournalByHand } from '../support/engine-journal.js';
import { settled, startEngine } from '../support/engine-under-test.js';

test('a content is deleted when the removal of its message is durable, and not before', async () => {
  const { journal, submit } = await startEngine();
  submit(1, { events: stored(7) });
  await settled();
  submit(2, { events: removed(7) });
  await journal.makeDurable();
  expect(journal.deleted).toEqual([]);
  await journal.makeDurable();
  expect(journal.deleted).toEqual([7]);
});

test('a content stays until the last delivery that needs it has been read', async () => {
  const { journal, told, submit, openLink } = await startEngine({ contentBudgetBytes: 0 });
  const link = openLink();
  journal.isWritingByItself = true;
  submit(1, { events: stored(7) });
  await settled();
  submit(2, { events: removed(7), effects: [deliver(link.id, 7, 'deleted')] });
  await settled();
  expect(journal.deleted).toEqual([]);
  await journal.finishReading(7);
  expect(told.at(-1)).toBe('link 1 deliver 7');
  expect(journal.deleted).toEqual([7]);
});

test('a content stays while it is being read for a link that was closed meanwhile', async () => {
  const { engine, journal, submit, openLink } = await startEngine({ contentBudgetBytes: 0 });
  const link = openLink();
  journal.isWritingByItself = true;
  submit(1, { events: stored(7) });
  await settled();
  submit(2, { events: removed(7), effects: [deliver(link.id, 7, 'deleted')] });
  await settled();
  engine.closeLink(link.id);
  await settled();
  expect(journal.deleted).toEqual([]);
  await journal.finishReading(7);
  expect(journal.deleted).toEqual([7]);
});

test('a content that waits for room on its link is neither deleted nor lost', async () => {
  const { engine, journal, submit, openLink } = await startEngine();
  const link = openLink();
  link.isRoomy = false;
  journal.isWritingByItself = true;
  submit(1, { events: [...stored(7), ...removed(7)], effects: [deliver(link.id, 7, 'deleted')] });
  await settled();
  submit(2, { events: stored(8) });
  await settled();
  expect(journal.deleted).toEqual([]);
  link.isRoomy = true;
  engine.resumeLink(link.id);
  expect(link.contents).toEqual([contentOf(7)]);
  expect(journal.reads).toEqual([]);
});

test('beyond the budget the oldest contents leave memory and are read from the journal', async () => {
  const { journal, submit, openLink } = await startEngine({ contentBudgetBytes: 10_000 });
  const link = openLink();
  journal.isWritingByItself = true;
  journal.isReadingByItself = true;
  for (let id = 1; id <= 12; id++) submit(id, { events: stored(id, 1000) });
  await settled();
  submit(20, { effects: Array.from({ length: 12 }, (_, index) => deliver(link.id, index + 1)) });
  await settled();
  expect(link.contents).toEqual(Array.from({ length: 12 }, (_, index) => contentOf(index + 1, 1000)));
  const evicted = journal.reads.length;
  expect(evicted).toBeGreaterThan(1);
  expect(evicted).toBeLessThan(12);
  expect(journal.reads).toEqual(Array.from({ length: evicted }, (_, index) => index + 1));
});

test('a content does not leave memory before it is durable, whatever the budget', async () => {
  const { journal, told, submit, openLink } = await startEngine({ contentBudgetBytes: 0 });
  const link = openLink();
  submit(1, { events: stored(1) });
  await settled();
  submit(2, { events: stored(2), effects: [deliver(link.id, 2)] });
  await settled();
  await journal.makeDurable();
  await journal.makeDurable();
  expect(told.at(-1)).toBe('link 1 deliver 2');
  expect(journal.reads).toEqual([]);
});

test('once durable it does', async () => {
  const { journal, submit, openLink } = await startEngine({ contentBudgetBytes: 0 });
  const link = openLink();
  journal.isWritingByItself = true;
  submit(1, { events: stored(1) });
  await settled();
  submit(2, { effects: [deliver(link.id, 1)] });
  await settled();
  expect(journal.reads).toEqual([1]);
});

test('contents that came and went leave their room in the budget', async () => {
  const { journal, submit, openLink } = await startEngine({ contentBudgetBytes: 10_000 });
  const link = openLink();
  journal.isWritingByItself = true;
  for (let id = 1; id <= 200; id++) {
    submit(id, { events: [...stored(id, 1000), ...removed(id)] });
    await settled();
  }
  submit(300, { events: stored(250, 1000) });
  await settled();
  submit(301, { effects: [deliver(link.id, 250)] });
  await settled();
  expect(link.contents).toEqual([contentOf(250, 1000)]);
  expect(journal.reads).toEqual([]);
});

test('a turn that reads a content is given it at once, from memory as long as it is there', async () => {
  const { broker, journal, submit } = await startEngine();
  submit(1, { events: stored(7) });
  submit(2, { reads: [7] });
  expect(broker.contentsRead).toEqual([contentOf(7)]);
  await settled();
  await journal.makeDurable();
  submit(3, { reads: [7] });
  expect(broker.contentsRead).toEqual([contentOf(7), contentOf(7)]);
  expect(journal.readsNow).toEqual([]);
});

test('a turn reads from the journal what has left memory, every time it asks', async () => {
  const { broker, journal, told, submit } = await startEngine({ contentBudgetBytes: 0 });
  journal.isWritingByItself = true;
  submit(1, { events: stored(7) });
  await settled();
  submit(2, { reads: [7, 7] });
  expect(broker.contentsRead).toEqual([contentOf(7), contentOf(7)]);
  expect(journal.readsNow).toEqual([7, 7]);
  await settled();
  expect(told).toEqual(['result 1 done', 'result 2 done']);
});

test('a turn reads from the journal what an earlier process has stored', async () => {
  const journal = new JournalByHand();
  journal.contents.set(7, contentOf(7, 1000));
  const { broker, submit } = await startEngine({}, { journal });
  submit(1, { reads: [7] });
  expect(broker.contentsRead).toEqual([contentOf(7, 1000)]);
});
