// The turn: executed at once, told when it is durable, in order; batches gather while one is being written.

import { expect, test } from 'vitest';
import type { Event } from '../../src/broker/contract/event.js';
import { Engine } from '../../src/engine/engine.js';
import { removed, stored } from '../support/engine-broker.js';
import { settled, startEngine } from '../support/engine-under-test.js';
import { messageRecord } from '../support/journal-rows.js';

const MEBIBYTE = 1024 * 1024;

test('a command is executed within the call', async () => {
  const { engine, broker } = await startEngine();
  engine.submit({ kind: 'find-entity', entityPath: 'orders' }, { completed() {} }, 1);
  expect(broker.executed.map(({ command }) => command.kind)).toEqual(['find-entity']);
});

test('no one is told of a turn before its events are durable', async () => {
  const { journal, told, submit } = await startEngine();
  submit(1, { events: stored(1) });
  await settled();
  expect(journal.underWay).toBe(1);
  expect(told).toEqual([]);
  await journal.makeDurable();
  expect(told).toEqual(['result 1 done']);
});

test('a turn that changes nothing is told without a write, though never within submit', async () => {
  const { journal, told, submit } = await startEngine();
  submit(1);
  expect(told).toEqual([]);
  await settled();
  expect(told).toEqual(['result 1 done']);
  expect(journal.batches).toEqual([]);
});

test('a turn that changes nothing waits for the turns before it that are not yet durable', async () => {
  const { journal, told, submit } = await startEngine();
  submit(1, { events: stored(1) });
  await settled();
  submit(2);
  await settled();
  expect(told).toEqual([]);
  await journal.makeDurable();
  expect(told).toEqual(['result 1 done', 'result 2 done']);
});

test('it does not wait for turns after it', async () => {
  const { journal, told, submit } = await startEngine();
  submit(1);
  submit(2, { events: stored(2) });
  submit(3);
  await settled();
  expect(told).toEqual(['result 1 done']);
  await journal.makeDurable();
  expect(told).toEqual(['result 1 done', 'result 2 done', 'result 3 done']);
});

test('results come in the order of the turns, whatever these change', async () => {
  const { journal, told, submit } = await startEngine();
  journal.isWritingByItself = true;
  for (let tag = 1; tag <= 40; tag++) {
    submit(tag, tag % 3 === 0 ? { events: stored(tag) } : {});
    if (tag % 7 === 0) await Promise.resolve();
    if (tag % 11 === 0) await settled();
  }
  await settled();
  expect(told).toEqual(Array.from({ length: 40 }, (_, index) => `result ${index + 1} done`));
});

test('turns submitted in one go share a batch', async () => {
  const { journal, submit } = await startEngine();
  submit(1, { events: stored(1) });
  submit(2);
  submit(3, { events: stored(3) });
  await settled();
  expect(journal.batches.map(contentsOf)).toEqual([[1, 3]]);
});

test('while a batch is being written the next one gathers, and there are never two at once', async () => {
  const { journal, told, submit } = await startEngine();
  submit(1, { events: stored(1) });
  await settled();
  submit(2, { events: stored(2) });
  await settled();
  submit(3, { events: stored(3) });
  await settled();
  expect(journal.underWay).toBe(1);
  await journal.makeDurable();
  expect(told).toEqual(['result 1 done']);
  expect(journal.batches.map(contentsOf)).toEqual([[1], [2, 3]]);
});

test('the events of a batch are in the order of the turns, and the time closes it', async () => {
  const { journal, clock, submit } = await startEngine();
  const first: Event[] = [{ kind: 'sequence-put', storeId: 1, partitionId: 0, nextSequenceNumber: 2 }];
  submit(1, { events: first });
  clock.advance(5);
  submit(2, { events: stored(1) });
  await settled();
  expect(journal.batches).toEqual([[...first, ...stored(1), { kind: 'time-put', now: clock.now() }]]);
});

test('that a content is released is not written; that its row goes is a matter of a later batch', async () => {
  const { journal, submit } = await startEngine();
  submit(1, { events: removed(7) });
  await settled();
  expect(journal.batches[0]?.map(({ kind }) => kind)).toEqual(['message-removed', 'time-put']);
});

test('a batch takes no more than 8 MiB of content', async () => {
  const { journal, submit } = await startEngine();
  for (let tag = 1; tag <= 5; tag++) submit(tag, { events: stored(tag, 3 * MEBIBYTE) });
  journal.isWritingByItself = true;
  await settled();
  expect(journal.batches.map(contentsOf)).toEqual([[1, 2], [3, 4], [5]]);
});

test('a turn larger than a batch may be is written alone', async () => {
  const { journal, told, submit } = await startEngine({ maxBatchBytes: 10 });
  submit(1, { events: stored(1, 4) });
  submit(2, { events: [...stored(2, 8), ...stored(3, 8)] });
  submit(4, { events: stored(4, 4) });
  await settled();
  await journal.makeDurable();
  await journal.makeDurable();
  await journal.makeDurable();
  expect(journal.batches.map(contentsOf)).toEqual([[1], [2, 3], [4]]);
  expect(told).toEqual(['result 1 done', 'result 2 done', 'result 4 done']);
});

test('a turn is never spread over two batches', async () => {
  const { journal, submit } = await startEngine({ maxBatchBytes: 10 });
  submit(1, { events: stored(1, 6) });
  submit(2, { events: [...stored(2, 3), ...stored(3, 3)] });
  await settled();
  await journal.makeDurable();
  expect(journal.batches.map(contentsOf)).toEqual([[1], [2, 3]]);
});

test('what a requester submits when it is told comes after what was submitted before', async () => {
  const { engine, broker, journal, told, submit } = await startEngine();
  broker.next({ events: stored(1) });
  engine.submit({ kind: 'tick' }, { completed: () => submit(9) }, 1);
  submit(2, { events: stored(2) });
  await settled();
  await journal.makeDurable();
  expect(told).toEqual(['result 2 done', 'result 9 done']);
});

test('ask gives the result as a promise', async () => {
  const { engine, broker, journal } = await startEngine();
  broker.next({ events: stored(1), result: { kind: 'sent', sequenceNumbers: [1] } });
  const asked = engine.ask({ kind: 'tick' });
  await settled();
  await journal.makeDurable();
  expect(await asked).toEqual({ kind: 'sent', sequenceNumbers: [1] });
});

test('a command before the journal is recovered is a mistake of ours', async () => {
  const { broker, journal, clock } = await startEngine();
  const engine = new Engine(broker, journal, clock);
  expect(() => engine.submit({ kind: 'tick' }, { completed() {} }, 1)).toThrow('recovered');
});

function contentsOf(events: readonly { readonly kind: string; readonly contentId?: number }[]): number[] {
  return events.flatMap(({ kind, contentId }) =>
    kind === 'content-stored' && contentId !== undefined ? [contentId] : [],
  );
}

test('a batch takes as many turns as have 5,000 events together', async () => {
  const { journal, submit } = await startEngine();
  submit(1, { events: stored(1) });
  await settled();
  for (let tag = 2; tag <= 10; tag++) submit(tag, { events: thousandRemoved() }); // and as many releases, which are not written
  await journal.makeDurable();
  await settled();
  expect(journal.batches.at(-1)?.filter(({ kind }) => kind === 'message-removed')).toHaveLength(2000);
});

test('the copies of a message count as so many changes', async () => {
  const { journal, submit } = await startEngine();
  submit(1, { events: stored(1) });
  await settled();
  const places = Array.from({ length: 2500 }, (_, index) => [index + 1, 1]).flat();
  for (let tag = 2; tag <= 4; tag++) {
    submit(tag, { events: [{ kind: 'copies-put', message: messageRecord(tag), places }] });
  }
  await journal.makeDurable();
  await settled();
  expect(journal.batches.at(-1)?.filter(({ kind }) => kind === 'copies-put')).toHaveLength(2);
});

test('what is due waits while 10,000 events wait for the journal, and no longer', async () => {
  const { journal, clock, broker, submit } = await startEngine();
  for (let tag = 1; tag <= 6; tag++) submit(tag, { events: thousandRemoved(), deadline: clock.now() + 5 });
  await settled();
  clock.advance(5);
  expect(broker.executed).toHaveLength(6);
  await journal.makeDurable();
  await settled();
  expect(broker.executed).toHaveLength(7);
});

function thousandRemoved(): Event[] {
  return Array.from({ length: 1000 }, (_, index) => removed(index)).flat();
}
