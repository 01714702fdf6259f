// Clocks and ids: the engine's clock over that of a machine whose timers the test fires, and the virtual one.

import { expect, test } from 'vitest';
import { NEVER } from '../../src/broker/contract/instant.js';
import { EngineClock, SystemClock, type Timers } from '../../src/engine/clock.js';
import { SystemGuids } from '../../src/engine/system-guids.js';
import { VirtualClock } from '../support/virtual-clock.js';

const DAY = 24 * 60 * 60 * 1000;

class TimersByHand implements Timers<object> {
  time = 1_000_000;
  /** How far the clock was put forward, or back, or slept. */
  setMs = 0;
  setCount = 0;
  #waiting: { readonly callback: () => void; readonly delayMs: number }[] = [];

  now(): number {
    return this.time + this.setMs;
  }

  elapsed(): number {
    return this.time;
  }

  set(callback: () => void, delayMs: number): object {
    this.setCount++;
    const timer = { callback, delayMs };
    this.#waiting.push(timer);
    return timer;
  }

  clear(timer: object): void {
    this.#waiting = this.#waiting.filter((other) => other !== timer);
  }

  get delays(): number[] {
    return this.#waiting.map(({ delayMs }) => delayMs);
  }

  /** The only timer fires, this much too early, as timers now and then do. */
  fire(earlyMs = 0): void {
    const [timer, other] = this.#waiting;
    this.#waiting = [];
    if (timer === undefined || other !== undefined) throw new Error('there is not exactly one timer');
    this.time += timer.delayMs - earlyMs;
    timer.callback();
  }
}

function makeEngineClock() {
  const timers = new TimersByHand();
  const rung: number[] = [];
  const clock = new EngineClock(new SystemClock(timers), () => rung.push(timers.time));
  clock.start(0, undefined);
  return { timers, clock, rung };
}

test('an alarm rings when its time has come', () => {
  const { timers, clock, rung } = makeEngineClock();
  clock.setAlarm(timers.time + 5000);
  expect(timers.delays).toEqual([5000]);
  timers.fire();
  expect(rung).toEqual([1_005_000]);
  expect(timers.delays).toEqual([]);
});

test('a timer that fires too early rings nothing and is set again', () => {
  const { timers, clock, rung } = makeEngineClock();
  clock.setAlarm(timers.time + 5000);
  timers.fire(2);
  expect(rung).toEqual([]);
  expect(timers.delays).toEqual([2]);
  timers.fire();
  expect(rung).toEqual([1_005_000]);
});

test('an alarm 40 days away, beyond the 2^31 ms of a timer, rings on its day and not before', () => {
  const { timers, clock, rung } = makeEngineClock();
  const at = timers.time + 40 * DAY;
  clock.setAlarm(at);
  let longestDelayMs = 0;
  while (rung.length === 0) {
    longestDelayMs = Math.max(longestDelayMs, ...timers.delays);
    timers.fire();
  }
  expect(rung).toEqual([at]);
  expect(longestDelayMs).toBeLessThan(2 ** 31);
});

test('an alarm rings soon after a sleep of the machine, which its timers do not count', () => {
  const { timers, clock, rung } = makeEngineClock();
  clock.setAlarm(timers.time + DAY);
  timers.setMs += 2 * DAY;
  while (rung.length === 0) timers.fire();
  expect(rung).toHaveLength(1);
  expect(timers.time).toBeLessThan(1_000_000 + 5 * 60_000);
  expect(timers.delays).toEqual([]);
});

test('an alarm rings when its time has elapsed, though the clock was put back', () => {
  const { timers, clock, rung } = makeEngineClock();
  clock.setAlarm(timers.time + 5000);
  timers.setMs -= DAY;
  timers.fire();
  expect(rung).toEqual([1_005_000]);
});

test('a clock that is adjusted slowly rings no alarm early', () => {
  const { timers, clock, rung } = makeEngineClock();
  clock.setAlarm(timers.time + 10 * 60_000);
  for (let minute = 1; minute < 10; minute++) {
    timers.setMs -= 30;
    timers.fire();
  }
  expect(rung).toEqual([]);
});

test('an earlier alarm takes the place of a later one', () => {
  const { timers, clock, rung } = makeEngineClock();
  clock.setAlarm(timers.time + 5000);
  clock.setAlarm(timers.time + 1000);
  timers.fire();
  expect(rung).toEqual([1_001_000]);
  expect(timers.delays).toEqual([]);
});

test('a later alarm takes the place of an earlier one', () => {
  const { timers, clock, rung } = makeEngineClock();
  clock.setAlarm(timers.time + 1000);
  clock.setAlarm(timers.time + 5000);
  while (timers.delays.length > 0) timers.fire();
  expect(rung).toEqual([1_005_000]);
});

test('an alarm that is put off again and again costs no timer each time', () => {
  const { timers, clock, rung } = makeEngineClock();
  for (let delayMs = 1000; delayMs <= 2000; delayMs++) clock.setAlarm(timers.time + delayMs);
  expect(timers.setCount).toBe(1);
  while (timers.delays.length > 0) timers.fire();
  expect(rung).toEqual([1_002_000]);
});

test('an alarm in the past rings, though not within the call that sets it', () => {
  const { timers, clock, rung } = makeEngineClock();
  clock.setAlarm(timers.time - 1);
  expect(rung).toEqual([]);
  timers.fire();
  expect(rung).toHaveLength(1);
});

test('an alarm that is cleared does not ring and leaves no timer', () => {
  const { timers, clock, rung } = makeEngineClock();
  clock.setAlarm(timers.time + 1000);
  clock.setAlarm(NEVER);
  expect(timers.delays).toEqual([]);
  expect(rung).toEqual([]);
});

test('an alarm may set the next one while it rings', () => {
  const timers = new TimersByHand();
  const rung: number[] = [];
  const clock = new EngineClock(new SystemClock(timers), () => {
    rung.push(timers.time);
    if (rung.length === 1) clock.setAlarm(timers.time + 1000);
  });
  clock.start(0, undefined);
  clock.setAlarm(timers.time + 1000);
  timers.fire();
  timers.fire();
  expect(rung).toEqual([1_001_000, 1_002_000]);
});

test('the virtual clock moves only when it is told to, and rings alarms on the way at their instants', () => {
  const clock = new VirtualClock(100);
  const rung: number[] = [];
  clock.setAlarm(150, () => {
    rung.push(clock.now());
    clock.setAlarm(180, () => rung.push(clock.now()));
  });
  expect(clock.now()).toBe(100);
  clock.advance(100);
  expect(rung).toEqual([150, 180]);
  expect(clock.now()).toBe(200);
});

test('the virtual clock rings an alarm of the past at the next move', () => {
  const clock = new VirtualClock(100);
  const rung: number[] = [];
  clock.setAlarm(50, () => rung.push(clock.now()));
  clock.advance(0);
  expect(rung).toEqual([100]);
});

test('the virtual clock does not go back', () => {
  const clock = new VirtualClock(100);
  expect(() => clock.advanceTo(99)).toThrow('forward');
});

test('guids are 32 hexadecimal digits and never the same', () => {
  const guids = new SystemGuids();
  const drawn = Array.from({ length: 1000 }, () => guids.next());
  expect(new Set(drawn).size).toBe(1000);
  expect(drawn.every((guid) => /^[0-9a-f]{32}$/.test(guid))).toBe(true);
});
