// What a broker is after a restart: everything durable is back, everything volatile is gone.

import { describe, expect, it } from 'vitest';
import { NEVER } from '../../src/broker/contract/instant.js';
import { ABANDON, BrokerUnderTest, COMPLETE, failureOf, withQueue } from '../support/broker-builders.js';

describe('after a restart', () => {
  it('locks are dropped: messages are available with their count unchanged [LNK-06, M37]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    bus.settle('orders', bus.receiveOne('orders'), ABANDON);
    const held = bus.receiveOne('orders');
    const restarted = bus.restarted();
    expect(failureOf(restarted.settle('orders', held, COMPLETE))?.reason).toBe('message-lock-lost');
    expect(restarted.broker.nextDeadline()).toBe(NEVER);
    expect(restarted.receiveOne('orders').properties.deliveryCount).toBe(1);
  });

  it('messages are delivered in the order of their numbers, in whatever order they were restored [RCV-07]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b', 'c');
    const reversed = new BrokerUnderTest();
    const queues = bus.rows.stored().filter((event) => event.kind !== 'message-put');
    reversed.broker.restore([...queues, ...[...bus.rows.messages()].reverse()]);
    const numbers = reversed.receive('orders', 3).map((delivery) => delivery.properties.sequenceNumber);
    expect(numbers).toEqual([1, 2, 3]);
  });

  it('no content id is assigned twice', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b');
    const { events } = bus.restarted().send('orders', 'c');
    expect(events).toContainEqual(expect.objectContaining({ kind: 'content-stored', contentId: 3 }));
  });

  it('where the rows of emptied stores lie is known until the first turn, and no deleted store is kept for it', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    bus.execute({ kind: 'purge', entityPath: 'orders' });
    bus.send('orders', 'b');
    const puts = [...bus.rows.messages()].filter(({ message }) => message.sequenceNumber === 2);
    const { broker } = bus.restarted();
    broker.execute({ kind: 'tick' }, bus.now);
    expect(puts).toHaveLength(1);
    expect(() => broker.restore(puts)).toThrow('belongs to no entity');
  });

  it('a message of an unknown store means a broken journal', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const { broker } = withQueue();
    const foreign = [...bus.rows.messages()].map((put) => ({ ...put, storeId: 99 }));
    expect(() => broker.restore(foreign)).toThrow('belongs to no entity');
  });
});
