// The times of clients while the broker's clock is set.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { brokerTimeAt, realTimeAt, SteeredTimes } from '../../src/engine/clock-setting.js';

const REAL = 1_000_000;
const BROKER = 5_000_000;
const MINUTE = 60_000;

/** So long after the clock was set. */
function after(ms: number, rate: number, leadMs = 0): { times: SteeredTimes; broker: number; real: number } {
  const setting = { realTime: REAL, brokerTime: BROKER, rate };
  const real = REAL + ms;
  const broker = brokerTimeAt(setting, real);
  return { times: new SteeredTimes({ setting, broker, real, leadMs }), broker, real };
}

describe('the end of a lock', () => {
  test.each([
    ['frozen for ten minutes', 0, MINUTE],
    ['ahead', 1, MINUTE],
    ['60 times as fast', 60, 1000],
    ['half as fast', 0.5, 2 * MINUTE],
  ])('is the time that is left, with a clock that is %s', (_, rate, leftMs) => {
    const { times, broker, real } = after(10 * MINUTE, rate);
    expect(times.lockToClient(broker + MINUTE)).toBe(real + leftMs);
  });
});

describe('a schedule', () => {
  test.each([0, 1, 60])('counts from now, at rate %j', (rate) => {
    const { times, broker, real } = after(10 * MINUTE, rate);
    expect(times.scheduleToBroker(real + MINUTE)).toBe(broker + MINUTE);
    expect(times.scheduleToClient(broker + MINUTE)).toBe(real + MINUTE);
  });
});

const someMs = fc.integer({ min: -10 * MINUTE, max: 10 * MINUTE });
const someRate = fc.constantFrom(0, 0.5, 1, 60);

test('an instant that a client has read and sends back later is the same', () => {
  fc.assert(
    fc.property(someMs, someRate, fc.nat(MINUTE), fc.nat(MINUTE), (ms, rate, readAt, sentAfter) => {
      const read = after(readAt, rate).times.instantToClient(BROKER + ms);
      expect(after(readAt + sentAfter, rate).times.instantToBroker(read)).toBe(BROKER + ms);
    }),
  );
});

test('a jump of the machine’s clock is converted with the rest', () => {
  const { times, broker, real } = after(0, 1, 5000);
  expect(times.lockToClient(broker + MINUTE)).toBe(real + MINUTE + 5000);
  expect(times.scheduleToBroker(real + 5000)).toBe(broker);
  expect(times.instantToBroker(times.instantToClient(broker))).toBe(broker);
});

test('an alarm is at the first time of the machine at which the broker has its time', () => {
  const setting = { realTime: REAL, brokerTime: BROKER, rate: 7 };
  const real = realTimeAt(setting, BROKER + 100);
  expect(brokerTimeAt(setting, real)).toBeGreaterThanOrEqual(BROKER + 100);
  expect(brokerTimeAt(setting, real - 1)).toBeLessThan(BROKER + 100);
  expect(realTimeAt({ ...setting, rate: 0 }, BROKER + 1)).toBe(Number.POSITIVE_INFINITY);
});
