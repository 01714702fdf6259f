// A failed write or a broken invariant: nothing more is told, everybody can see why, and the process lives on.

import { expect, onTestFinished, test } from 'vitest';
import { NEVER } from '../../src/broker/contract/instant.js';
import { ServiceBusError } from '../../src/broker/contract/service-bus-error.js';
import { contentOf, deliver, stored } from '../support/engine-broker.js';
import { JournalByHand } from '../support/engine-journal.js';
import { RecordingLink, settled, startEngine } from '../support/engine-under-test.js';

test('a failed write fails the engine with its cause', async () => {
  const { engine, journal, submit } = await startEngine();
  submit(1, { events: stored(1) });
  await settled();
  const cause = new Error('disk full');
  await journal.failToWrite(cause);
  await expect(engine.failed).rejects.toBe(cause);
});

test('a journal that fails between two batches fails the engine at once', async () => {
  const { engine, journal } = await startEngine();
  const cause = new Error('the directory is gone');
  journal.failByItself(cause);
  await expect(engine.failed).rejects.toBe(cause);
});

test('nothing is told any more, neither of the failed batch nor of what gathered behind it', async () => {
  const { journal, told, submit, openLink } = await startEngine();
  const link = openLink();
  submit(1, { events: stored(1), effects: [deliver(link.id, 1)] });
  await settled();
  submit(2, { events: stored(2) });
  submit(3);
  await journal.failToWrite(new Error('disk full'));
  expect(told).toEqual([]);
  expect(journal.underWay).toBe(0);
});

test('commands that come later are answered as failed, outside of submit', async () => {
  const { broker, journal, told, submit } = await startEngine();
  submit(1, { events: stored(1) });
  await settled();
  await journal.failToWrite(new Error('disk full'));
  const executedCount = broker.executed.length;
  submit(2);
  expect(told).toEqual([]);
  await settled();
  expect(told).toEqual(['result 2 failed: internal']);
  expect(broker.executed).toHaveLength(executedCount);
});

test('a promise of a result is not left open', async () => {
  const { engine, broker, journal } = await startEngine();
  broker.next({ events: stored(1) });
  const asked = engine.ask({ kind: 'tick' });
  await settled();
  await journal.failToWrite(new Error('disk full'));
  expect(await asked).toMatchObject({ kind: 'failed', error: { reason: 'internal' } });
});

test('an exception out of the broker fails the engine, and the command as well', async () => {
  const { engine, told, submit } = await startEngine();
  const cause = new Error('an invariant is broken');
  submit(1, { throws: cause });
  await settled();
  expect(told).toEqual(['result 1 failed: internal']);
  await expect(engine.failed).rejects.toBe(cause);
});

test('what was being written when the broker broke is not told', async () => {
  const { journal, told, submit } = await startEngine();
  submit(1, { events: stored(1) });
  await settled();
  submit(2, { throws: new Error('an invariant is broken') });
  await journal.makeDurable();
  expect(told).toEqual(['result 2 failed: internal']);
});

test('a journal that fails while it reads a content fails the engine', async () => {
  const journal = new JournalByHand();
  journal.contents.set(1, contentOf(1));
  const { engine, submit, openLink } = await startEngine({}, { journal });
  const link = openLink();
  submit(1, { effects: [deliver(link.id, 1)] });
  await settled();
  const cause = new Error('the disk is gone');
  await journal.failToRead(1, cause);
  await expect(engine.failed).rejects.toBe(cause);
});

test('a journal that fails while a turn reads fails the engine, and the command as well', async () => {
  const { engine, broker, journal, told, submit } = await startEngine();
  const cause = new Error('the disk is gone');
  journal.readNowFailure = cause;
  submit(1, { reads: [1], events: stored(2) });
  await settled();
  expect(told).toEqual(['result 1 failed: internal']);
  expect(journal.batches).toEqual([]);
  await expect(engine.failed).rejects.toBe(cause);
  const executedCount = broker.executed.length;
  submit(2);
  await settled();
  expect(broker.executed).toHaveLength(executedCount);
});

test('contents that come when the engine has failed are not delivered', async () => {
  const journal = new JournalByHand();
  journal.contents.set(1, contentOf(1));
  const { told, submit, openLink } = await startEngine({}, { journal });
  const link = openLink();
  submit(1, { effects: [deliver(link.id, 1)] });
  await settled();
  submit(2, { throws: new Error('an invariant is broken') });
  await journal.finishReading(1);
  expect(told).toEqual(['result 1 done', 'result 2 failed: internal']);
});

test('a front end that throws when it is told fails the engine and not the process', async () => {
  const { engine, broker, told, submit } = await startEngine();
  const cause = new Error('a mistake of the front end');
  broker.next({});
  const requester = {
    completed() {
      throw cause;
    },
  };
  engine.submit({ kind: 'tick' }, requester, 1);
  submit(2);
  await expect(engine.failed).rejects.toBe(cause);
  expect(told).toEqual([]);
});

test('a front end that takes its own faults keeps them to itself: all others are told', async () => {
  const { engine, broker, told, submit, openLink } = await startEngine();
  const cause = new Error('a mistake of the front end');
  const faults: unknown[] = [];
  const link = openLink();
  broker.next({ effects: [{ kind: 'drained', linkId: link.id, deliveredCount: 2 }] });
  const requester = {
    completed() {
      throw cause;
    },
    faulted: (fault: unknown) => faults.push(fault),
  };
  engine.submit({ kind: 'tick' }, requester, 1);
  submit(2);
  await settled();
  expect(faults).toEqual([cause]);
  expect(told).toEqual(['link 1 drained 2', 'result 2 done']);
});

class FaultyLink extends RecordingLink {
  readonly faults: unknown[] = [];
  override deliver(): void {
    throw new Error('deliver');
  }
  override dropped(): void {
    throw new Error('dropped');
  }
  override drained(): void {
    throw new Error('drained');
  }
  override detached(): void {
    throw new Error('detached');
  }
  faulted(cause: unknown): void {
    this.faults.push(cause instanceof Error ? cause.message : cause);
  }
}

test('whatever a link throws when it is told goes to that link, and the others are told', async () => {
  const { engine, broker, journal, told, submit, openLink } = await startEngine();
  const faulty = new FaultyLink([]);
  const linkId = engine.openLink(faulty);
  const good = openLink();
  broker.lostTokens.add('token-2');
  const error = new ServiceBusError('internal', 'gone');
  submit(1, {
    events: [...stored(1), ...stored(2)],
    effects: [
      deliver(linkId, 1),
      deliver(linkId, 2),
      { kind: 'drained', linkId, deliveredCount: 0 },
      { kind: 'detach', linkId, error },
      deliver(good.id, 1),
    ],
  });
  await settled();
  await journal.makeDurable();
  expect(faulty.faults).toEqual(['deliver', 'dropped', 'drained', 'detached']);
  expect(told).toEqual(['result 1 done', `link ${good.id} deliver 1`]);
});

test('a link that takes its own faults also does so with what had to be read first', async () => {
  const journal = new JournalByHand();
  journal.contents.set(1, contentOf(1));
  const { engine, told, submit } = await startEngine({}, { journal });
  const faulty = new FaultyLink([]);
  const linkId = engine.openLink(faulty);
  submit(1, { effects: [deliver(linkId, 1, 'deleted')] });
  await settled();
  await journal.finishReading(1);
  submit(2);
  await settled();
  expect(faulty.faults).toEqual(['deliver']);
  expect(told).toEqual(['result 1 done', 'result 2 done']);
});

test('a link that throws and has no way to take it fails the engine', async () => {
  const { engine, submit, openLink } = await startEngine();
  const link = openLink();
  link.drained = () => {
    throw new Error('drained');
  };
  submit(1, { effects: [{ kind: 'drained', linkId: link.id, deliveredCount: 0 }] });
  await expect(engine.failed).rejects.toThrow('drained');
});

test('a front end that throws again when it is told of its fault fails the engine with the first', async () => {
  const { engine } = await startEngine();
  const requester = {
    completed() {
      throw new Error('first');
    },
    faulted() {
      throw new Error('second');
    },
  };
  engine.submit({ kind: 'tick' }, requester, 1);
  await expect(engine.failed).rejects.toThrow('first');
});

test('no alarm is left behind', async () => {
  const { clock, submit } = await startEngine();
  submit(1, { deadline: clock.now() + 10 });
  submit(2, { throws: new Error('an invariant is broken') });
  expect(clock.alarmAt).toBe(NEVER);
});

test('a failure without a listener is not an unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const listener = (cause: unknown) => unhandled.push(cause);
  process.on('unhandledRejection', listener);
  onTestFinished(() => {
    process.off('unhandledRejection', listener);
  });
  const { journal, submit } = await startEngine();
  submit(1, { events: stored(1) });
  await settled();
  await journal.failToWrite(new Error('disk full'));
  await settled();
  expect(unhandled).toEqual([]);
});

test('only the first failure counts', async () => {
  const { engine, journal, submit } = await startEngine();
  submit(1, { events: stored(1) });
  await settled();
  submit(2, { throws: new Error('first') });
  await journal.failToWrite(new Error('second'));
  await expect(engine.failed).rejects.toThrow('first');
});
