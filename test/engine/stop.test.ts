// The end of an engine: what is under way is finished and told, then the journal is closed.

import { expect, test } from 'vitest';
import { NEVER } from '../../src/broker/contract/instant.js';
import { contentOf, deliver, removed, stored } from '../support/engine-broker.js';
import { JournalByHand } from '../support/engine-journal.js';
import { settled, startEngine } from '../support/engine-under-test.js';

test('what was submitted before is written and told before the journal is closed', async () => {
  const { engine, journal, told, submit } = await startEngine();
  submit(1, { events: stored(1) });
  await settled();
  submit(2, { events: stored(2) });
  const stopped = engine.stop();
  await settled();
  expect(journal.isClosed).toBe(false);
  await journal.makeDurable();
  await journal.makeDurable();
  expect(told).toEqual(['result 1 done', 'result 2 done']);
  await journal.makeDurable();
  await stopped;
  expect(journal.isClosed).toBe(true);
});

test('a content that is being read is waited for', async () => {
  const journal = new JournalByHand();
  journal.contents.set(1, contentOf(1));
  journal.isWritingByItself = true;
  const { engine, submit, openLink } = await startEngine({}, { journal });
  const link = openLink();
  submit(1, { events: removed(1), effects: [deliver(link.id, 1, 'deleted')] });
  await settled();
  const stopped = engine.stop();
  await settled();
  expect(journal.isClosed).toBe(false);
  await journal.finishReading(1);
  await stopped;
  expect([...journal.contents.keys()]).toEqual([]);
});

test('commands that come later are answered as failed', async () => {
  const { engine, broker, journal, told, submit } = await startEngine();
  journal.isWritingByItself = true;
  const stopped = engine.stop();
  submit(1);
  await stopped;
  submit(2);
  await settled();
  expect(told).toEqual(['result 1 failed: internal', 'result 2 failed: internal']);
  expect(broker.executed).toEqual([]);
});

test('links may be closed while or after the engine is stopped', async () => {
  const { engine, journal, openLink } = await startEngine();
  journal.isWritingByItself = true;
  const [first, second] = [openLink(), openLink()];
  const stopped = engine.stop();
  engine.closeLink(first.id);
  await stopped;
  engine.closeLink(second.id);
  await settled();
  expect(journal.isClosed).toBe(true);
});

test('no alarm is left behind', async () => {
  const { engine, journal, clock, submit } = await startEngine();
  journal.isWritingByItself = true;
  submit(1, { deadline: clock.now() + 10 });
  await engine.stop();
  expect(clock.alarmAt).toBe(NEVER);
});

test('stopping twice is stopping once', async () => {
  const { engine, journal } = await startEngine();
  journal.isWritingByItself = true;
  await Promise.all([engine.stop(), engine.stop()]);
  await engine.stop();
  expect(journal.batches).toHaveLength(1);
});

test('an engine that has failed still closes its journal, and writes nothing more', async () => {
  const { engine, journal, submit } = await startEngine();
  submit(1, { events: stored(1) });
  await settled();
  submit(2, { throws: new Error('an invariant is broken') });
  const stopped = engine.stop();
  await settled();
  expect(journal.isClosed).toBe(false);
  await journal.makeDurable();
  await stopped;
  expect(journal.isClosed).toBe(true);
  expect(journal.batches).toHaveLength(1);
});

test('a write that fails during the stop is told by failed', async () => {
  const { engine, journal, submit } = await startEngine();
  submit(1, { events: stored(1) });
  const stopped = engine.stop();
  await settled();
  await journal.failToWrite(new Error('disk full'));
  await stopped;
  await expect(engine.failed).rejects.toThrow('disk full');
  expect(journal.isClosed).toBe(true);
});
