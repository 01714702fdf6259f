// Deferral: a message set aside, and received again by its number alone.

import { describe, expect, it } from 'vitest';
import {
  ABANDON,
  type BrokerUnderTest,
  COMPLETE,
  changesOf,
  DEAD_LETTER,
  DEFER,
  failureOf,
  messagesOf,
  RELEASE,
  withQueue,
} from '../../support/broker-builders.js';

const DLQ = 'orders/$DeadLetterQueue';

/** The first message is deferred, the second is not. */
function withDeferred(given = {}): BrokerUnderTest {
  const bus = withQueue(given);
  bus.send('orders', 'deferred', 'active');
  bus.settle('orders', bus.receiveOne('orders'), DEFER);
  return bus;
}

function stateOf(bus: BrokerUnderTest, entityPath = 'orders') {
  const [first] = bus.peek(entityPath);
  return first && { state: first.properties.state, count: first.properties.deliveryCount };
}

describe('deferring', () => {
  it('ends the lock, counts the delivery and keeps the message with its number [SET-04, DLV-02, DEF-01, M16]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const held = bus.receiveOne('orders');
    const turn = bus.settle('orders', held, { kind: 'defer', changes: [{ name: 'why', value: 'early' }] });
    expect(turn.events).toMatchObject([
      { kind: 'message-put', message: { sequenceNumber: 1, state: 1, deliveryCount: 1 } },
    ]);
    expect(failureOf(bus.settle('orders', held, COMPLETE))?.reason).toBe('message-lock-lost');
    expect(stateOf(bus)).toEqual({ state: 1, count: 1 });
  });

  it('takes the message out of the ordinary flow [DEF-01, S4-10]', () => {
    const bus = withDeferred();
    expect(bus.receive('orders', 9).map((one) => bus.textOf(one))).toEqual(['active']);
    bus.tickAfter(1_000_000_000);
    expect(bus.receive('orders', 9).map((one) => bus.textOf(one))).toEqual(['active']);
  });

  it('dead-letters the message at its last delivery, with the properties of the deferral [DLV-08, M16]', () => {
    const bus = withQueue({ maxDeliveryCount: 1 });
    bus.send('orders', 'a');
    const held = bus.receiveOne('orders');
    bus.settle('orders', held, { kind: 'defer', changes: [{ name: 'why', value: 'early' }] });
    expect(bus.peek('orders')).toEqual([]);
    const dead = bus.receiveOne(DLQ);
    expect(dead.properties).toMatchObject({ state: 0, deliveryCount: 1 });
    expect(changesOf(dead)).toMatchObject({ why: 'early', DeadLetterReason: 'MaxDeliveryCountExceeded' });
  });

  it('survives a restart [DEF-08, M37]', () => {
    const bus = withDeferred();
    bus.receiveOneDeferred('orders', 1);
    const restarted = bus.restarted();
    expect(restarted.receive('orders', 9).map((one) => restarted.textOf(one))).toEqual(['active']);
    expect(stateOf(restarted)).toEqual({ state: 1, count: 1 });
    expect(restarted.receiveDeferred('orders', [1]).result.kind).toBe('messages');
  });
});

describe('receiving by number', () => {
  it('locks the message under a new token for a lock duration; its state still says deferred [DEF-02, M21]', () => {
    const bus = withDeferred({ lockDurationMs: 5000 });
    bus.passTime(100);
    const turn = bus.receiveDeferred('orders', [1]);
    expect(turn.events).toEqual([]);
    const [message] = messagesOf(turn);
    expect(message).toMatchObject({
      properties: { sequenceNumber: 1, state: 1, deliveryCount: 1 },
      lockToken: expect.stringMatching(/^[0-9a-f]{32}$/),
      lockedUntil: bus.now + 5000,
    });
    expect(bus.broker.nextDeadline()).toBe(bus.now + 5000);
  });

  it('removes the message in receive-and-delete [DEF-02, M22]', () => {
    const bus = withDeferred();
    const turn = bus.receiveDeferred('orders', [1], 'receive-and-delete');
    expect(messagesOf(turn)).toMatchObject([{ contentId: 1, lockToken: undefined, lockedUntil: undefined }]);
    expect(turn.events.map(({ kind }) => kind)).toEqual(['message-removed', 'content-released']);
    expect(bus.peek('orders')).toHaveLength(1);
  });

  it('returns several messages in the order of the request', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b', 'c');
    for (let count = 0; count < 3; count++) bus.settle('orders', bus.receiveOne('orders'), DEFER);
    const messages = messagesOf(bus.receiveDeferred('orders', [3, 1]));
    expect(messages.map((one) => bus.textOf(one))).toEqual(['c', 'a']);
  });

  it('without numbers returns no messages [DEF-04]', () => {
    expect(messagesOf(withQueue().receiveDeferred('orders', []))).toEqual([]);
  });

  it.each([
    ['is missing', 99],
    ['is active', 2],
    ['is locked already', 3],
    ['is no number a message can have', -4],
  ])('fails as a whole when one %s, and locks none of them [DEF-03]', (_words, number) => {
    const bus = withQueue();
    bus.send('orders', 'deferred', 'a', 'deferred and locked', 'b');
    const held = bus.receive('orders', 3);
    for (const index of [0, 2]) {
      bus.settle('orders', { lockToken: held[index]?.lockToken ?? '' }, DEFER);
    }
    bus.settle('orders', { lockToken: held[1]?.lockToken ?? '' }, ABANDON);
    bus.receiveOneDeferred('orders', 3);
    const failure = failureOf(bus.receiveDeferred('orders', [1, number]));
    expect(failure).toEqual({
      reason: 'message-not-found',
      message:
        'Failed to lock one or more specified messages. Either the message is already locked or does not exist.',
    });
    expect(bus.receiveDeferred('orders', [1]).result.kind).toBe('messages');
  });

  it('fails when the messages together are too large for one answer, although each is small enough alone', () => {
    const bus = withQueue({}, { limits: { maxAnswerBytes: 10 } });
    bus.send('orders', 'eight by', 'eight by', 'longer than ten');
    for (let count = 0; count < 3; count++) bus.settle('orders', bus.receiveOne('orders'), DEFER);
    const failure = failureOf(bus.receiveDeferred('orders', [1, 2]));
    expect(failure?.reason).toBe('message-size-exceeded');
    expect(failure?.message).toContain('fewer');
    for (const number of [1, 2, 3])
      expect(bus.receiveDeferred('orders', [number]).result.kind).toBe('messages');
  });

  it('fails when a number is named twice', () => {
    expect(failureOf(withDeferred().receiveDeferred('orders', [1, 1]))?.reason).toBe('message-not-found');
  });

  it('is refused while receiving is disabled [ENT-07]', () => {
    const bus = withDeferred();
    bus.putQueue('orders', { status: 'ReceiveDisabled' });
    expect(failureOf(bus.receiveDeferred('orders', [1]))?.reason).toBe('entity-disabled');
  });
});

describe('a deferred message under a lock', () => {
  it.each([
    ['abandoned, deferred again and counted [DEF-06, DLV-08, M25]', ABANDON, { state: 1, count: 2 }],
    ['deferred, deferred again and counted [DEF-06, DLV-02, M27]', DEFER, { state: 1, count: 2 }],
    ['released, deferred again and not counted [SET-10]', RELEASE, { state: 1, count: 1 }],
  ])('is, when %s', (_words, outcome, expected) => {
    const bus = withDeferred();
    bus.settle('orders', bus.receiveOneDeferred('orders', 1), outcome);
    expect(stateOf(bus)).toEqual(expected);
    expect(bus.receive('orders', 9)).toHaveLength(1);
    expect(bus.receiveDeferred('orders', [1]).result.kind).toBe('messages');
  });

  it('is gone when it is completed [DEF-06, DEF-05, M24]', () => {
    const bus = withDeferred();
    bus.settle('orders', bus.receiveOneDeferred('orders', 1), COMPLETE);
    expect(bus.peek('orders')).toHaveLength(1);
  });

  it('becomes active in the dead-letter queue with its count unchanged when it is dead-lettered [DEF-06, M28, SET-05]', () => {
    const bus = withDeferred();
    bus.settle('orders', bus.receiveOneDeferred('orders', 1), DEAD_LETTER);
    expect(bus.receiveOne(DLQ).properties).toMatchObject({ sequenceNumber: 1, state: 0, deliveryCount: 1 });
  });

  it('is deferred again and counted when the lock expires [DEF-06, DLV-08, M25]', () => {
    const bus = withDeferred({ lockDurationMs: 5000 });
    bus.receiveOneDeferred('orders', 1);
    bus.tickAfter(5000);
    expect(stateOf(bus)).toEqual({ state: 1, count: 2 });
  });

  it('can be renewed', () => {
    const bus = withDeferred({ lockDurationMs: 5000 });
    const held = bus.receiveOneDeferred('orders', 1);
    bus.passTime(4000);
    bus.renew('orders', held.lockToken);
    bus.tickAfter(4999);
    expect(bus.settle('orders', held, COMPLETE).result).toEqual({ kind: 'done' });
  });

  it.each([
    [
      'abandoned',
      (bus: BrokerUnderTest, held: { readonly lockToken: string }) => bus.settle('orders', held, ABANDON),
    ],
    [
      'deferred again',
      (bus: BrokerUnderTest, held: { readonly lockToken: string }) => bus.settle('orders', held, DEFER),
    ],
    ['left until the lock ends', (bus: BrokerUnderTest) => bus.tickAfter(60_000)],
  ])('is dead-lettered when it is %s at the maximum of deliveries [DLV-08, M26, M27]', (_words, end) => {
    const bus = withDeferred({ maxDeliveryCount: 2 });
    end(bus, bus.receiveOneDeferred('orders', 1));
    const [dead] = bus.receive(DLQ);
    expect(dead && changesOf(dead)).toMatchObject({ DeadLetterReason: 'MaxDeliveryCountExceeded' });
    expect(dead?.properties.deliveryCount).toBe(2);
  });
});

describe('in a dead-letter queue', () => {
  it('deferring and receiving by number work, and nothing is counted [DEF-09, DLV-07, SET-12]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    bus.settle(DLQ, bus.receiveOne(DLQ), DEFER);
    expect(stateOf(bus, DLQ)).toEqual({ state: 1, count: 0 });
    bus.settle(DLQ, bus.receiveOneDeferred(DLQ, 1), ABANDON);
    expect(stateOf(bus, DLQ)).toEqual({ state: 1, count: 0 });
    bus.settle(DLQ, bus.receiveOneDeferred(DLQ, 1), COMPLETE);
    expect(bus.peek(DLQ)).toEqual([]);
  });

  it('the same holds for a queue that requires sessions [DEF-09, DLQ-03]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    const [queue] = bus.rows.queues();
    if (queue === undefined) throw new Error('no queue');
    bus.rows.apply([
      {
        kind: 'entity-put',
        entity: { ...queue, description: { ...queue.description, requiresSession: true } },
      },
    ]);
    const restarted = bus.restarted();
    restarted.settle(DLQ, restarted.receiveOne(DLQ), DEFER);
    restarted.settle(DLQ, restarted.receiveOneDeferred(DLQ, 1), COMPLETE);
    expect(restarted.peek(DLQ)).toEqual([]);
  });
});
