// Faults that a message carries in its application property: once to each message id, and words that are refused.

import { beforeEach, describe, expect, test } from 'vitest';
import type { FaultOperation } from '../../src/steer/fault.js';
import { Faults } from '../../src/steer/faults.js';
import { countingGuids } from '../support/broker-builders.js';
import { messageView } from './fault-message.js';

const BUSY = 'com.microsoft:server-busy';

let faults: Faults;
beforeEach(() => {
  faults = new Faults({ nextGuid: countingGuids(), now: () => 0, readsProperty: true });
});

type Carried = { readonly operation?: FaultOperation; readonly id?: string };

function find(text: string | number, { operation = 'send', id = 'a' }: Carried = {}) {
  const messages = () => [messageView({ messageId: id, user: { 'x-jitney-fault': text } })];
  return faults.find({ operation, path: 'orders', protocol: 'amqp', messages });
}

/** Whether it befalls each of four sends of the message. */
const befallsEach = (text: string) => [1, 2, 3, 4].map(() => find(text) !== undefined);

test('is looked for only where it was asked for', () => {
  const deaf = new Faults({ nextGuid: countingGuids(), now: () => 0 });
  const messages = () => [messageView({ user: { 'x-jitney-fault': 'server-busy' } })];
  expect(deaf.isArmed).toBe(false);
  expect(deaf.find({ operation: 'send', path: '', protocol: 'amqp', messages })).toBeUndefined();
  expect([faults.isArmed, faults.needsSettled]).toEqual([true, true]);
});

describe('a fault of a message', () => {
  test('befalls its send once, so that a client that sends again succeeds, and has no number', () => {
    expect(find('server-busy')).toEqual({
      faultId: 0,
      effect: { kind: 'error', condition: BUSY, text: undefined },
      delayMs: 0,
    });
    expect(find('server-busy')).toBeUndefined();
    expect(find('server-busy', { id: 'b' })).toBeDefined();
  });

  test('has at most 1,000 characters: a longer one is refused, and not remembered', () => {
    expect(find('server-busy'.padEnd(1000))).toBeDefined();
    const effect = find('server-busy'.padEnd(30_000, 'x'))?.effect;
    expect(effect).toMatchObject({ kind: 'error', condition: 'com.microsoft:argument-error' });
    const [, text] = Object.values(effect ?? {}).slice(-2);
    expect(text).toContain('It has 30000 characters');
  });

  test.each([
    ['server-busy times=2', [true, true, false, false]],
    ['server-busy nth=2', [false, true, false, false]],
    ['server-busy nth=2 times=2', [false, true, true, false]],
  ])('happens as often as it says: %s', (text, expected) => {
    expect(befallsEach(text)).toEqual(expected);
  });

  test('befalls the operations that it names, each once', () => {
    const text = 'on=send,complete lose-answer';
    expect(find(text, { operation: 'receive' })).toBeUndefined();
    for (const operation of ['send', 'complete'] as const) {
      expect(find(text, { operation })?.effect).toEqual({ kind: 'lose-answer' });
      expect(find(text, { operation })).toBeUndefined();
    }
  });

  test('happens for the first message of a batch that carries one', () => {
    const [plain, busy] = [{ messageId: '1' }, { messageId: '2', user: { 'x-jitney-fault': 'timeout' } }];
    const messages = () => [plain, busy].map(messageView);
    const fired = faults.find({ operation: 'send', path: '', protocol: 'amqp', messages });
    expect(fired?.effect).toMatchObject({ condition: 'com.microsoft:timeout' });
  });

  test('comes after those that were added', () => {
    const { id } = faults.add({ on: 'send', error: 'timeout', times: 1 });
    expect(find('server-busy')?.faultId).toBe(id);
    expect(find('server-busy')?.faultId).toBe(0);
  });

  test('that cannot be read fails the send each time, and says why, and nothing else', () => {
    const refused = {
      faultId: 0,
      delayMs: 0,
      effect: {
        kind: 'error',
        condition: 'com.microsoft:argument-error',
        text: "The property 'x-jitney-fault' cannot be read: 'server-bussy' is not a condition that clients know. Did you mean 'server-busy'?",
      },
    };
    expect([find('server-bussy'), find('server-bussy')]).toEqual([refused, refused]);
    expect(find('server-bussy', { operation: 'receive' })).toBeUndefined();
  });

  test.each([[7], ['send status=503']])('that says nothing to AMQP is passed over: %s', (text) => {
    expect(find(text)).toBeUndefined();
  });

  test('is forgotten after 10,000 others: then it happens again', () => {
    expect(find('server-busy')).toBeDefined();
    for (let count = 0; count < 9_999; count++) find('server-busy', { id: `other ${count}` });
    expect(find('server-busy')).toBeUndefined();
    for (let count = 0; count < 10_000; count++) find('server-busy', { id: `another ${count}` });
    expect(find('server-busy')).toBeDefined();
  });
});
