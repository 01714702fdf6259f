// The engine's time: it never falls, also across a restart, and one alarm calls when something is due.

import { expect, test } from 'vitest';
import { Broker } from '../../src/broker/broker.js';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import { LIMITS_OF_TIER } from '../../src/broker/contract/limits.js';
import { Engine } from '../../src/engine/engine.js';
import { newMessage } from '../support/broker-builders.js';
import { contentOf, stored } from '../support/engine-broker.js';
import { JournalByHand } from '../support/engine-journal.js';
import { RecordingLink, START, settled, startEngine } from '../support/engine-under-test.js';
import { JsonReader } from '../support/json-reader.js';
import { MovedClock, VirtualClock } from '../support/virtual-clock.js';

class RecordingClock extends VirtualClock {
  readonly alarms: number[] = [];
  override setAlarm(at: number, ring: () => void): void {
    this.alarms.push(at);
    super.setAlarm(at, ring);
  }
}

test('a command is executed at the time of the clock', async () => {
  const { broker, clock, submit } = await startEngine();
  submit(1);
  clock.advance(250);
  submit(2);
  expect(broker.executed.map(({ now }) => now)).toEqual([START, START + 250]);
});

test('when the clock is put back, time does not fall and goes on at the pace of the clock', async () => {
  const clock = new MovedClock(START);
  const { broker, submit } = await startEngine({}, { clock });
  submit(1);
  clock.move(-3_600_000);
  submit(2);
  clock.advance(250);
  submit(3);
  clock.move(-60_000);
  submit(4);
  clock.advance(1);
  submit(5);
  expect(broker.executed.map(({ now }) => now - START)).toEqual([0, 0, 250, 250, 251]);
});

test('a clock that is a little behind at a start is waited for', async () => {
  const journal = new JournalByHand();
  journal.lastTime = START + 5000;
  const { broker, clock, submit } = await startEngine({}, { journal });
  for (const durationMs of [100, 4900, 1]) {
    clock.advance(durationMs);
    submit(1);
  }
  expect(broker.executed.map(({ now }) => now - START)).toEqual([5000, 5000, 5001]);
});

test('a deadline set after the clock was put back comes when its span is over', async () => {
  const clock = new MovedClock(START);
  const { broker, submit } = await startEngine({}, { clock });
  submit(1);
  clock.move(-3_600_000);
  submit(2, { deadline: START + 60_000 });
  clock.advance(59_999);
  expect(broker.executed).toHaveLength(2);
  broker.next({ deadline: NEVER });
  clock.advance(1);
  expect(broker.executed.at(-1)).toEqual({ command: { kind: 'tick' }, now: START + 60_000 });
});

test('a deadline set before is not put off either, once a command has shown that the clock was put back', async () => {
  const clock = new MovedClock(START);
  const { broker, submit } = await startEngine({}, { clock });
  submit(1, { deadline: START + 60_000 });
  clock.move(-3_600_000);
  submit(2);
  broker.next({ deadline: NEVER });
  clock.advance(60_000);
  expect(broker.executed.at(-1)).toEqual({ command: { kind: 'tick' }, now: START + 60_000 });
});

test('after a restart with the clock put back, a lock lasts as long as the queue says', async () => {
  const journal = new JournalByHand();
  journal.lastTime = START + 3_600_000;
  const clock = new VirtualClock(START);
  let guidCount = 0;
  const broker = new Broker({
    limits: LIMITS_OF_TIER.standard,
    messageReader: new JsonReader(),
    nextGuid: () => `${++guidCount}`.padStart(32, '0'),
  });
  journal.isWritingByItself = true;
  const engine = new Engine(broker, journal, clock);
  await engine.start();
  const description = describeQueue('orders', { lockDurationMs: 5000 });
  await engine.ask({ kind: 'put-entity', type: 'queue', description });
  const message = newMessage(contentOf(1));
  await engine.ask({ kind: 'send', entityPath: 'orders', messages: [message] });
  const told: string[] = [];
  const link = new RecordingLink(told);
  link.id = engine.openLink(link);
  const receiver = { linkId: link.id, entityPath: 'orders', receiveMode: 'peek-lock' } as const;
  await engine.ask({ kind: 'attach-receiver', ...receiver });
  await engine.ask({ kind: 'set-credit', linkId: link.id, deliveryLimit: 2, drain: false });
  clock.advance(4999);
  await settled();
  expect(told).toHaveLength(1);
  clock.advance(1);
  await settled();
  expect(told).toHaveLength(2);
});

test('a stopped engine leaves the last time it told anybody, though nothing changed then', async () => {
  const { engine, journal, clock, submit } = await startEngine();
  journal.isWritingByItself = true;
  submit(1, { events: stored(1) });
  await settled();
  clock.advance(777);
  submit(2);
  await engine.stop();
  expect(journal.batches.at(-1)).toEqual([{ kind: 'time-put', now: START + 777 }]);
});

test('when a deadline comes the broker gets a tick', async () => {
  const { broker, clock, submit } = await startEngine();
  submit(1, { deadline: START + 60_000 });
  clock.advance(59_999);
  expect(broker.executed).toHaveLength(1);
  broker.next({ deadline: START + 70_000 });
  broker.next({ deadline: NEVER });
  clock.advance(10_001);
  expect(broker.executed.slice(1)).toEqual([
    { command: { kind: 'tick' }, now: START + 60_000 },
    { command: { kind: 'tick' }, now: START + 70_000 },
  ]);
});

test('there is one alarm, for the deadline of the last turn', async () => {
  const { clock, submit } = await startEngine();
  for (const deadline of [START + 60_000, START + 30_000, START + 90_000]) {
    submit(1, { deadline });
    expect(clock.alarmAt).toBe(deadline);
  }
});

test('no alarm is set for a deadline that never comes', async () => {
  const clock = new RecordingClock(START);
  const { submit } = await startEngine({}, { clock });
  submit(1);
  expect(clock.alarmAt).toBe(NEVER);
  submit(2, { deadline: START + 60_000 });
  submit(3, { deadline: NEVER });
  expect(clock.alarmAt).toBe(NEVER);
  expect(clock.alarms).toEqual([START + 60_000]);
});

test('what a tick does is told like everything else: when it is durable', async () => {
  const { broker, clock, journal, told, submit, openLink } = await startEngine();
  const link = openLink();
  submit(1, { deadline: START + 1 });
  await settled();
  broker.next({
    deadline: NEVER,
    events: stored(1),
    effects: [{ kind: 'drained', linkId: link.id, deliveredCount: 4 }],
  });
  clock.advance(1);
  await settled();
  expect(told).toEqual(['result 1 done']);
  await journal.makeDurable();
  expect(told.slice(1)).toEqual(['link 1 drained 4']);
});

test('a deadline that recovery brings is minded before the first command', async () => {
  const { broker, journal, clock } = await startEngine();
  broker.deadline = START + 5;
  await new Engine(broker, journal, clock).start();
  expect(clock.alarmAt).toBe(START + 5);
});

test('a broker that leaves something due fails the engine rather than being asked for ever', async () => {
  const { engine, clock, submit } = await startEngine();
  submit(1, { deadline: START + 10 });
  clock.advance(10);
  await expect(engine.failed).rejects.toThrow('due');
});
