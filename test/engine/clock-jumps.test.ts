// A machine's clock that jumps while the emulator runs: locks and schedules keep their durations, and clients read times that fit the
// clock they look at.

import { expect, test } from 'vitest';
import { Broker } from '../../src/broker/broker.js';
import type { Delivery } from '../../src/broker/contract/effect.js';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { LIMITS_OF_TIER } from '../../src/broker/contract/limits.js';
import type { LinkSink } from '../../src/engine/delivery-queue.js';
import { Engine } from '../../src/engine/engine.js';
import { newMessage } from '../support/broker-builders.js';
import { contentOf } from '../support/engine-broker.js';
import { JournalByHand } from '../support/engine-journal.js';
import { START, settled } from '../support/engine-under-test.js';
import { JsonReader } from '../support/json-reader.js';
import { MovedClock } from '../support/virtual-clock.js';

const SECOND = 1000;
const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
const LOCK_MS = 30 * SECOND;

/** An emulator's engine with one queue, and a receiver that takes everything and settles nothing. */
class Bench {
  readonly clock = new MovedClock(START);
  readonly deliveries: Delivery[] = [];
  readonly #engine: Engine;

  constructor() {
    let guidCount = 0;
    const broker = new Broker({
      limits: LIMITS_OF_TIER.standard,
      messageReader: new JsonReader(),
      nextGuid: () => `${++guidCount}`.padStart(32, '0'),
    });
    const journal = new JournalByHand();
    journal.isWritingByItself = true;
    this.#engine = new Engine(broker, journal, this.clock);
  }

  async start(): Promise<void> {
    await this.#engine.start();
    const description = describeQueue('orders', { lockDurationMs: LOCK_MS });
    await this.#engine.ask({ kind: 'put-entity', type: 'queue', description });
    const sink: Partial<LinkSink> = {
      isReady: () => true,
      deliver: (delivery) => this.deliveries.push(delivery),
    };
    const linkId = this.#engine.openLink(sink as LinkSink);
    const receiver = { linkId, entityPath: 'orders', receiveMode: 'peek-lock' } as const;
    await this.#engine.ask({ kind: 'attach-receiver', ...receiver });
    await this.#engine.ask({ kind: 'set-credit', linkId, deliveryLimit: 100, drain: false });
  }

  /** Sends a message, scheduled for a time of the client's clock. */
  async send(scheduledEnqueueTime?: number): Promise<void> {
    const message = { ...newMessage(contentOf(1)), scheduledEnqueueTime };
    await this.#engine.ask({ kind: 'send', entityPath: 'orders', messages: [message] });
    await settled();
  }

  async pass(durationMs: number): Promise<void> {
    this.clock.advance(durationMs);
    await settled();
  }

  /** A client does something that changes nothing; the emulator sees the clock. */
  async look(): Promise<void> {
    await this.#engine.ask({ kind: 'tick' });
    await settled();
  }

  /** The times of turns from now on in which something happens, and the ends of locks that are told of then. */
  listen(): { readonly turns: number[]; readonly lockEnds: number[] } {
    const heard = { turns: [] as number[], lockEnds: [] as number[] };
    this.#engine.listen(({ all }, now) => {
      heard.turns.push(now);
      for (const activity of all) if (activity.kind === 'locked') heard.lockEnds.push(activity.lockedUntil);
    });
    return heard;
  }

  get last(): Delivery | undefined {
    return this.deliveries.at(-1);
  }
}

async function startBench(): Promise<Bench> {
  const bench = new Bench();
  await bench.start();
  return bench;
}

/** Moves the clock, and back after a minute. */
async function jumpForthAndBack(bench: Bench): Promise<void> {
  bench.clock.move(YEAR);
  await bench.look();
  await bench.pass(60 * SECOND);
  bench.clock.move(-YEAR);
  await bench.look();
}

test('a lock keeps its duration while the clock jumps forth and back', async () => {
  const bench = await startBench();
  await bench.send();
  bench.clock.move(YEAR);
  await bench.look();
  await bench.pass(10 * SECOND);
  bench.clock.move(-YEAR);
  await bench.look();
  await bench.pass(20 * SECOND - 1);
  expect(bench.deliveries).toHaveLength(1);
  await bench.pass(1);
  expect(bench.deliveries).toHaveLength(2);
});

test('after a jump forth and back times are those of the clock', async () => {
  const bench = await startBench();
  await jumpForthAndBack(bench);
  await bench.send();
  expect(bench.last?.properties.enqueuedTime).toBe(bench.clock.now());
  expect(bench.last?.lockedUntil).toBe(bench.clock.now() + LOCK_MS);
});

test('a scheduled message is not early because the clock was ahead for a minute', async () => {
  const bench = await startBench();
  await bench.send(START + HOUR);
  await jumpForthAndBack(bench);
  await bench.pass(HOUR - 60 * SECOND - 1);
  expect(bench.deliveries).toHaveLength(0);
  await bench.pass(1);
  expect(bench.deliveries).toHaveLength(1);
});

for (const [what, moveMs] of [
  ['ahead', YEAR],
  ['put back', -HOUR],
] as const) {
  test(`while the clock is ${what}, clients read its times, and locks last as long as they say`, async () => {
    const bench = await startBench();
    bench.clock.move(moveMs);
    await bench.send();
    expect(bench.last?.properties.enqueuedTime).toBe(START + moveMs);
    expect(bench.last?.lockedUntil).toBe(START + moveMs + LOCK_MS);
    await bench.pass(LOCK_MS - 1);
    expect(bench.deliveries).toHaveLength(1);
    await bench.pass(1);
    expect(bench.deliveries).toHaveLength(2);
  });

  test(`while the clock is ${what}, a message is scheduled by its time`, async () => {
    const bench = await startBench();
    bench.clock.move(moveMs);
    await bench.send(bench.clock.now() + 60 * SECOND);
    await bench.pass(60 * SECOND - 1);
    expect(bench.deliveries).toHaveLength(0);
    await bench.pass(1);
    expect(bench.deliveries).toHaveLength(1);
  });
}

test('what happens is recorded with times of the clock', async () => {
  const bench = await startBench();
  bench.clock.move(-HOUR);
  const heard = bench.listen();
  await bench.send();
  expect(heard).toEqual({ turns: [START - HOUR], lockEnds: [START - HOUR + LOCK_MS] });
});

test('a clock that stays ahead for two minutes is believed, as after a sleep: what was due by then comes', async () => {
  const bench = await startBench();
  await bench.send(START + 8 * HOUR);
  bench.clock.move(9 * HOUR);
  await bench.look();
  await bench.pass(120 * SECOND - 1);
  expect(bench.deliveries).toHaveLength(0);
  await bench.pass(1);
  expect(bench.deliveries).toHaveLength(1);
  expect(bench.last?.lockedUntil).toBe(bench.clock.now() + LOCK_MS);
});

test('times are right as well when the clock goes back after it was believed', async () => {
  const bench = await startBench();
  bench.clock.move(YEAR);
  await bench.look();
  await bench.pass(180 * SECOND);
  await bench.look();
  bench.clock.move(-YEAR);
  await bench.send();
  expect(bench.last?.lockedUntil).toBe(START + 180 * SECOND + LOCK_MS);
});

test('a jump of up to five seconds is followed forward, and waited for when it is back', async () => {
  const bench = await startBench();
  bench.clock.move(5 * SECOND);
  await bench.send();
  expect(bench.last?.properties.enqueuedTime).toBe(START + 5 * SECOND);
  bench.clock.move(-5 * SECOND);
  await bench.pass(5 * SECOND - 1);
  await bench.send();
  expect(bench.last?.properties.enqueuedTime).toBe(START + 5 * SECOND);
  await bench.pass(2);
  await bench.send();
  expect(bench.last?.properties.enqueuedTime).toBe(START + 5 * SECOND + 1);
});
