// What falls due in an entity that is not active: scheduled messages, expiry, and the way on to other entities.

import { describe, expect, it } from 'vitest';
import { describeTopic } from '../../../src/broker/contract/entities/topic-description.js';
import { BrokerUnderTest, messageOf, START } from '../../support/broker-builders.js';
import {
  event,
  pathOf,
  publish,
  subscribe,
  succeed,
  TOPIC,
  withTopic,
} from '../../support/topic-builders.js';
import { countsOf, drain, transfer, withFull } from '../../support/transfer-builders.js';

const SECOND = 1000;
const QUEUE_STATUSES = ['Disabled', 'SendDisabled', 'ReceiveDisabled'] as const;
const TOPIC_STATUSES = ['Disabled', 'SendDisabled'] as const;

function putTopic(bus: BrokerUnderTest, status: 'Active' | (typeof TOPIC_STATUSES)[number]) {
  succeed(bus.execute({ kind: 'put-entity', type: 'topic', description: describeTopic(TOPIC, { status }) }));
}

function statesIn(bus: BrokerUnderTest, entityPath: string) {
  return bus.peek(entityPath).map(({ properties }) => properties.state);
}

describe('a scheduled message that falls due', () => {
  it.each(TOPIC_STATUSES)(
    'in a topic that is %s waits until the topic is active again, and its time to live begins then [SCH-11, TTL-04]',
    (status) => {
      const bus = withTopic();
      subscribe(bus, 'one');
      publish(bus, event({}, { scheduledEnqueueTime: START + SECOND, timeToLiveMs: 60 * SECOND }));
      putTopic(bus, status);
      bus.tickAfter(10 * SECOND);
      expect(bus.broker.nextDeadline()).toBe(Number.POSITIVE_INFINITY);
      const restarted = bus.restarted();
      restarted.tickAfter(SECOND);
      expect(statesIn(restarted, TOPIC)).toEqual([2]);
      putTopic(restarted, 'Active');
      restarted.tickAfter(1);
      expect(statesIn(restarted, TOPIC)).toEqual([]);
      expect(restarted.receiveOne(pathOf('one')).properties).toMatchObject({
        enqueuedTime: restarted.now,
        expiresAt: restarted.now + 60 * SECOND,
      });
    },
  );

  it('in a disabled topic can be cancelled [SCH-11, SCH-06]', () => {
    const bus = withTopic();
    publish(bus, event({}, { scheduledEnqueueTime: START + SECOND }));
    putTopic(bus, 'Disabled');
    bus.passTime(10 * SECOND);
    succeed(bus.execute({ kind: 'cancel-scheduled', entityPath: TOPIC, sequenceNumbers: [1] }));
    expect(bus.peek(TOPIC)).toEqual([]);
  });

  it.each(QUEUE_STATUSES)('in a queue that is %s is enqueued [SCH-11]', (status) => {
    const bus = new BrokerUnderTest();
    bus.putQueue('orders');
    bus.send('orders', messageOf('a', { scheduledEnqueueTime: START + SECOND }));
    bus.putQueue('orders', { status });
    bus.tickAfter(SECOND);
    expect(statesIn(bus, 'orders')).toEqual([0]);
  });

  it.each(['Disabled', 'ReceiveDisabled'] as const)(
    'is copied into a subscription that is %s [SCH-08, ENT-06]',
    (status) => {
      const bus = withTopic();
      subscribe(bus, 'one', { status });
      publish(bus, event({}, { scheduledEnqueueTime: START + SECOND }));
      bus.tickAfter(SECOND);
      expect(statesIn(bus, pathOf('one'))).toEqual([0]);
    },
  );
});

describe('no status stops', () => {
  const expiring = { timeToLiveMs: SECOND };

  it.each(QUEUE_STATUSES)('the expiry of messages in a queue that is %s [ENT-11, TTL-09]', (status) => {
    const bus = new BrokerUnderTest();
    bus.putQueue('orders');
    bus.send('orders', messageOf('a', expiring));
    bus.putQueue('orders', { status });
    bus.tickAfter(SECOND);
    expect(bus.peek('orders')).toEqual([]);
  });

  it.each([
    ['Disabled', 'Active'],
    ['Active', 'Disabled'],
    ['Disabled', 'ReceiveDisabled'],
  ] as const)(
    'the expiry of messages where the topic is %s and the subscription %s [ENT-11, TTL-09]',
    (topic, status) => {
      const bus = withTopic();
      subscribe(bus, 'one');
      publish(bus, event({}, expiring));
      putTopic(bus, topic);
      subscribe(bus, 'one', { status });
      bus.tickAfter(SECOND);
      expect(bus.peek(pathOf('one'))).toEqual([]);
    },
  );

  it.each(QUEUE_STATUSES)('the forwarding out of a queue that is %s [ENT-11, FWD-01]', (status) => {
    const bus = new BrokerUnderTest();
    bus.putQueue('archive');
    bus.putQueue('orders', { forwardTo: 'archive' });
    bus.send('orders', messageOf('a', { scheduledEnqueueTime: START + SECOND }));
    bus.putQueue('orders', { forwardTo: 'archive', status });
    bus.tickAfter(SECOND);
    expect(bus.peek('archive')).toHaveLength(1);
  });

  it.each(['Disabled', 'ReceiveDisabled'] as const)(
    'the forwarding out of a subscription that is %s [ENT-11, FWD-01]',
    (status) => {
      const bus = withTopic();
      bus.putQueue('archive');
      subscribe(bus, 'one', { forwardTo: 'archive', status });
      publish(bus, event({}));
      expect(bus.peek('archive')).toHaveLength(1);
    },
  );

  it.each(QUEUE_STATUSES)(
    'what waits in a queue that is %s for room at its destination [ENT-11, TXN-11]',
    (status) => {
      const bus = withFull();
      succeed(transfer(bus, ['a']));
      bus.putQueue('via', { status });
      drain(bus, 'there');
      bus.tickAfter(30 * SECOND);
      expect(countsOf(bus)).toEqual({ waiting: 0, failed: 0 });
      expect(bus.peek('there')).toHaveLength(1);
    },
  );
});
