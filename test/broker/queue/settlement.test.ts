// The ways a delivery is ended by its receiver, and when that fails.

import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/broker/contract/command.js';
import {
  ABANDON,
  BrokerUnderTest,
  COMPLETE,
  changesOf,
  DEAD_LETTER,
  DEFER,
  failureOf,
  RELEASE,
  withQueue,
} from '../../support/broker-builders.js';

const NO_TOKEN = { lockToken: '0'.repeat(32) };

function withLockedMessage() {
  const bus = withQueue();
  bus.send('orders', 'a');
  return { bus, held: bus.receiveOne('orders') };
}

describe('settling', () => {
  it('complete removes the message and its content [SET-01, M9]', () => {
    const { bus, held } = withLockedMessage();
    const turn = bus.settle('orders', held, COMPLETE);
    expect(turn).toEqual({
      result: { kind: 'done' },
      events: [
        { kind: 'message-removed', storeId: 1, sequenceNumber: 1 },
        { kind: 'content-released', contentId: 1 },
      ],
      effects: [],
    });
    expect(bus.receive('orders')).toEqual([]);
  });

  it('abandon makes the message available at once, counted [SET-03, DLV-02, M10]', () => {
    const { bus, held } = withLockedMessage();
    const turn = bus.settle('orders', held, ABANDON);
    expect(turn.events).toMatchObject([{ kind: 'message-put', storeId: 1, message: { deliveryCount: 1 } }]);
    expect(bus.receiveOne('orders').properties.deliveryCount).toBe(1);
  });

  it('release makes the message available at once, not counted, with nothing durable [SET-10, DLV-02, M14]', () => {
    const { bus, held } = withLockedMessage();
    expect(bus.settle('orders', held, RELEASE).events).toEqual([]);
    expect(bus.receiveOne('orders').properties.deliveryCount).toBe(0);
  });

  it('release may be repeated beyond the maximum of deliveries [SET-10]', () => {
    const bus = withQueue({ maxDeliveryCount: 1 });
    bus.send('orders', 'a');
    for (let i = 0; i < 3; i++) bus.settle('orders', bus.receiveOne('orders'), RELEASE);
    expect(bus.receive('orders')).toHaveLength(1);
  });
});

describe('properties to modify', () => {
  const redelivered = (...outcomes: Outcome[]) => {
    const bus = withQueue();
    bus.send('orders', 'a');
    for (const outcome of outcomes) bus.settle('orders', bus.receiveOne('orders'), outcome);
    return bus;
  };

  it('are seen with the next delivery, and after a restart [SET-07, M10]', () => {
    const bus = redelivered({ kind: 'abandon', changes: [{ name: 'attempt', value: 'first' }] });
    expect(changesOf(bus.receiveOne('orders'))).toEqual({ attempt: 'first' });
    expect(changesOf(bus.restarted().receiveOne('orders'))).toEqual({ attempt: 'first' });
  });

  it('replace earlier ones of the same name and leave the others [SET-07]', () => {
    const encoded = new Uint8Array([0x54, 0x02]);
    const bus = redelivered(
      {
        kind: 'abandon',
        changes: [
          { name: 'attempt', value: 'first' },
          { name: 'by', value: 'me' },
        ],
      },
      { kind: 'abandon', changes: [{ name: 'attempt', value: encoded }] },
    );
    expect(changesOf(bus.receiveOne('orders'))).toEqual({ attempt: encoded, by: 'me' });
  });

  it('leave earlier deliveries unchanged', () => {
    const { bus, held } = withLockedMessage();
    bus.settle('orders', held, { kind: 'abandon', changes: [{ name: 'attempt', value: 'first' }] });
    expect(held.properties.propertyChanges).toBeUndefined();
    expect(held.properties.deliveryCount).toBe(0);
  });
});

describe('settling fails', () => {
  const outcomes = [COMPLETE, ABANDON, RELEASE, DEFER, DEAD_LETTER];

  it.each(outcomes)('with message-lock-lost for an unknown token: $kind [SET-06, ERR-03, M19]', (outcome) => {
    const { bus } = withLockedMessage();
    const turn = bus.settle('orders', NO_TOKEN, outcome);
    expect(failureOf(turn)?.reason).toBe('message-lock-lost');
    expect(failureOf(turn)?.message).toMatch(/^The lock supplied is invalid\./);
    expect(turn.events).toEqual([]);
  });

  it.each([COMPLETE, ABANDON, RELEASE, DEAD_LETTER])('the second time: $kind [SET-06, M19]', (outcome) => {
    const { bus, held } = withLockedMessage();
    expect(bus.settle('orders', held, outcome).result).toEqual({ kind: 'done' });
    expect(failureOf(bus.settle('orders', held, outcome))?.reason).toBe('message-lock-lost');
  });

  it("with another queue's token", () => {
    const { bus, held } = withLockedMessage();
    bus.putQueue('invoices');
    expect(failureOf(bus.settle('invoices', held, COMPLETE))?.reason).toBe('message-lock-lost');
    expect(bus.settle('orders', held, COMPLETE).result).toEqual({ kind: 'done' });
  });

  it('with session-lock-lost on a queue that requires sessions [SET-06]', () => {
    const bus = withQueue({ requiresSession: true });
    expect(failureOf(bus.settle('orders', NO_TOKEN, COMPLETE))?.reason).toBe('session-lock-lost');
    const onDeadLetters = bus.settle('orders/$DeadLetterQueue', NO_TOKEN, COMPLETE);
    expect(failureOf(onDeadLetters)?.reason).toBe('message-lock-lost');
  });

  it('with entity-not-found for an unknown queue', () => {
    const turn = new BrokerUnderTest().settle('nowhere', NO_TOKEN, COMPLETE);
    expect(failureOf(turn)?.reason).toBe('entity-not-found');
  });
});

describe('a token', () => {
  it("of the dead-letter queue is good at the main queue's path and the other way round", () => {
    const { bus, held } = withLockedMessage();
    bus.settle('orders/$DeadLetterQueue', held, DEAD_LETTER);
    const dead = bus.receiveOne('orders/$deadletterqueue');
    expect(bus.settle('ORDERS', dead, COMPLETE).result).toEqual({ kind: 'done' });
  });
});

describe('while receiving is disabled', () => {
  it('locks cannot be settled or renewed, but they run on [ENT-08]', () => {
    const { bus, held } = withLockedMessage();
    bus.putQueue('orders', { status: 'ReceiveDisabled' });
    expect(failureOf(bus.settle('orders', held, COMPLETE))?.reason).toBe('entity-disabled');
    expect(failureOf(bus.renew('orders', held.lockToken))?.reason).toBe('entity-disabled');
    bus.putQueue('orders', { status: 'Active' });
    expect(bus.settle('orders', held, COMPLETE).result).toEqual({ kind: 'done' });
  });

  it('a delivery that never reached its receiver can still be released', () => {
    const { bus, held } = withLockedMessage();
    bus.putQueue('orders', { status: 'Disabled' });
    expect(bus.settle('orders', held, RELEASE).result).toEqual({ kind: 'done' });
  });
});
