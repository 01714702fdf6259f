// The clock over an engine: what falls due on the way does so in its order, and random programs end as they would in real time.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Broker } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/contract/command.js';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { LAST_INSTANT } from '../../src/broker/contract/instant.js';
import { LIMITS_OF_TIER } from '../../src/broker/contract/limits.js';
import type { FoundMessage } from '../../src/broker/contract/result.js';
import { formatDuration } from '../../src/description/duration.js';
import { startEmulator } from '../../src/emulator.js';
import { Engine } from '../../src/engine/engine.js';
import { MemoryJournal } from '../../src/journal/memory-journal.js';
import { ClockControl } from '../../src/steer/clock-control.js';
import type { StoredClock } from '../../src/steer/clock-file.js';
import { newMessage } from '../support/broker-builders.js';
import { JsonReader } from '../support/json-reader.js';
import { VirtualClock } from '../support/virtual-clock.js';

const START = Date.UTC(2030, 0, 1);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const LOCK_MS = 30 * SECOND;
const IGNORING = {
  isReady: () => true,
  deliver() {},
  dropped() {},
  drained() {},
  sessionAccepted() {},
  detached() {},
};

class Bench {
  readonly machine: VirtualClock;
  readonly saved: (StoredClock | undefined)[] = [];
  readonly engine: Engine;
  readonly clock: ClockControl;
  /** The times at which clients were given time to answer. */
  readonly quietAt: number[] = [];
  /** Called each time. */
  onQuiet = (): void => {};

  private constructor(engine: Engine, machine: VirtualClock) {
    this.engine = engine;
    this.machine = machine;
    const save = async (stored: StoredClock | undefined) => void this.saved.push(stored);
    const quiet = async () => {
      this.quietAt.push(engine.clock.now());
      this.onQuiet();
    };
    this.clock = new ClockControl(engine, 0, { save, quiet });
  }

  static async open(machine = new VirtualClock(START)): Promise<Bench> {
    let guidCount = 0;
    const broker = new Broker({
      limits: LIMITS_OF_TIER.standard,
      messageReader: new JsonReader(),
      nextGuid: () => `${++guidCount}`.padStart(32, '0'),
    });
    const engine = new Engine(broker, new MemoryJournal(), machine);
    await engine.start();
    const bench = new Bench(engine, machine);
    await bench.ask({
      kind: 'put-entity',
      type: 'queue',
      description: describeQueue('orders', {
        lockDurationMs: LOCK_MS,
        maxDeliveryCount: 3,
        deadLetteringOnMessageExpiration: true,
      }),
    });
    return bench;
  }

  async ask(command: Command) {
    const result = await this.engine.ask(command);
    if (result.kind === 'failed') throw result.error;
    return result;
  }

  send(given: Partial<ReturnType<typeof newMessage>> = {}) {
    const messages = [newMessage(new TextEncoder().encode('{}'), given)];
    return this.ask({ kind: 'send', entityPath: 'orders', messages });
  }

  /** Takes so many messages, and goes. */
  async receive(count: number): Promise<void> {
    const linkId = this.engine.openLink(IGNORING);
    await this.ask({ kind: 'attach-receiver', linkId, entityPath: 'orders', receiveMode: 'peek-lock' });
    await this.ask({ kind: 'set-credit', linkId, deliveryLimit: count, drain: true });
    this.engine.closeLink(linkId);
  }

  async peek(entityPath = 'orders'): Promise<readonly FoundMessage[]> {
    const result = await this.ask({ kind: 'peek', entityPath, fromSequenceNumber: 0, maxCount: 100 });
    return result.kind === 'messages' ? result.messages : [];
  }

  /** Everything, with times by the broker. */
  async state(): Promise<unknown> {
    const { offsetMs } = this.clock.state;
    const stores = await Promise.all([this.peek(), this.peek('orders/$DeadLetterQueue')]);
    return stores.map((store) =>
      store.map(({ properties: { sequenceNumber, state, deliveryCount, enqueuedTime } }) => ({
        sequenceNumber,
        state,
        deliveryCount,
        enqueuedTime: enqueuedTime + offsetMs,
      })),
    );
  }
}

describe('a frozen clock', () => {
  test('stands still whatever the machine does, and is kept', async () => {
    const { clock, machine, ...bench } = await Bench.open();
    await clock.freeze();
    machine.advance(10 * MINUTE);
    expect(clock.state).toMatchObject({
      mode: 'frozen',
      rate: 0,
      time: new Date(START),
      realTime: new Date(START + 10 * MINUTE),
    });
    expect(bench.saved.at(-1)).toMatchObject({ brokerTime: START, rate: 0 });
  });

  test('reads a schedule as from now, by the clock of the client', async () => {
    const bench = await Bench.open();
    await bench.clock.freeze();
    bench.machine.advance(10 * MINUTE);
    await bench.send({ scheduledEnqueueTime: bench.machine.now() + MINUTE });
    expect(bench.clock.state.nextDue).toEqual(new Date(START + MINUTE));
    expect((await bench.peek())[0]?.properties).toMatchObject({ state: 2 });
    await bench.clock.advance(MINUTE);
    expect((await bench.peek())[0]?.properties).toMatchObject({ state: 0, wasScheduled: true });
  });
});

describe('an advance', () => {
  test('walks from one thing that is due to the next', async () => {
    const bench = await Bench.open();
    await bench.clock.freeze();
    for (const inMs of [3 * MINUTE, MINUTE, 2 * MINUTE])
      await bench.send({ scheduledEnqueueTime: START + inMs });
    expect(await bench.clock.advance(5 * MINUTE)).toEqual({
      from: new Date(START),
      to: new Date(START + 5 * MINUTE),
    });
    const [found] = [await bench.peek()];
    const offsetMs = 5 * MINUTE;
    expect(found.map(({ properties }) => properties.enqueuedTime + offsetMs - START)).toEqual([
      MINUTE,
      2 * MINUTE,
      3 * MINUTE,
    ]);
  });

  test('waits for clients once when a thing is done in many pieces', async () => {
    const bench = await Bench.open();
    const messages = Array.from({ length: 1000 }, () =>
      newMessage(new TextEncoder().encode('{}'), { scheduledEnqueueTime: START + MINUTE }),
    );
    await bench.ask({ kind: 'send', entityPath: 'orders', messages });
    await bench.clock.advance(MINUTE);
    expect(bench.quietAt.filter((time) => time >= START + MINUTE)).toHaveLength(1);
    expect((await bench.peek())[99]?.properties).toMatchObject({ state: 0 });
  });

  test('goes to the next thing alone, and nowhere if nothing is due', async () => {
    const bench = await Bench.open();
    expect(await bench.clock.advanceToNext()).toBeUndefined();
    await bench.send({ scheduledEnqueueTime: START + MINUTE });
    expect(await bench.clock.advanceToNext()).toEqual({
      from: new Date(START),
      to: new Date(START + MINUTE),
    });
    expect(bench.clock.state).toMatchObject({ mode: 'offset', offsetMs: MINUTE });
  });

  test('is kept before it begins: a crash on the way has everything fall due', async () => {
    const bench = await Bench.open();
    await bench.send({ scheduledEnqueueTime: START + MINUTE });
    const advanced = bench.clock.advance(2 * MINUTE);
    await Promise.resolve();
    await Promise.resolve();
    expect(bench.saved).toEqual([{ brokerTime: START + 2 * MINUTE, realTime: START, rate: 1, hiddenMs: 0 }]);
    await advanced;
  });

  test('to the last millisecond of the year 9999 is taken, and one beyond it refused with the most that is taken', async () => {
    const { clock } = await Bench.open();
    await clock.freeze();
    const most = LAST_INSTANT - START;
    await expect(clock.advance(8.64e15)).rejects.toThrow(
      `The time to advance by must be at most ${formatDuration(most)}, because 9999-12-31T23:59:59.999Z is the latest possible time; 8640000000000000 ms is more.`,
    );
    expect(await clock.advance(most)).toEqual({ from: new Date(START), to: new Date(LAST_INSTANT) });
    await expect(clock.advance(1)).rejects.toThrow('must be at most PT0S');
    expect(clock.state.time).toEqual(new Date(LAST_INSTANT));
  });

  test('goes to nothing that is due after the year 9999, which a sender may have scheduled', async () => {
    const bench = await Bench.open();
    await bench.send({ scheduledEnqueueTime: 1e17 });
    expect(bench.clock.state.nextDue).toBeUndefined();
    expect(await bench.clock.advanceToNext()).toBeUndefined();
  });

  test.each(['freeze', 'reset', 'the end of its request'])(
    'is ended by %s, where time is by then',
    async (how) => {
      const bench = await Bench.open();
      const request = new AbortController();
      for (let inMs = MINUTE; inMs <= 10 * MINUTE; inMs += MINUTE)
        await bench.send({ scheduledEnqueueTime: START + inMs });
      let ended: Promise<unknown> | undefined;
      bench.onQuiet = () => {
        if (bench.engine.clock.now() < START + 3 * MINUTE || ended !== undefined) return;
        if (how === 'freeze') ended = bench.clock.freeze();
        else if (how === 'reset') ended = bench.clock.reset();
        else ended = Promise.resolve(request.abort(new Error('gone')));
      };
      const walks = [
        bench.clock.advance(60 * MINUTE, request.signal),
        bench.clock.advance(MINUTE, request.signal),
      ];
      const reason = how === 'the end of its request' ? 'gone' : 'frozen or reset before the advance';
      await Promise.all(walks.map((walk) => expect(walk).rejects.toThrow(reason)));
      await ended;
      expect(bench.engine.clock.now()).toBe(START + 3 * MINUTE);
      expect(bench.saved.at(-1)).toMatchObject({ brokerTime: START + 3 * MINUTE });
      expect(await bench.clock.advance(MINUTE)).toBeDefined();
    },
  );

  test('lets others have their turn between two steps, also where nothing is written to a disk', async () => {
    const bench = await Bench.open();
    for (let inMs = 1; inMs <= 100; inMs++) await bench.send({ scheduledEnqueueTime: START + 10 * inMs });
    let turnCount = 0;
    const others = setInterval(() => turnCount++, 0);
    await bench.clock.advance(MINUTE);
    clearInterval(others);
    expect(turnCount).toBeGreaterThan(0);
  });

  test('of an emulator that is being stopped is refused', async () => {
    const bench = await Bench.open();
    await bench.engine.stop();
    await expect(bench.clock.advance(MINUTE)).rejects.toThrow('is no longer running');
  });
});

describe('a reset', () => {
  test('shows the machine’s time, and keeps distances', async () => {
    const bench = await Bench.open();
    await bench.clock.advance(60 * MINUTE);
    await bench.send({ scheduledEnqueueTime: START + MINUTE }); // in a minute, by the client
    await bench.clock.reset();
    expect(bench.clock.state).toMatchObject({
      mode: 'real',
      offsetMs: 0,
      time: new Date(START),
      nextDue: new Date(START + MINUTE),
    });
    bench.machine.advance(MINUTE);
    expect((await bench.peek())[0]?.properties).toMatchObject({ state: 0, enqueuedTime: START + MINUTE });
  });
});

/** A machine whose time goes on whenever somebody looks at it. */
class TickingClock extends VirtualClock {
  override now(): number {
    this.advance(1);
    return super.now();
  }
}

describe('a reset of a machine whose time goes on meanwhile', () => {
  test('shows the machine’s time to the millisecond', async () => {
    const bench = await Bench.open(new TickingClock(START));
    await bench.clock.freeze();
    await bench.clock.reset();
    expect(bench.clock.state).toMatchObject({ mode: 'real', offsetMs: 0 });
  });
});

describe('a clock at another pace', () => {
  test('has what is due come sooner, and tells clients the time that is left for them', async () => {
    const bench = await Bench.open();
    await bench.clock.scale(60);
    await bench.send({ scheduledEnqueueTime: START + MINUTE });
    bench.machine.advance(SECOND);
    expect((await bench.peek())[0]?.properties.state).toBe(0);
    expect(bench.clock.state).toMatchObject({ mode: 'scaled', rate: 60, offsetMs: 59 * SECOND });
  });
});

type Step =
  | { readonly kind: 'send'; readonly timeToLiveMs: number }
  | { readonly kind: 'schedule'; readonly inMs: number }
  | { readonly kind: 'receive'; readonly count: number }
  | { readonly kind: 'pass'; readonly ms: number };

const someTime = fc.integer({ min: 1, max: 2 * MINUTE });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('send' as const), timeToLiveMs: someTime }),
  fc.record({ kind: fc.constant('schedule' as const), inMs: someTime }),
  fc.record({ kind: fc.constant('receive' as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('pass' as const), ms: someTime }),
);

async function run(steps: readonly Step[], pass: (bench: Bench, ms: number) => unknown, isFrozen: boolean) {
  const bench = await Bench.open();
  if (isFrozen) await bench.clock.freeze();
  for (const step of steps) {
    if (step.kind === 'send') await bench.send({ timeToLiveMs: step.timeToLiveMs });
    else if (step.kind === 'schedule')
      await bench.send({ scheduledEnqueueTime: bench.machine.now() + step.inMs });
    else if (step.kind === 'receive') await bench.receive(step.count);
    else await pass(bench, step.ms);
  }
  const state = await bench.state();
  await bench.engine.stop();
  return state;
}

test.each([
  ['1h', 'must be a duration such as PT30S, P1DT12H or 00:05:00, not "1h"'],
  [-1, 'must be 0 ms or more, not -1'],
  ['P99999999D', 'must not be longer than P10675199DT2H48M5.4775807S (never), but "P99999999D" is'],
])('an advance by %j says what the time must be', async (duration, text) => {
  await using emulator = await startEmulator({ tls: 'off' });
  const advance = emulator.clock.advance(duration);
  await expect(advance).rejects.toThrow(new RangeError(`The time to advance by ${text}.`));
});

test('any program ends with the clock moved by hand as it does in real time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 20 }), fc.boolean(), async (steps, isFrozen) => {
      const real = await run(steps, (bench, ms) => bench.machine.advance(ms), false);
      const moved = await run(steps, (bench, ms) => bench.clock.advance(ms), isFrozen);
      expect(moved).toEqual(real);
    }),
    { numRuns: 100 },
  );
});
