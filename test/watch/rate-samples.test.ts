// The rates: one sample a second over five minutes, and a gap where nobody sampled.

import { beforeEach, describe, expect, it } from 'vitest';
import { ActivityCounts } from '../../src/watch/activity-counts.js';
import { RateSamples } from '../../src/watch/rate-samples.js';
import { KINDS } from '../../src/watch/record-kinds.js';

const START = Date.UTC(2030, 0, 1);
const SECONDS = 300;

let now: number;
let ring: (() => void) | undefined;
let counts: ActivityCounts;
let samples: RateSamples;

beforeEach(() => {
  now = START;
  counts = new ActivityCounts();
  samples = sampling();
});

function sampling(): RateSamples {
  return new RateSamples(counts, {
    now: () => now,
    startTimer: (delayMs, alarm) => {
      expect(delayMs).toBeLessThanOrEqual(1000);
      ring = alarm;
      return () => {
        ring = undefined;
      };
    },
  });
}

function add(kind: (typeof KINDS)[number], path: string, count = 1): void {
  for (let index = 0; index < count; index++) counts.add(KINDS.indexOf(kind), path);
}

/** A second passes, and the timer rings in time. */
function pass(seconds = 1): void {
  for (let second = 0; second < seconds; second++) {
    now += 1000;
    ring?.();
  }
}

function last(path: string, count = 3, stepMs = 1000) {
  const [found] = samples.read(stepMs, path).entities;
  return found && { in: found.in.slice(-count), out: found.out.slice(-count) };
}

it('each second has the messages that came and left in it', () => {
  add('enqueued', 'orders', 3);
  pass();
  add('completed', 'orders', 2);
  add('dead-lettered', 'orders');
  pass();
  pass();
  expect(samples.read(1000, 'ORDERS')).toMatchObject({ from: START - (SECONDS - 3) * 1000, stepMs: 1000 });
  const [orders] = samples.read(1000, 'orders').entities;
  expect(orders?.in).toHaveLength(SECONDS);
  expect(orders?.in.slice(-4)).toEqual([null, 3, 0, 0]);
  expect(orders?.out.slice(-4)).toEqual([null, 0, 2, 0]);
  expect(orders?.deadLettered.slice(-4)).toEqual([null, 0, 1, 0]);
});

it('a message of a topic comes to each subscription, and to the namespace once', () => {
  add('accepted', 'events');
  for (const name of ['eu', 'us']) add('routed', `events/Subscriptions/${name}`);
  pass();
  expect(last('events/Subscriptions/us', 1)).toEqual({ in: [1], out: [0] });
  expect(last('events', 1)).toEqual({ in: [1], out: [2] });
  expect(last('', 1)).toEqual({ in: [1], out: [0] });
});

it('a message that is forwarded comes to the namespace once, and leaves it when a receiver takes it', () => {
  add('enqueued', 'orders');
  pass();
  add('forwarded', 'orders');
  add('enqueued', 'archive');
  pass();
  add('completed', 'archive');
  pass();
  expect(last('orders')).toEqual({ in: [1, 0, 0], out: [0, 1, 0] });
  expect(last('')).toEqual({ in: [1, 0, 0], out: [0, 0, 1] });
});

it('longer steps have the sum of their seconds', () => {
  for (let second = 0; second < 20; second++) {
    add('enqueued', 'orders', second < 10 ? 1 : 3);
    pass();
  }
  expect(last('orders', 3, 10_000)).toEqual({ in: [null, 10, 30], out: [null, 0, 0] });
});

it('longer steps begin at multiples of their length, and are told when they are over', () => {
  pass(4); // the sampling begins within a step
  samples.stop();
  samples = sampling();
  for (let second = 4; second < 30; second++) {
    add('enqueued', 'orders');
    pass();
    const { from, entities } = samples.read(10_000, 'orders');
    const over = Math.floor((second + 1) / 10);
    expect(from).toBe(START + over * 10_000 - SECONDS * 1000);
    expect(entities[0]?.in).toHaveLength(SECONDS / 10);
    const told = entities[0]?.in.filter((one) => one !== null);
    expect(told).toEqual(Array.from({ length: Math.max(over - 1, 0) }, () => 10));
  }
  pass(SECONDS - 1);
  add('enqueued', 'orders');
  pass(10);
  expect(samples.read(10_000, 'orders').entities[0]?.in.filter((one) => one !== 0)).toEqual([1]);
});

it('a longer step with a gap is a gap', () => {
  pass(10);
  now += 5000; // the machine sleeps
  ring?.();
  pass(15);
  expect(last('orders', 4, 10_000)?.in).toEqual([null, 0, null, 0]);
});

it('an entity without a message has none, and a gap before the sampling began', () => {
  pass(2);
  expect(last('quiet', 3)).toEqual({ in: [null, 0, 0], out: [null, 0, 0] });
});

describe('of all entities', () => {
  it('those are told that had a message, and the namespace', () => {
    add('enqueued', 'orders');
    add('locked', 'quiet');
    pass();
    expect(samples.read(1000, undefined).entities.map(({ path }) => path)).toEqual(['', 'orders']);
    pass(SECONDS + 9);
    expect(samples.read(1000, undefined).entities).toHaveLength(2);
    pass();
    expect(samples.read(1000, undefined).entities.map(({ path }) => path)).toEqual(['']);
    add('enqueued', 'orders', 2);
    pass();
    expect(last('orders', 2)?.in).toEqual([0, 2]);
  });

  it('those are forgotten that are deleted', () => {
    add('enqueued', 'orders', 5);
    pass();
    counts.note({ kind: 'entity-deleted', entity: 'queue', path: 'orders' });
    add('enqueued', 'orders');
    pass();
    expect(last('orders', 2)?.in).toEqual([0, 1]);
  });
});

it('what was counted before the sampling began is no rate', () => {
  samples.stop();
  add('enqueued', 'orders', 100);
  samples = sampling();
  add('enqueued', 'orders', 2);
  pass();
  expect([last('orders', 1)?.in, last('', 1)?.in]).toEqual([[2], [2]]);
});

describe('a timer that is late', () => {
  it('leaves no gap when the process was only busy', () => {
    add('enqueued', 'orders', 4);
    now += 3000;
    ring?.();
    expect(last('orders', 4)?.in).toEqual([null, 0, 0, 4]);
  });

  it('leaves a gap when the machine has slept', () => {
    add('enqueued', 'orders');
    pass();
    now += 5000;
    ring?.();
    pass();
    expect(last('orders', 7)?.in).toEqual([1, null, null, null, null, 0, 0]);
    now += 3_600_000;
    ring?.();
    expect(samples.read(1000, '').entities[0]?.in.filter((one) => one !== null)).toHaveLength(1);
  });

  it('begins anew when the clock was set back', () => {
    pass(10);
    now -= 8000;
    ring?.();
    expect(samples.read(1000, '').entities[0]?.in.filter((one) => one !== null)).toHaveLength(1);
  });
});

it('nothing is sampled any more after the end', () => {
  samples.stop();
  expect(ring).toBeUndefined();
});
