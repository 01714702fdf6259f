// The counters and times of a queue.

import { describe, expect, it } from 'vitest';
import {
  COMPLETE,
  DEAD_LETTER,
  DEFER,
  failureOf,
  messageOf,
  START,
  withQueue,
} from '../../support/broker-builders.js';

describe('the info of a queue', () => {
  it('counts locked and deferred messages as active, and scheduled and dead-lettered ones apart [CNT-01]', () => {
    const bus = withQueue();
    bus.send('orders', 'dead', 'deferred', 'locked', 'active');
    bus.send('orders', messageOf('scheduled', { scheduledEnqueueTime: START + 5000 }));
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    bus.settle('orders', bus.receiveOne('orders'), DEFER);
    const held = bus.receiveOne('orders');
    expect(bus.queueInfo('orders').counts).toMatchObject({ active: 3, scheduled: 1, deadLetter: 1 });
    bus.settle('orders', held, COMPLETE);
    bus.tickAfter(5000);
    expect(bus.queueInfo('orders').counts).toMatchObject({ active: 3, scheduled: 0, deadLetter: 1 });
    expect(bus.restarted().queueInfo('orders').counts).toMatchObject({
      active: 3,
      scheduled: 0,
      deadLetter: 1,
    });
  });

  it('shows the size of all messages, dead-lettered ones included [CNT-02, DLQ-10]', () => {
    const bus = withQueue();
    expect(bus.queueInfo('orders').sizeBytes).toBe(0);
    bus.send('orders', 'four', 'five5');
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    expect(bus.queueInfo('orders').sizeBytes).toBe(9);
    bus.settle('orders', bus.receiveOne('orders'), COMPLETE);
    expect(bus.queueInfo('orders').sizeBytes).toBe(4);
  });

  it('shows when it was created, changed and used, in this order [CNT-03]', () => {
    const bus = withQueue();
    bus.passTime(1000);
    bus.putQueue('orders', { maxDeliveryCount: 3 });
    bus.passTime(1000);
    bus.send('orders', 'a');
    expect(bus.queueInfo('Orders')).toMatchObject({
      description: { name: 'orders', maxDeliveryCount: 3 },
      createdTime: START,
      updatedTime: START + 1000,
      accessedTime: START + 2000,
    });
    bus.passTime(1000);
    bus.receive('orders');
    expect(bus.queueInfo('orders').accessedTime).toBe(START + 3000);
    bus.passTime(1000);
    expect(bus.queueInfo('orders').accessedTime).toBe(START + 3000);
  });

  it('shows no access before the first use, whatever is changed, nor after a restart without one [CNT-03]', () => {
    const bus = withQueue();
    bus.passTime(1000);
    bus.putQueue('orders', { maxDeliveryCount: 3 });
    expect(bus.queueInfo('orders').accessedTime).toBeUndefined();
    const again = bus.restarted();
    again.passTime(1000);
    expect(again.queueInfo('orders').accessedTime).toBeUndefined();
    again.receive('orders');
    expect(again.queueInfo('orders').accessedTime).toBe(START + 2000);
    again.send('orders', 'a');
    expect(again.restarted().queueInfo('orders').accessedTime).toBe(START + 2000);
  });

  it('is not found for a missing queue', () => {
    const turn = withQueue().execute({ kind: 'get-entity', entityPath: 'nowhere' });
    expect(failureOf(turn)?.reason).toBe('entity-not-found');
  });
});
