// Browsing: what is shown, in which order and how much of it, and that nothing comes of it.

import { describe, expect, it } from 'vitest';
import {
  ABANDON,
  COMPLETE,
  DEAD_LETTER,
  DEFER,
  failureOf,
  messageOf,
  messageOfSize,
  START,
  withQueue,
} from '../../support/broker-builders.js';

const DLQ = 'orders/$DeadLetterQueue';

function peekCommand(fromSequenceNumber: number, maxCount: number) {
  return { kind: 'peek', entityPath: 'orders', fromSequenceNumber, maxCount } as const;
}

describe('peek', () => {
  it('starts at the number or the next existing one, and returns up to the count [PEEK-01]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b', 'c', 'd', 'e');
    bus.receive('orders', 2, 'receive-and-delete');
    const numbers = (from: number, count: number) =>
      bus.peek('orders', from, count).map(({ properties }) => properties.sequenceNumber);
    expect(numbers(0, 9)).toEqual([3, 4, 5]);
    expect(numbers(1, 2)).toEqual([3, 4]);
    expect(numbers(4, 1)).toEqual([4]);
    expect(numbers(-7, 1)).toEqual([3]);
  });

  it('finds nothing beyond the last message, nor in an empty queue [PEEK-02]', () => {
    const bus = withQueue();
    expect(bus.peek('orders')).toEqual([]);
    bus.send('orders', 'a');
    expect(bus.peek('orders', 2)).toEqual([]);
  });

  it('shows messages of every state with their state, locked ones as they were [PEEK-03]', () => {
    const bus = withQueue();
    bus.send('orders', 'deferred', 'deferred and locked', 'locked', 'active', 'completed');
    bus.send('orders', messageOf('scheduled', { scheduledEnqueueTime: START + 1000 }));
    for (let count = 0; count < 2; count++) bus.settle('orders', bus.receiveOne('orders'), DEFER);
    bus.receiveOneDeferred('orders', 2);
    const held = bus.receive('orders', 3);
    for (const [index, outcome] of [
      [1, ABANDON],
      [2, COMPLETE],
    ] as const) {
      bus.settle('orders', { lockToken: held[index]?.lockToken ?? '' }, outcome);
    }
    expect(bus.peek('orders').map((one) => [bus.textOf(one), one.properties.state])).toEqual([
      ['deferred', 1],
      ['deferred and locked', 1],
      ['locked', 0],
      ['active', 0],
      ['scheduled', 2],
    ]);
  });

  it('shows the delivery count as it is, and no lock token [DLV-01, PEEK-05, SET-13]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    bus.settle('orders', bus.receiveOne('orders'), ABANDON);
    bus.receiveOne('orders');
    expect(bus.peek('orders')).toMatchObject([
      { properties: { deliveryCount: 1 }, lockToken: undefined, lockedUntil: undefined },
    ]);
  });

  it('changes nothing: no lock, no count, no expiry [PEEK-04]', () => {
    const bus = withQueue({}, { behaviour: { expirySweep: 'whenListening' } });
    bus.send('orders', messageOf('a', { timeToLiveMs: 5 }), 'b');
    bus.passTime(10);
    const turn = bus.execute(peekCommand(0, 9));
    expect([turn.events, turn.effects]).toEqual([[], []]);
    expect(bus.peek('orders')).toHaveLength(2);
    expect(bus.receiveOne('orders').properties).toMatchObject({ sequenceNumber: 2, deliveryCount: 0 });
  });

  it('of the dead-letter queue shows its messages and no others [PEEK-10, PEEK-03]', () => {
    const bus = withQueue();
    bus.send('orders', 'dead', 'alive');
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    expect(bus.peek(DLQ).map((one) => bus.textOf(one))).toEqual(['dead']);
    expect(bus.peek('orders').map((one) => bus.textOf(one))).toEqual(['alive']);
  });

  it('returns at most a fixed number of messages for any requested count [PEEK-02]', () => {
    const bus = withQueue({}, { limits: { maxPeekCount: 3 } });
    bus.send('orders', 'a', 'b', 'c', 'd');
    expect(bus.peek('orders', 0, 2_147_483_647)).toHaveLength(3);
  });

  it('returns at most a total size, but always one message of any size [PEEK-02]', () => {
    const bus = withQueue({}, { limits: { maxPeekBytes: 10_000 } });
    bus.send('orders', messageOfSize(4000));
    bus.send('orders', messageOfSize(4000));
    bus.send('orders', messageOfSize(20_000));
    expect(bus.peek('orders', 1)).toHaveLength(2);
    expect(bus.peek('orders', 2)).toHaveLength(1);
    expect(bus.peek('orders', 3)).toHaveLength(1);
  });

  it.each([0, -1, -2_147_483_648])('refuses a count of %i', (count) => {
    const failure = failureOf(withQueue().execute(peekCommand(0, count)));
    expect(failure?.reason).toBe('argument-out-of-range');
    expect(failure?.message).toContain(String(count));
  });

  it('works for any status of the queue', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    bus.putQueue('orders', { status: 'Disabled' });
    expect(bus.peek('orders')).toHaveLength(1);
  });
});
