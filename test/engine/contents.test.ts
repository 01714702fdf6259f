// Where contents are: in memory up to a budget, in the journal as long as a message or a reader needs them.

import { expect, test } from 'vitest';
import type { JournalEvent } from '../../src/engine/ports.js';
import { contentOf, deliver, removed, stored } from '../support/engine-broker.js';
import { JournalByHand } from '../support/engine-journal.js';
import { settled, startEngine } from '../support/engine-under-test.js';

function deletions(batch: readonly JournalEvent[] | undefined): number[] {
  return (batch ?? []).flatMap((event) => (event.kind === 'content-deleted' ? [event.contentId] : []));
}

test('the row of a content goes in a later batch than the one that removed its message', async () => {
  const { journal, submit } = await startEngine();
  journal.isWritingByItself = true;
  submit(1, { events: stored(7) });
  await settled();
  submit(2, { events: removed(7) });
  await settled();
  expect(journal.batches.map(deletions)).toEqual([[], []]);
  submit(3, { events: stored(8) });
  await settled();
  submit(4, { events: stored(9) });
  await settled();
  expect(journal.batches.map(deletions)).toEqual([[], [], [7], []]);
});

test('a batch that was already on its way when the message was removed does not take the row with it', async () => {
  const { journal, submit } = await startEngine();
  submit(1, { events: stored(7) });
  await settled();
  submit(2, { events: removed(7) });
  await journal.makeDurable();
  submit(3, { events: stored(8) });
  await journal.makeDurable();
  await journal.makeDurable();
  submit(4, { events: stored(9) });
  await settled();
  expect(journal.batches.map(deletions)).toEqual([[], [], [], [7]]);
});

test('a row stays until the last delivery that needs it has been read', async () => {
  const { journal, told, submit, openLink } = await startEngine({ contentBudgetBytes: 0 });
  const link = openLink();
  journal.isWritingByItself = true;
  submit(1, { events: stored(7) });
  await settled();
  submit(2, { events: removed(7), effects: [deliver(link.id, 7, 'deleted')] });
  await settled();
  submit(3, { events: stored(8) });
  await settled();
  expect(journal.batches.flatMap(deletions)).toEqual([]);
  await journal.finishReading(7);
  expect(told.at(-1)).toBe('link 1 deliver 7');
  submit(4, { events: stored(9) });
  await settled();
  expect(deletions(journal.batches.at(-1))).toEqual([7]);
});

test('a row stays while it is being read for a link that was closed meanwhile', async () => {
  const { engine, journal, submit, openLink } = await startEngine({ contentBudgetBytes: 0 });
  const link = openLink();
  journal.isWritingByItself = true;
  submit(1, { events: stored(7) });
  await settled();
  submit(2, { events: removed(7), effects: [deliver(link.id, 7, 'deleted')] });
  await settled();
  engine.closeLink(link.id);
  submit(3, { events: stored(8) });
  await settled();
  expect(journal.batches.flatMap(deletions)).toEqual([]);
  await journal.finishReading(7);
  submit(4, { events: stored(9) });
  await settled();
  expect(journal.batches.flatMap(deletions)).toEqual([7]);
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
  expect(journal.batches.flatMap(deletions)).toEqual([]);
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
