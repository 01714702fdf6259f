// Which fault befalls an operation, and how often: order, counts, chance, pace, time, place and message.

import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AddedFault } from '../../src/steer/emulator-faults.js';
import type { Fault, FaultOperation } from '../../src/steer/fault.js';
import { type FaultSubject, Faults } from '../../src/steer/faults.js';
import { countingGuids } from '../support/broker-builders.js';
import type { JsonMessage } from '../support/json-reader.js';
import { messageView } from './fault-message.js';

const BUSY: Fault = { on: 'send', error: 'server-busy' };

let nowMs: number;
let faults: Faults;
beforeEach(() => {
  nowMs = 1000;
  faults = newFaults();
});

function newFaults(): Faults {
  return new Faults({ nextGuid: countingGuids(), now: () => nowMs });
}

/** The number of the fault that befalls the operation. */
function befalls(subject: Partial<FaultSubject> = {}, among = faults): number | undefined {
  return among.find({ operation: 'send', path: 'orders', protocol: 'amqp', ...subject })?.faultId;
}

/** Whether the fault befalls each of so many operations. */
function befallsEach(count: number, among = faults): boolean[] {
  return Array.from({ length: count }, () => befalls({}, among) !== undefined);
}

const about = (...messages: readonly JsonMessage[]) => ({ messages: () => messages.map(messageView) });
const countsOf = ({ matchedCount, firedCount, isActive }: AddedFault) => ({
  matchedCount,
  firedCount,
  isActive,
});

test('without a fault nothing can happen; with one something can, also once it is over', () => {
  expect(faults.isArmed).toBe(false);
  const fault = faults.add({ ...BUSY, times: 1 });
  expect([befalls(), befalls(), faults.isArmed]).toEqual([fault.id, undefined, true]);
  fault.remove();
  expect(faults.isArmed).toBe(false);
});

test('of several that fit an operation, the one that was added first happens, until it is over', () => {
  const first = faults.add({ ...BUSY, times: 2 });
  const second = faults.add({ ...BUSY, on: ['peek', 'send'] });
  expect([1, 2, 3, 4].map(() => befalls())).toEqual([first.id, first.id, second.id, second.id]);
  expect(befalls({ operation: 'peek' })).toBe(second.id);
});

test('the effect and the delay come as the fault says, with its number', () => {
  const { id } = faults.add({ on: 'send', error: 'timeout', text: 'later', delay: 20 });
  expect(faults.find({ operation: 'send', path: '', protocol: 'amqp' })).toEqual({
    faultId: id,
    effect: { kind: 'error', condition: 'com.microsoft:timeout', text: 'later' },
    delayMs: 20,
  });
});

describe('how often', () => {
  test.each([
    [{ nth: 3 }, 'no no yes no no'],
    [{ nth: 2, times: 2 }, 'no yes yes no no'],
    [{ times: 2 }, 'yes yes no no no'],
    [{}, 'yes yes yes yes yes'],
  ])('%j of five operations: %s', (given, expected) => {
    faults.add({ ...BUSY, ...given });
    expect(befallsEach(5)).toEqual(expected.split(' ').map((each) => each === 'yes'));
  });

  test('above so many in a second, each second anew', () => {
    faults.add({ ...BUSY, above: 2 });
    expect(befallsEach(4)).toEqual([false, false, true, true]);
    nowMs += 999;
    expect(befallsEach(1)).toEqual([true]);
    nowMs += 1;
    expect(befallsEach(3)).toEqual([false, false, true]);
  });

  test('until its time is over', () => {
    const fault = faults.add({ ...BUSY, for: 500 });
    nowMs += 499;
    expect([befalls(), fault.isActive]).toEqual([fault.id, true]);
    nowMs += 1;
    expect([befalls(), fault.isActive]).toEqual([undefined, false]);
    expect(countsOf(fault)).toEqual({ matchedCount: 1, firedCount: 1, isActive: false });
  });

  test('by chance: the same operations with the same seed, and others with another', () => {
    const fallsOf = (seed: number) => {
      const among = newFaults();
      among.add({ ...BUSY, probability: 0.3, seed });
      return befallsEach(60, among);
    };
    expect(fallsOf(7)).toEqual(fallsOf(7));
    expect(fallsOf(7)).not.toEqual(fallsOf(8));
  });

  test('by chance: about as often as the probability says', () => {
    const draws = 4000;
    fc.assert(
      fc.property(fc.double({ min: 0.02, max: 0.98, noNaN: true }), fc.integer(), (probability, seed) => {
        const among = newFaults();
        const fault = among.add({ ...BUSY, probability, seed });
        befallsEach(draws, among);
        // Six standard deviations: a share that is right fails once in half a billion.
        const spread = 6 * Math.sqrt((probability * (1 - probability)) / draws);
        expect(Math.abs(fault.firedCount / draws - probability)).toBeLessThan(spread);
      }),
      { numRuns: 50 },
    );
  });

  test('with a random time up to the jitter on top of the delay, the same with the same seed', () => {
    const delaysOf = (seed: number) => {
      const among = newFaults();
      among.add({ on: 'send', delay: 100, jitter: 50, seed });
      return Array.from({ length: 50 }, () => {
        return among.find({ operation: 'send', path: '', protocol: 'amqp' })?.delayMs ?? -1;
      });
    };
    const delays = delaysOf(1);
    expect(delays).toEqual(delaysOf(1));
    expect(delays.every((each) => each >= 100 && each <= 150)).toBe(true);
    expect(new Set(delays).size).toBeGreaterThan(10);
  });
});

describe('which operation', () => {
  test.each<[string, Partial<Fault>, Partial<FaultSubject>, boolean]>([
    ['the entity, in any case', { entity: 'Orders' }, { path: 'ORDERS' }, true],
    ['another entity', { entity: 'orders' }, { path: 'orders/$DeadLetterQueue' }, false],
    ['an operation of the whole namespace', { entity: 'orders' }, { path: '' }, false],
    ['another operation', {}, { operation: 'peek' }, false],
    ['a request over HTTP', {}, { protocol: 'http' }, true],
  ])('fits, or does not: %s', (_, fault, subject, fits) => {
    faults.add({ ...BUSY, ...fault });
    expect(befalls(subject) !== undefined).toBe(fits);
  });

  test('a status is for HTTP alone', () => {
    const { id } = faults.add({ on: 'send', status: 503 });
    expect([befalls({ protocol: 'amqp' }), befalls({ protocol: 'http' })]).toEqual([undefined, id]);
  });

  test('a match needs a message that it fits: the only one, or any of a batch', () => {
    const { id } = faults.add({ ...BUSY, match: "region = 'EU'" });
    expect(befalls(about({ user: { region: 'US' } }))).toBeUndefined();
    expect(befalls(about({ user: { region: 'EU' } }))).toBe(id);
    expect(befalls(about({ user: { region: 'US' } }, {}, { user: { region: 'EU' } }))).toBe(id);
    expect(befalls(about())).toBeUndefined();
    expect(befalls()).toBeUndefined();
  });

  test('a filter that fails for a message does not match it', () => {
    faults.add({ ...BUSY, match: 'amount / 0 > 1' });
    expect(befalls(about({ user: { amount: 4 } }))).toBeUndefined();
  });

  test('an operation that does not fit is not counted, and its messages are read only for a match', () => {
    const fault = faults.add({ ...BUSY, entity: 'orders', times: 1 });
    const messages = () => {
      throw new Error('the messages were read');
    };
    for (const subject of [{ operation: 'peek' as const }, { path: 'parcels' }]) befalls(subject);
    expect(befalls({ messages })).toBe(fault.id);
    expect(countsOf(fault)).toEqual({ matchedCount: 1, firedCount: 1, isActive: false });
  });
});

test('what was settled is needed only while a fault has a match and is about settlements', () => {
  const { id } = faults.add({ ...BUSY, match: '1=1' });
  faults.add({ ...BUSY, on: 'complete' });
  expect(faults.needsSettled).toBe(false);
  const operations: FaultOperation[] = ['complete', 'abandon', 'dead-letter', 'defer'];
  for (const on of operations) {
    const fault = faults.add({ ...BUSY, on, match: '1=1' });
    expect(faults.needsSettled).toBe(true);
    fault.remove();
  }
  faults.remove(id);
  expect(faults.needsSettled).toBe(false);
});

test('the list has all in their order, as they were given, with the counts of the moment', () => {
  const first = faults.add({ ...BUSY, nth: 2 });
  const second = faults.add({ on: 'peek', delay: 5 });
  befalls();
  expect(faults.list().map(({ id, fault }) => ({ id, fault }))).toEqual([
    { id: first.id, fault: { ...BUSY, nth: 2 } },
    { id: second.id, fault: { on: 'peek', delay: 5 } },
  ]);
  expect(countsOf(first)).toEqual({ matchedCount: 1, firedCount: 0, isActive: true });
  befalls();
  expect(countsOf(first)).toEqual({ matchedCount: 2, firedCount: 1, isActive: false });
  expect(faults.list().map(countsOf)).toEqual([
    { matchedCount: 2, firedCount: 1, isActive: false },
    { matchedCount: 0, firedCount: 0, isActive: true },
  ]);
});

test('a fault that is removed happens no more, and no other gets its number', () => {
  const first = faults.add(BUSY);
  expect([faults.remove(first.id), faults.remove(first.id), first.isActive]).toEqual([true, false, false]);
  expect(befalls()).toBeUndefined();
  expect(faults.add(BUSY).id).toBeGreaterThan(first.id);
});

test('all are removed at once, and counted', () => {
  const [first] = [faults.add(BUSY), faults.add(BUSY)];
  expect([faults.clear(), faults.clear()]).toEqual([2, 0]);
  expect([faults.list(), befalls(), first?.isActive]).toEqual([[], undefined, false]);
});

test('there are 1000 faults at most, and a preset that does not fit as a whole adds none', () => {
  for (let count = 0; count < 1000; count++) faults.add(BUSY);
  const refusal = 'There are already 1000 faults; 1000 is the limit. Remove some first.';
  expect(() => faults.add(BUSY)).toThrow(refusal);
  expect(() => faults.addPreset('flaky')).toThrow(refusal);
  faults.remove(1);
  expect(faults.add(BUSY).id).toBe(1001);
});
