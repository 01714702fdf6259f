// What a link is given: in turn order, each content fetched first, and nothing whose lock or link has ended.

import { expect, test } from 'vitest';
import type { Effect } from '../../src/broker/contract/effect.js';
import { ServiceBusError } from '../../src/broker/contract/service-bus-error.js';
import { contentOf, deliver, removed, stored } from '../support/engine-broker.js';
import { JournalByHand } from '../support/engine-journal.js';
import { type EngineUnderTest, settled, startEngine } from '../support/engine-under-test.js';

/** Contents 1 to `count` have rows and are not in memory. */
async function startWithRows(count: number): Promise<EngineUnderTest> {
  const journal = new JournalByHand();
  for (let id = 1; id <= count; id++) journal.contents.set(id, contentOf(id));
  return startEngine({}, { journal });
}

function drained(linkId: number, deliveredCount: number): Effect {
  return { kind: 'drained', linkId, deliveredCount };
}

function accepted(linkId: number): Effect {
  return { kind: 'session-accepted', linkId, sessionId: 'a', lockedUntil: 5 };
}

function detach(linkId: number): Effect {
  return { kind: 'detach', linkId, error: new ServiceBusError('entity-disabled', 'disabled') };
}

test('a delivery is made when its turn is durable, after the result', async () => {
  const { journal, told, submit, openLink } = await startEngine();
  const link = openLink();
  submit(1, { events: stored(7), effects: [deliver(link.id, 7)] });
  await settled();
  expect(told).toEqual([]);
  await journal.makeDurable();
  expect(told).toEqual(['result 1 done', 'link 1 deliver 7']);
  expect(link.contents).toEqual([contentOf(7)]);
});

test('a session is granted when what came before is durable, and before what is delivered in it', async () => {
  const { journal, told, submit, openLink } = await startEngine();
  const link = openLink();
  submit(1, { events: stored(7), effects: [accepted(link.id), deliver(link.id, 7)] });
  await settled();
  expect(told).toEqual([]);
  await journal.makeDurable();
  expect(told).toEqual(['result 1 done', 'link 1 accepted a until 5', 'link 1 deliver 7']);
});

test('a session is not granted to a link that has gone meanwhile: its detach gives it back', async () => {
  const { broker, engine, journal, told, submit, openLink } = await startEngine();
  const link = openLink();
  submit(1, { events: stored(7), effects: [accepted(link.id)] });
  engine.closeLink(link.id);
  await settled();
  await journal.makeDurable();
  expect(told).toEqual(['result 1 done']);
  expect(broker.executed.at(-1)?.command).toEqual({ kind: 'detach', linkId: link.id });
});

test('a content in memory is delivered without reading the journal', async () => {
  const { journal, told, submit, openLink } = await startEngine();
  const link = openLink();
  journal.isWritingByItself = true;
  submit(1, { events: stored(7) });
  await settled();
  submit(2, { effects: [deliver(link.id, 7)] });
  await settled();
  expect(told.at(-1)).toBe('link 1 deliver 7');
  expect(journal.reads).toEqual([]);
});

test('effects reach each link in the order of the turns', async () => {
  const { journal, told, submit, openLink } = await startEngine();
  const [first, second] = [openLink(), openLink()];
  journal.isWritingByItself = true;
  submit(1, { events: stored(1), effects: [deliver(first.id, 1), drained(second.id, 3)] });
  submit(2, { effects: [drained(first.id, 1), detach(first.id)] });
  await settled();
  expect(told).toEqual([
    'result 1 done',
    'link 1 deliver 1',
    'link 2 drained 3',
    'result 2 done',
    'link 1 drained 1',
    'link 1 detached: disabled',
  ]);
});

test('a content that is still being read holds everything behind it on its link, and nothing on others', async () => {
  const { journal, told, submit, openLink } = await startWithRows(1);
  const [slow, quick] = [openLink(), openLink()];
  journal.isWritingByItself = true;
  submit(1, { events: stored(2), effects: [deliver(slow.id, 1), deliver(slow.id, 2)] });
  submit(2, { effects: [drained(slow.id, 2), detach(slow.id), deliver(quick.id, 2)] });
  await settled();
  expect(told).toEqual(['result 1 done', 'result 2 done', 'link 2 deliver 2']);
  await journal.finishReading(1);
  expect(told.slice(3)).toEqual([
    'link 1 deliver 1',
    'link 1 deliver 2',
    'link 1 drained 2',
    'link 1 detached: disabled',
  ]);
});

test('contents that are read in another order are delivered in the order of the turns', async () => {
  const { journal, told, submit, openLink } = await startWithRows(3);
  const link = openLink();
  submit(1, { effects: [1, 2, 3].map((id) => deliver(link.id, id)) });
  await settled();
  await journal.finishReading(3);
  await journal.finishReading(2);
  expect(told).toEqual(['result 1 done']);
  await journal.finishReading(1);
  expect(told.slice(1)).toEqual(['link 1 deliver 1', 'link 1 deliver 2', 'link 1 deliver 3']);
  expect(link.contents).toEqual([contentOf(1), contentOf(2), contentOf(3)]);
});

test('some contents of a link are read ahead, not all of them', async () => {
  const { journal, submit, openLink } = await startWithRows(50);
  const link = openLink();
  submit(1, { effects: Array.from({ length: 50 }, (_, index) => deliver(link.id, index + 1)) });
  await settled();
  const ahead = journal.readsUnderWay.length;
  expect(ahead).toBeGreaterThan(1);
  expect(ahead).toBeLessThan(50);
  await journal.finishReading(1);
  expect(journal.readsUnderWay).toEqual(Array.from({ length: ahead }, (_, index) => index + 2));
});

test('a link without room rests, reads nothing, and goes on when it is resumed', async () => {
  const { engine, journal, told, submit, openLink } = await startWithRows(1);
  const link = openLink();
  link.isRoomy = false;
  journal.isWritingByItself = true;
  journal.isReadingByItself = true;
  submit(1, { events: stored(2), effects: [deliver(link.id, 2), deliver(link.id, 1), drained(link.id, 2)] });
  await settled();
  expect(told).toEqual(['result 1 done']);
  expect(journal.reads).toEqual([]);
  link.isRoomy = true;
  engine.resumeLink(link.id);
  await settled();
  expect(told.slice(1)).toEqual(['link 1 deliver 2', 'link 1 deliver 1', 'link 1 drained 2']);
});

test('a drain answer needs no room', async () => {
  const { told, submit, openLink } = await startEngine();
  const link = openLink();
  link.isRoomy = false;
  submit(1, { effects: [drained(link.id, 0)] });
  await settled();
  expect(told).toEqual(['result 1 done', 'link 1 drained 0']);
});

test('a delivery whose lock ended before it could be written is dropped [RCV-05]', async () => {
  const { broker, journal, told, submit, openLink } = await startEngine();
  const link = openLink();
  submit(1, { events: stored(7), effects: [deliver(link.id, 7)] });
  await settled();
  broker.lostTokens.add('token-7');
  await journal.makeDurable();
  expect(told).toEqual(['result 1 done', 'link 1 dropped']);
});

test('a delivery whose lock ended while its content was read is dropped, and those behind it are made', async () => {
  const { broker, journal, told, submit, openLink } = await startWithRows(2);
  const link = openLink();
  submit(1, { effects: [deliver(link.id, 1), deliver(link.id, 2)] });
  await settled();
  broker.lostTokens.add('token-1');
  await journal.finishReading(1);
  await journal.finishReading(2);
  expect(told.slice(1)).toEqual(['link 1 dropped', 'link 1 deliver 2']);
});

test('a delivery whose lock ended while its link had no room is dropped, and holds up nothing behind it', async () => {
  const { broker, journal, told, submit, openLink } = await startWithRows(1);
  const link = openLink();
  link.isRoomy = false;
  journal.isWritingByItself = true;
  submit(1, { events: stored(2), effects: [deliver(link.id, 2), deliver(link.id, 1)] });
  await settled();
  for (const id of [1, 2]) broker.lostTokens.add(`token-${id}`);
  submit(2, { effects: [detach(link.id)] });
  await settled();
  expect(told.filter((line) => line.startsWith('link'))).toEqual([
    'link 1 dropped',
    'link 1 dropped',
    'link 1 detached: disabled',
  ]);
  expect(journal.reads).toEqual([]);
});

test('receive-and-delete has no lock that could end', async () => {
  const { journal, told, submit, openLink } = await startEngine();
  const link = openLink();
  journal.isWritingByItself = true;
  submit(1, { events: [...stored(7), ...removed(7)], effects: [deliver(link.id, 7, 'deleted')] });
  await settled();
  expect(told.at(-1)).toBe('link 1 deliver 7');
});

test('closing a link detaches it', async () => {
  const { engine, broker, openLink } = await startEngine();
  const link = openLink();
  engine.closeLink(link.id);
  engine.closeLink(link.id);
  const commands = broker.executed.map(({ command }) => command);
  expect(commands.slice(1)).toEqual([{ kind: 'detach', linkId: link.id }]);
});

test('what waits to be written when its link is closed goes back as released, after the detach [DLV-03]', async () => {
  const { engine, broker, journal, told, submit, openLink } = await startWithRows(2);
  const link = openLink();
  submit(1, { effects: [deliver(link.id, 1), deliver(link.id, 2, 'deleted'), drained(link.id, 2)] });
  await settled();
  engine.closeLink(link.id);
  expect(broker.executed.slice(2).map(({ command }) => command)).toEqual([
    { kind: 'detach', linkId: link.id },
    { kind: 'settle', entityPath: 'orders', lockToken: 'token-1', outcome: { kind: 'release' } },
  ]);
  await journal.finishReading(1);
  expect(told).toEqual(['result 1 done']);
});

test('a delivery that becomes durable after its link was closed goes back as released [DLV-03]', async () => {
  const { engine, broker, journal, told, submit, openLink } = await startEngine();
  const link = openLink();
  submit(1, { events: stored(7), effects: [deliver(link.id, 7), drained(link.id, 1)] });
  await settled();
  engine.closeLink(link.id);
  await journal.makeDurable();
  expect(told).toEqual(['result 1 done']);
  expect(broker.executed.at(-1)?.command).toMatchObject({ kind: 'settle', lockToken: 'token-7' });
});

test('a sink may close its link while it is being told', async () => {
  const { engine, broker, told, submit, openLink } = await startWithRows(0);
  const link = openLink();
  link.detached = () => engine.closeLink(link.id);
  submit(1, { effects: [detach(link.id), drained(link.id, 0)] });
  await settled();
  expect(broker.executed.at(-1)?.command.kind).toBe('detach');
  expect(told).toEqual(['result 1 done']);
});

test('a sink that resumes its link while it is given a delivery gets the next one after it', async () => {
  const { engine, journal, submit, openLink } = await startEngine();
  const link = openLink();
  link.isRoomy = false;
  const order: string[] = [];
  link.deliver = ({ properties }) => {
    order.push(`begin ${properties.sequenceNumber}`);
    engine.resumeLink(link.id);
    order.push(`end ${properties.sequenceNumber}`);
  };
  journal.isWritingByItself = true;
  submit(1, { events: [...stored(1), ...stored(2)], effects: [deliver(link.id, 1), deliver(link.id, 2)] });
  await settled();
  link.isRoomy = true;
  engine.resumeLink(link.id);
  expect(order).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2']);
});

test('link ids are never used twice', async () => {
  const { engine, openLink } = await startEngine();
  const ids = [openLink(), openLink()].map(({ id }) => id);
  for (const id of ids) engine.closeLink(id);
  await settled();
  expect(ids).not.toContain(openLink().id);
});

test('contents that the journal reads with the first one are not read again', async () => {
  const { journal, told, submit, openLink } = await startWithRows(3);
  for (const contentId of [2, 3]) journal.near.add(contentId);
  const link = openLink();
  submit(1, { effects: [1, 2, 3].map((id) => deliver(link.id, id)) });
  await settled();
  expect(journal.reads).toEqual([1]);
  journal.loaded.add(2);
  await journal.finishReading(1);
  expect(told.slice(1)).toEqual(['link 1 deliver 1', 'link 1 deliver 2']);
  // The window of the third was closed before it could be delivered.
  expect(journal.reads).toEqual([1, 3]);
  await journal.finishReading(3);
  expect(link.contents).toEqual([contentOf(1), contentOf(2), contentOf(3)]);
});

test('a delivery to a link that waits for its end is not written', async () => {
  const { engine, journal, told, submit, openLink } = await startEngine();
  const links = Array.from({ length: 501 }, () => openLink());
  for (const { id } of links) engine.closeLink(id);
  submit(1, { events: stored(7), effects: [deliver(links.at(-1)?.id ?? 0, 7)] });
  await null; // the batch begins, and the last link has not had its turn
  await journal.makeDurable();
  expect(told).toContain('result 1 done');
  expect(told.filter((line) => line.includes('deliver'))).toEqual([]);
});

test('a content that the journal has read with another is delivered without a wait', async () => {
  const { journal, told, submit, openLink } = await startWithRows(2);
  journal.loaded.add(2);
  const link = openLink();
  submit(1, { effects: [deliver(link.id, 2)] });
  await settled();
  expect(told).toEqual(['result 1 done', 'link 1 deliver 2']);
  expect(link.contents).toEqual([contentOf(2)]);
  expect(journal.reads).toEqual([]);
});

/** A link that has written `atOnce` of the deliveries that waited for it, and goes on when others have had their turn. */
async function startWithRest() {
  const numbers = Array.from({ length: 600 }, (_, index) => index + 1);
  const started = await startWithRows(numbers.length);
  for (const number of numbers) started.journal.loaded.add(number);
  const link = started.openLink();
  link.isRoomy = false;
  started.submit(1, { effects: numbers.map((number) => deliver(link.id, number)) });
  await settled();
  link.isRoomy = true;
  started.engine.resumeLink(link.id);
  return { ...started, link, numbers, atOnce: link.contents.length };
}

test('many deliveries that have waited are made a few hundred at a time, in order', async () => {
  const { engine, told, submit, link, numbers, atOnce } = await startWithRest();
  expect(atOnce).toBeGreaterThan(0);
  expect(atOnce).toBeLessThan(numbers.length / 2);
  submit(2, { effects: [deliver(link.id, 1)] }); // which does not hurry those before it
  engine.resumeLink(link.id);
  expect(link.contents).toHaveLength(atOnce);
  while (engine.waitingDeliveryCount > 0) await settled();
  const expected = [...numbers, 1].map((number) => `link ${link.id} deliver ${number}`);
  expect(told.filter((line) => line.startsWith('link'))).toEqual(expected);
});

test('a fault of the engine when a link goes on by itself ends the engine, not the process', async () => {
  const { engine, broker, link, atOnce } = await startWithRest();
  const cause = new Error('a broken invariant');
  broker.holdsLock = () => {
    throw cause;
  };
  await expect(engine.failed).rejects.toBe(cause);
  expect(link.contents).toHaveLength(atOnce);
});

test('deliveries of a link that is closed while others have their turn go back', async () => {
  const { engine, broker, link, numbers, atOnce } = await startWithRest();
  engine.closeLink(link.id);
  await settled();
  const released = broker.executed.filter(({ command }) => command.kind === 'settle');
  expect(released).toHaveLength(numbers.length - atOnce);
  expect(link.contents).toHaveLength(atOnce);
});
