// Times between broker and clients while the machine's clock has jumped or the broker's is set: every time is converted, and nothing else.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServiceBusError } from '../../src/broker/contract/service-bus-error.js';
import { brokerTimeAt, ClientTimes, realTimeAt, toBroker, toClient } from '../../src/engine/client-times.js';

const TYPES_WITH_TIMES = ['command', 'result', 'effect', 'inspection', 'activity', 'message-properties'];

function aheadBy(leadMs: number): ClientTimes {
  return new ClientTimes({ setting: undefined, broker: 5000, real: 5000, leadMs });
}

function timeFieldsIn(file: string): string[] {
  const text = readFileSync(new URL(`../../src/broker/contract/${file}.ts`, import.meta.url), 'utf8');
  return [...text.matchAll(/readonly (\w+)\??: (?:readonly )?Instant\b/g)].map(([, name]) => name ?? '');
}

test('every field of commands and outcomes that is an instant is converted', () => {
  const fields = new Set(TYPES_WITH_TIMES.flatMap(timeFieldsIn));
  expect(fields.size).toBeGreaterThan(10);
  for (const name of fields) expect(toClient({ [name]: 1000 }, aheadBy(50))).toEqual({ [name]: 1050 });
});

test('times are converted at any depth, and so are those of a list', () => {
  const result = { kind: 'messages', messages: [{ properties: { enqueuedTime: 1, deliveryCount: 1 } }] };
  expect(toClient(result, aheadBy(50))).toEqual({
    kind: 'messages',
    messages: [{ properties: { enqueuedTime: 51, deliveryCount: 1 } }],
  });
  expect(toBroker({ lockedUntil: [1, 2] }, aheadBy(1))).toEqual({ lockedUntil: [0, 1] });
});

test('absent times, bytes and errors stay what they are', () => {
  const error = new ServiceBusError('internal', 'broken');
  const content = new Uint8Array([1, 2]);
  const shifted = toClient({ lockedUntil: undefined, expiresAt: null, content, error }, aheadBy(50));
  expect(shifted).toEqual({ lockedUntil: undefined, expiresAt: null, content, error });
  expect(shifted.content).toBe(content);
  expect(shifted.error).toBe(error);
});

test('while the clock has not jumped nothing is copied', () => {
  const command = { kind: 'tick' };
  expect(toClient(command, undefined)).toBe(command);
});

const REAL = 1_000_000;
const BROKER = 5_000_000;
const MINUTE = 60_000;

/** So long after the clock was set. */
function after(ms: number, rate: number, leadMs = 0): { times: ClientTimes; broker: number; real: number } {
  const setting = { realTime: REAL, brokerTime: BROKER, rate };
  const real = REAL + ms;
  const broker = brokerTimeAt(setting, real);
  return { times: new ClientTimes({ setting, broker, real, leadMs }), broker, real };
}

describe('the end of a lock', () => {
  test.each([
    ['frozen for ten minutes', 0, MINUTE],
    ['ahead', 1, MINUTE],
    ['60 times as fast', 60, 1000],
    ['half as fast', 0.5, 2 * MINUTE],
  ])('is the time that is left, with a clock that is %s', (_, rate, leftMs) => {
    const { times, broker, real } = after(10 * MINUTE, rate);
    expect(times.toClient('lockedUntil', broker + MINUTE)).toBe(real + leftMs);
  });
});

describe('a schedule', () => {
  test.each([0, 1, 60])('counts from now, at rate %j', (rate) => {
    const { times, broker, real } = after(10 * MINUTE, rate);
    expect(times.toBroker('enqueueAt', real + MINUTE)).toBe(broker + MINUTE);
    expect(times.toClient('enqueueAt', broker + MINUTE)).toBe(real + MINUTE);
  });
});

const someMs = fc.integer({ min: -10 * MINUTE, max: 10 * MINUTE });
const someRate = fc.constantFrom(0, 0.5, 1, 60);

test('an instant that a client has read and sends back later is the same', () => {
  fc.assert(
    fc.property(someMs, someRate, fc.nat(MINUTE), fc.nat(MINUTE), (ms, rate, readAt, sentAfter) => {
      const read = after(readAt, rate).times.toClient('enqueuedTime', BROKER + ms);
      expect(after(readAt + sentAfter, rate).times.toBroker('enqueuedTime', read)).toBe(BROKER + ms);
    }),
  );
});

test('a jump of the machine’s clock is converted with the rest', () => {
  const { times, broker, real } = after(0, 1, 5000);
  expect(times.toClient('lockedUntil', broker + MINUTE)).toBe(real + MINUTE + 5000);
  expect(times.toBroker('enqueueAt', real + 5000)).toBe(broker);
  expect(times.toBroker('enqueuedTime', times.toClient('enqueuedTime', broker))).toBe(broker);
});

test('an alarm is at the first time of the machine at which the broker has its time', () => {
  const setting = { realTime: REAL, brokerTime: BROKER, rate: 7 };
  const real = realTimeAt(setting, BROKER + 100);
  expect(brokerTimeAt(setting, real)).toBeGreaterThanOrEqual(BROKER + 100);
  expect(brokerTimeAt(setting, real - 1)).toBeLessThan(BROKER + 100);
  expect(realTimeAt({ ...setting, rate: 0 }, BROKER + 1)).toBe(Number.POSITIVE_INFINITY);
});
