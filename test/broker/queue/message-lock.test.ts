// How long a message is locked, what renewing does, and what happens when a lock expires.

import { describe, expect, it } from 'vitest';
import { NEVER } from '../../../src/broker/contract/instant.js';
import {
  ABANDON,
  COMPLETE,
  changesOf,
  failureOf,
  START,
  sequenceNumbersTo,
  withQueue,
} from '../../support/broker-builders.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

describe('a lock that is not renewed', () => {
  it('expires in the very millisecond of lockedUntil; the message returns, counted [RCV-05, DLV-02, M13]', () => {
    const bus = withQueue({ lockDurationMs: 5 * SECOND });
    bus.send('orders', 'a');
    bus.receiveOne('orders');
    expect(bus.tickAfter(5 * SECOND - 1).events).toEqual([]);
    expect(bus.receive('orders')).toEqual([]);
    const turn = bus.tickAfter(1);
    expect(turn.events).toMatchObject([
      { kind: 'message-put', message: { sequenceNumber: 1, deliveryCount: 1 } },
    ]);
    expect(bus.receiveOne('orders').properties.deliveryCount).toBe(1);
  });

  it('ends on time even without a tick [SET-06, M19]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const held = bus.receiveOne('orders');
    bus.passTime(MINUTE);
    const turn = bus.settle('orders', held, COMPLETE);
    expect(failureOf(turn)?.reason).toBe('message-lock-lost');
    expect(turn.events).toMatchObject([{ kind: 'message-put', message: { deliveryCount: 1 } }]);
  });

  it('returns its message to a waiting receiver at once [M13]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    bus.receiveOne('orders');
    const linkId = bus.attachReceiver('orders');
    bus.setCredit(linkId, 1);
    expect(sequenceNumbersTo(linkId, bus.tickAfter(MINUTE))).toEqual([1]);
  });

  it('leaves its token invalid [SET-06, M19]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const old = bus.receiveOne('orders');
    bus.tickAfter(MINUTE);
    const current = bus.receiveOne('orders');
    expect(failureOf(bus.settle('orders', old, COMPLETE))?.reason).toBe('message-lock-lost');
    expect(bus.settle('orders', current, COMPLETE).result).toEqual({ kind: 'done' });
  });
});

describe('the last of N allowed deliveries', () => {
  const deadLetters = 'orders/$DeadLetterQueue';

  it('moves the message to the dead-letter queue when it is abandoned, with a count of N [DLV-06, DLQ-04, M11]', () => {
    const bus = withQueue({ maxDeliveryCount: 3 });
    bus.send('orders', 'a');
    const counts = [0, 1, 2].map(() => {
      const delivery = bus.receiveOne('orders');
      bus.settle('orders', delivery, ABANDON);
      return delivery.properties.deliveryCount;
    });
    expect(counts).toEqual([0, 1, 2]);
    expect(bus.receive('orders')).toEqual([]);
    const dead = bus.receiveOne(deadLetters);
    expect(dead.properties).toMatchObject({ sequenceNumber: 1, enqueuedTime: START, deliveryCount: 3 });
    expect(changesOf(dead)).toEqual({
      DeadLetterReason: 'MaxDeliveryCountExceeded',
      DeadLetterErrorDescription: 'Message could not be consumed after 3 delivery attempts.',
    });
  });

  it('moves it there in one turn when its lock expires [DLV-06, DLQ-13, M13]', () => {
    const bus = withQueue({ maxDeliveryCount: 1 });
    bus.send('orders', 'a');
    bus.receiveOne('orders');
    expect(bus.tickAfter(MINUTE).events).toMatchObject([
      { kind: 'message-removed', storeId: 1, sequenceNumber: 1 },
      { kind: 'message-put', storeId: 2, message: { sequenceNumber: 1, deliveryCount: 1 } },
    ]);
  });

  it("keeps the properties that the last abandon set, but with the broker's reason [SET-07, DLQ-05]", () => {
    const bus = withQueue({ maxDeliveryCount: 1 });
    bus.send('orders', 'a');
    bus.settle('orders', bus.receiveOne('orders'), {
      kind: 'abandon',
      changes: [
        { name: 'attempt', value: 'last' },
        { name: 'DeadLetterReason', value: 'mine' },
      ],
    });
    expect(changesOf(bus.receiveOne(deadLetters))).toMatchObject({
      attempt: 'last',
      DeadLetterReason: 'MaxDeliveryCountExceeded',
    });
  });

  it('is decided by the current maximum: a lowered one applies at the next end of a delivery [DLV-06]', () => {
    const bus = withQueue({ maxDeliveryCount: 10 });
    bus.send('orders', 'a');
    for (let i = 0; i < 4; i++) bus.settle('orders', bus.receiveOne('orders'), ABANDON);
    bus.putQueue('orders', { maxDeliveryCount: 2 });
    const last = bus.receiveOne('orders');
    bus.settle('orders', last, ABANDON);
    expect(bus.receive('orders')).toEqual([]);
    expect(changesOf(bus.receiveOne(deadLetters))).toMatchObject({
      DeadLetterErrorDescription: 'Message could not be consumed after 2 delivery attempts.',
    });
  });
});

describe('renewing a lock', () => {
  it('makes it last a full duration from now, any number of times [RCV-08, M18]', () => {
    const bus = withQueue({ lockDurationMs: 10 * SECOND });
    bus.send('orders', 'a');
    const held = bus.receiveOne('orders');
    for (let i = 1; i <= 3; i++) {
      bus.passTime(9 * SECOND);
      const turn = bus.renew('orders', held.lockToken);
      expect(turn.result).toEqual({ kind: 'renewed', lockedUntil: [bus.now + 10 * SECOND] });
      expect(turn.events).toEqual([]);
    }
    expect(bus.settle('orders', held, COMPLETE).result).toEqual({ kind: 'done' });
  });

  it('does not count as a delivery [DLV-02]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    bus.renew('orders', bus.receiveOne('orders').lockToken);
    bus.tickAfter(MINUTE);
    expect(bus.receiveOne('orders').properties.deliveryCount).toBe(1);
  });

  it('answers one time per token, in their order [RCV-08]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b');
    const [a, b] = [bus.receiveOne('orders'), bus.receiveOne('orders')];
    bus.passTime(SECOND);
    const until = bus.now + MINUTE;
    expect(bus.renew('orders', b.lockToken, a.lockToken).result).toEqual({
      kind: 'renewed',
      lockedUntil: [until, until],
    });
  });

  it('renews all of the tokens or none [RCV-08]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const held = bus.receiveOne('orders');
    bus.passTime(SECOND);
    const turn = bus.renew('orders', held.lockToken, 'f'.repeat(32));
    expect(failureOf(turn)?.reason).toBe('message-lock-lost');
    expect(bus.broker.nextDeadline()).toBe(START + MINUTE);
  });

  it('fails once the lock has ended [RCV-08, SET-06]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const held = bus.receiveOne('orders');
    bus.passTime(MINUTE);
    expect(failureOf(bus.renew('orders', held.lockToken))?.reason).toBe('message-lock-lost');
  });

  it('uses the present lock duration; earlier locks keep theirs [ENT-09]', () => {
    const bus = withQueue({ lockDurationMs: 10 * SECOND });
    bus.send('orders', 'a');
    const held = bus.receiveOne('orders');
    bus.putQueue('orders', { lockDurationMs: 30 * SECOND });
    expect(bus.broker.nextDeadline()).toBe(START + 10 * SECOND);
    bus.renew('orders', held.lockToken);
    expect(bus.broker.nextDeadline()).toBe(START + 30 * SECOND);
  });
});

describe('the next deadline', () => {
  it('is never while nothing is locked', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    expect(bus.broker.nextDeadline()).toBe(NEVER);
  });

  it('is the soonest end of a lock, and never again once all are settled', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b');
    const a = bus.receiveOne('orders');
    bus.passTime(SECOND);
    const b = bus.receiveOne('orders');
    expect(bus.broker.nextDeadline()).toBe(START + MINUTE);
    bus.settle('orders', a, COMPLETE);
    expect(bus.broker.nextDeadline()).toBe(START + SECOND + MINUTE);
    bus.settle('orders', b, COMPLETE);
    expect(bus.broker.nextDeadline()).toBe(NEVER);
  });
});

describe('whether a token still holds its lock', () => {
  it('is true until the lock ends or is settled', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const { lockToken } = bus.receiveOne('orders');
    expect(bus.broker.holdsLock(lockToken, START + MINUTE - 1)).toBe(true);
    expect(bus.broker.holdsLock(lockToken, START + MINUTE)).toBe(false);
    bus.settle('orders', { lockToken }, COMPLETE);
    expect(bus.broker.holdsLock(lockToken, START)).toBe(false);
  });
});

describe('time', () => {
  it('never goes back', () => {
    const bus = withQueue();
    bus.now -= 1;
    expect(() => bus.execute({ kind: 'tick' })).toThrow('time has gone back');
  });
});
