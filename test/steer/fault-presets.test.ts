// The presets: the faults of each, what it does to the connections at once, and the options that it takes.

import { beforeEach, describe, expect, test } from 'vitest';
import { FaultError, type FaultOperation } from '../../src/steer/fault.js';
import { Faults } from '../../src/steer/faults.js';
import { countingGuids } from '../support/broker-builders.js';

const BUSY = { kind: 'error', condition: 'com.microsoft:server-busy' };

let nowMs: number;
let faults: Faults;
let acts: string[];
beforeEach(() => {
  nowMs = 0;
  acts = [];
  faults = new Faults({ nextGuid: countingGuids(), now: () => nowMs });
  faults.connections = { resetAll: () => acts.push('reset'), detachAll: () => acts.push('detach') };
});

const find = (operation: FaultOperation, path = 'orders') =>
  faults.find({ operation, path, protocol: 'amqp' });

function firedOf(count: number, operation: FaultOperation): number {
  return Array.from({ length: count }, () => find(operation)).filter((fired) => fired !== undefined).length;
}

describe('a preset', () => {
  test('flaky: one operation in twenty, of those that clients repeat, finds a busy server', () => {
    faults.addPreset('flaky');
    const count = firedOf(4000, 'complete');
    expect(count).toBeGreaterThan(100);
    expect(count).toBeLessThan(300);
    expect([firedOf(500, 'receive'), firedOf(500, 'attach')]).toEqual([0, 0]);
    expect(acts).toEqual([]);
  });

  test('slow: each operation, each message and each attach takes 0.2 to 0.5 s', () => {
    faults.addPreset('slow');
    for (const operation of ['send', 'receive', 'attach', 'peek'] as const) {
      const { effect, delayMs = 0 } = find(operation) ?? {};
      expect(effect).toEqual({ kind: 'delay' });
      expect(delayMs).toBeGreaterThanOrEqual(200);
      expect(delayMs).toBeLessThanOrEqual(500);
    }
  });

  test.each([
    [{}, 10],
    [{ perSecond: 3 }, 3],
  ])('throttled, with %j: %i operations of a second pass', (options, passing) => {
    faults.addPreset('throttled', options);
    expect(firedOf(passing, 'send')).toBe(0);
    expect(find('peek')?.effect).toMatchObject(BUSY);
    nowMs += 1000;
    expect(find('send')).toBeUndefined();
  });

  test('failover: all links are detached, and the server is busy for two seconds', () => {
    const [fault] = faults.addPreset('failover');
    expect(acts).toEqual(['detach']);
    nowMs += 1999;
    expect(find('attach')?.effect).toMatchObject(BUSY);
    nowMs += 1;
    expect([find('attach'), fault?.isActive]).toEqual([undefined, false]);
  });

  test('blip: all connections are reset once, and no fault stays', () => {
    expect(faults.addPreset('blip')).toEqual([]);
    expect([acts, faults.isArmed]).toEqual([['reset'], false]);
  });

  test('does nothing to connections while there are none', () => {
    const alone = new Faults({ nextGuid: countingGuids(), now: () => nowMs });
    expect(alone.addPreset('blip')).toEqual([]);
    expect(alone.addPreset('failover')).toHaveLength(1);
  });

  test.each(['flaky', 'slow', 'throttled', 'failover'] as const)(
    '%s can be for one entity, and gives back the faults it has added',
    (name) => {
      const added = faults.addPreset(name, { entity: 'orders' });
      expect(added).toHaveLength(1);
      expect(added.map(({ id, fault }) => [id, fault])).toEqual(
        faults.list().map(({ id, fault }) => [id, fault]),
      );
      expect(added[0]?.fault.entity).toBe('orders');
      for (let count = 0; count < 100; count++) find('send', 'parcels');
      expect(added[0]?.matchedCount).toBe(0);
    },
  );
});

test.each(['flaky', 'slow'] as const)('%s does the same with the same seed', (name) => {
  const delaysOf = (seed: number) => {
    faults.clear();
    faults.addPreset(name, { seed });
    return Array.from({ length: 200 }, () => find('send')?.delayMs);
  };
  expect(delaysOf(5)).toEqual(delaysOf(5));
  expect(delaysOf(5)).not.toEqual(delaysOf(6));
});

test.each<[string, Record<string, unknown>, string]>([
  ['flakey', {}, "'flakey' is not a preset of faults. Did you mean 'flaky'?"],
  [
    'sunshine',
    {},
    "'sunshine' is not a preset of faults. Possible are: flaky, slow, blip, failover, throttled.",
  ],
  ['flaky', { times: 3 }, "A preset of faults has no 'times'. It may have: entity, perSecond, seed."],
  [
    'blip',
    { entity: 'orders' },
    "'blip' resets connections, which do not belong to one entity. Leave 'entity' out.",
  ],
  ['flaky', { perSecond: 3 }, "'perSecond' is for the preset throttled, not for 'flaky'. Leave it out."],
  ...(['blip', 'failover', 'throttled'] as const).map((name): [string, { seed: number }, string] => [
    name,
    { seed: 7 },
    `'seed' is for flaky and slow: '${name}' draws no random numbers. Leave it out.`,
  ]),
  ['slow', { entity: '' }, '\'entity\' must be the path of an entity, not "".'],
  ['flaky', { seed: 1.5 }, "'seed' must be a whole number, not 1.5."],
])('the preset %s with %j is refused, and does nothing: %s', (name, options, message) => {
  expect(() => faults.addPreset(name, options)).toThrow(new FaultError(message));
  expect([acts, faults.list()]).toEqual([[], []]);
});

test.each([0, 2.5])('the preset throttled lets no %f operations pass', (perSecond) => {
  expect(() => faults.addPreset('throttled', { perSecond })).toThrow(
    new FaultError(`'perSecond' must be a whole number of at least 1, not ${perSecond}.`),
  );
});
