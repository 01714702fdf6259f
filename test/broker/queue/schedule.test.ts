// Scheduled messages: they wait, unseen by receivers, and are enqueued at their time or cancelled before.

import { describe, expect, it } from 'vitest';
import { NEVER } from '../../../src/broker/contract/instant.js';
import {
  ABANDON,
  type BrokerUnderTest,
  DEAD_LETTER,
  failureOf,
  messageOf,
  START,
  sequenceNumbersTo,
  withQueue,
} from '../../support/broker-builders.js';
import { pathOf, subscribe, TOPIC, withSubscriptions } from '../../support/topic-builders.js';

function at(text: string, scheduledEnqueueTime: number, given = {}) {
  return messageOf(text, { scheduledEnqueueTime, ...given });
}

function seen(bus: BrokerUnderTest): readonly (readonly [number, number])[] {
  return bus.peek('orders').map(({ properties }) => [properties.sequenceNumber, properties.state] as const);
}

describe('a scheduled message', () => {
  it('gets a number like any other, and is found by browsing [SCH-01, SCH-04, PEEK-03, M2]', () => {
    const bus = withQueue();
    bus.send('orders', 'now');
    expect(bus.send('orders', at('later', START + 500)).result).toEqual({
      kind: 'sent',
      sequenceNumbers: [2],
    });
    bus.send('orders', 'now too');
    expect(seen(bus)).toEqual([
      [1, 0],
      [2, 2],
      [3, 0],
    ]);
  });

  it('is delivered at its time and not before [SCH-02, S4-14]', () => {
    const bus = withQueue();
    bus.send('orders', at('a', START + 500));
    const linkId = bus.attachReceiver('orders');
    bus.setCredit(linkId, 1);
    expect(bus.broker.nextDeadline()).toBe(START + 500);
    expect(bus.tickAfter(499).effects).toEqual([]);
    expect(sequenceNumbersTo(linkId, bus.tickAfter(1))).toEqual([2]);
  });

  it('becomes active at the tail with a new number and time; the old number is unknown [SCH-03, M4, S2-16]', () => {
    const bus = withQueue();
    bus.send('orders', at('a', START + 500));
    bus.send('orders', 'b');
    const turn = bus.tickAfter(600);
    expect(turn.events.map(({ kind }) => kind)).toEqual(['message-removed', 'message-put', 'sequence-put']);
    const messages = bus.peek('orders');
    expect(messages.map((message) => bus.textOf(message))).toEqual(['b', 'a']);
    expect(messages[1]?.properties).toMatchObject({ sequenceNumber: 3, enqueuedTime: START + 600, state: 0 });
    expect(bus.peek('orders', 1)[0]?.properties.sequenceNumber).toBe(2);
  });

  it('lives from its activation on, by the default of that moment [TTL-04, M4, S1-09]', () => {
    const bus = withQueue();
    bus.send('orders', at('a', START + 300_000, { timeToLiveMs: 600_000 }), at('b', START + 300_000));
    expect(bus.peek('orders').map(({ properties }) => properties.expiresAt)).toEqual([NEVER, NEVER]);
    bus.putQueue('orders', { defaultMessageTimeToLiveMs: 700_000 });
    bus.tickAfter(300_000);
    expect(bus.peek('orders').map(({ properties }) => properties.expiresAt)).toEqual([
      START + 900_000,
      START + 1_000_000,
    ]);
    bus.tickAfter(600_000);
    expect(bus.queueInfo('orders').counts.active).toBe(1);
  });

  it.each([
    ['past', START - 1],
    ['present', START],
  ])('whose time is %s becomes active at once [SCH-05]', (_word, time) => {
    const bus = withQueue();
    expect(bus.send('orders', at('a', time)).result).toEqual({ kind: 'sent', sequenceNumbers: [1] });
    expect(bus.receiveOne('orders').properties).toMatchObject({ sequenceNumber: 1, enqueuedTime: START });
  });

  it('is enqueued once: there is no recurrence [SCH-09]', () => {
    const bus = withQueue();
    bus.send('orders', at('a', START + 5));
    bus.tickAfter(5);
    bus.receive('orders', 1, 'receive-and-delete');
    bus.tickAfter(1_000_000_000);
    expect(seen(bus)).toEqual([]);
  });

  it('may wait for any length of time [SCH-09]', () => {
    const bus = withQueue();
    bus.send('orders', at('a', 253_402_300_799_999));
    expect(bus.broker.nextDeadline()).toBe(253_402_300_799_999);
  });

  it('counts towards the size of the queue, and is counted for itself [SCH-11, CNT-01]', () => {
    const bus = withQueue();
    bus.send('orders', at('four', START + 5), 'b');
    expect(bus.queueInfo('orders')).toMatchObject({
      counts: { active: 1, scheduled: 1, deadLetter: 0 },
      sizeBytes: 5,
    });
  });

  it('cannot be sent to a queue that takes no sends [SCH-10]', () => {
    const bus = withQueue({ status: 'Disabled' });
    expect(failureOf(bus.send('orders', at('b', START + 5)))?.reason).toBe('entity-disabled');
  });

  it('needs a session id in a queue that requires sessions [SCH-10]', () => {
    const bus = withQueue({ requiresSession: true });
    expect(failureOf(bus.send('orders', at('a', START + 5)))?.reason).toBe('not-allowed');
    expect(bus.send('orders', at('a', START + 5, { sessionId: 's' })).result.kind).toBe('sent');
  });

  it('still waits after a restart, and is enqueued when its time has come meanwhile [SCH-02]', () => {
    const bus = withQueue();
    bus.send('orders', at('soon', START + 5, { timeToLiveMs: 100 }), at('later', START + 500));
    const restarted = bus.restarted();
    restarted.tickAfter(50);
    expect(seen(restarted)).toEqual([
      [2, 2],
      [3, 0],
    ]);
    expect(restarted.peek('orders', 3)[0]?.properties).toMatchObject({
      enqueuedTime: START + 50,
      expiresAt: START + 150,
    });
  });
});

describe('a message that had been scheduled', () => {
  const receivedFrom = (bus: BrokerUnderTest, path: string) => bus.receiveOne(path).properties;

  it('has its scheduled time for its receiver, after a restart too; one that was due when it came, or never scheduled, has none [SCH-03, MSG-09]', () => {
    const bus = withQueue();
    bus.send('orders', at('late', START), 'plain', at('waits', START + 5));
    const restarted = bus.restarted();
    restarted.tickAfter(5);
    const received = restarted.restarted().receive('orders', 3);
    expect(received.map((each) => [bus.textOf(each), each.properties.wasScheduled])).toEqual([
      ['late', false],
      ['plain', false],
      ['waits', true],
    ]);
    expect(received.map(({ properties }) => properties.state)).toEqual([0, 0, 0]);
  });

  it('has its scheduled time again when it comes back, but not where it was dead-lettered or forwarded to [MSG-09, DLQ-06, FWD-05]', () => {
    const bus = withQueue();
    bus.send('orders', at('a', START + 5), at('b', START + 5));
    bus.tickAfter(5);
    bus.settle('orders', bus.receiveOne('orders'), ABANDON);
    const again = bus.receiveOne('orders');
    expect(again.properties).toMatchObject({ wasScheduled: true, deliveryCount: 1 });
    bus.settle('orders', again, DEAD_LETTER);
    expect(receivedFrom(bus, 'orders/$DeadLetterQueue').wasScheduled).toBe(false);
    bus.putQueue('next');
    bus.putQueue('first', { forwardTo: 'next' });
    bus.send('first', at('c', bus.now + 5));
    bus.tickAfter(5);
    expect(receivedFrom(bus, 'next').wasScheduled).toBe(false);
  });

  it('has its scheduled time in every copy that a topic makes, but for those dead-lettered at once [SCH-08, MSG-09]', () => {
    const bus = withSubscriptions('all');
    subscribe(bus, 'sessions', { requiresSession: true });
    bus.send(TOPIC, at('plain', 0), at('waits', START + 5));
    bus.tickAfter(5);
    const received = bus.receive(pathOf('all'), 2);
    expect(received.map(({ properties }) => properties.wasScheduled)).toEqual([false, true]);
    const dead = bus.receive(`${pathOf('sessions')}/$DeadLetterQueue`, 2);
    expect(dead.map(({ properties }) => properties.wasScheduled)).toEqual([false, false]);
  });
});

describe('many scheduled messages', () => {
  it('become active in the order of their times, and at the same time in the order they were sent', () => {
    const bus = withQueue();
    bus.send('orders', at('d', START + 9), at('a', START + 5), at('b', START + 5), at('c', START + 8));
    bus.tickAfter(20);
    expect(bus.peek('orders').map((message) => bus.textOf(message))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('of one second are numbered without a gap when 100 of 1,000 are cancelled [SCH-06, SEQ-02]', () => {
    const bus = withQueue();
    const messages = Array.from({ length: 1000 }, (_, index) => at(`m${index}`, START + 1000 + (index % 7)));
    bus.send('orders', ...messages);
    const cancelled = Array.from({ length: 100 }, (_, index) => 1 + index * 10);
    expect(bus.cancelScheduled('orders', ...cancelled).result).toEqual({ kind: 'done' });
    bus.tickAfter(2000);
    while (bus.queueInfo('orders').counts.scheduled > 0) bus.tickAfter(1);
    const received = bus.receive('orders', 1000);
    expect(received.map(({ properties }) => properties.sequenceNumber)).toEqual(
      Array.from({ length: 900 }, (_, index) => 1001 + index),
    );
    const texts = new Set(received.map((delivery) => bus.textOf(delivery)));
    expect(cancelled.some((number) => texts.has(`m${number - 1}`))).toBe(false);
  });
});

describe('more messages than a turn enqueues', () => {
  it('come in several turns, in their order, one after the other without a pause', () => {
    const bus = withQueue();
    for (let batch = 0; batch < 5; batch++) {
      const messages = Array.from({ length: 4000 }, (_, index) =>
        at(`${batch * 4000 + index}`, START + 1000),
      );
      bus.send('orders', ...messages);
    }
    bus.tickAfter(1000);
    const { active } = bus.queueInfo('orders').counts;
    expect(active).toBeGreaterThan(0);
    expect(active).toBeLessThan(20_000);
    for (let turns = 1; turns < 200 && bus.broker.nextDeadline() < NEVER; turns++) {
      expect(bus.broker.nextDeadline()).toBe(bus.now + 1);
      bus.tickAfter(1);
    }
    const received = bus.receive('orders', 20_000);
    expect(received.map((one) => bus.textOf(one))).toEqual(
      Array.from({ length: 20_000 }, (_, index) => `${index}`),
    );
  });
});

describe('cancelling', () => {
  it('deletes the message: it is seen no more and never enqueued [SCH-06, M5, S2-13]', () => {
    const bus = withQueue();
    bus.send('orders', at('a', START + 5), at('b', START + 5));
    const turn = bus.cancelScheduled('orders', 1);
    expect(turn.result).toEqual({ kind: 'done' });
    expect(turn.events.map(({ kind }) => kind)).toEqual(['message-removed', 'content-released']);
    expect(seen(bus)).toEqual([[2, 2]]);
    bus.tickAfter(5);
    expect(bus.receive('orders', 9)).toHaveLength(1);
  });

  it.each([
    ['never existed', 99],
    ['is active already', 3],
    ['was cancelled before', 2],
    ['is beyond all numbers', Number.MAX_SAFE_INTEGER],
    ['is negative', -1],
  ])('a number that %s is not found, and nothing is cancelled [SCH-06]', (_words, number) => {
    const bus = withQueue();
    bus.send('orders', at('a', START + 5), at('b', START + 5), 'c');
    bus.cancelScheduled('orders', 2);
    expect(failureOf(bus.cancelScheduled('orders', 1, number))?.reason).toBe('message-not-found');
    expect(seen(bus)).toEqual([
      [1, 2],
      [3, 0],
    ]);
  });

  it('names the numbers in the error, but only the first few', () => {
    const numbers = Array.from({ length: 5000 }, () => 7);
    const bus = withQueue();
    bus.send('orders', ...Array.from({ length: 7 }, () => at('a', START + 5)));
    expect(failureOf(bus.cancelScheduled('orders', ...numbers))?.message.length).toBeLessThan(300);
  });

  it('a number named twice is refused', () => {
    const bus = withQueue();
    bus.send('orders', at('a', START + 5));
    expect(failureOf(bus.cancelScheduled('orders', 1, 1))?.reason).toBe('message-not-found');
    expect(bus.cancelScheduled('orders', 1).result).toEqual({ kind: 'done' });
  });

  it('fails once the message is active, and the counts are right [SCH-07]', () => {
    const bus = withQueue();
    bus.send('orders', at('a', START + 5));
    bus.passTime(5);
    expect(failureOf(bus.cancelScheduled('orders', 1))?.reason).toBe('message-not-found');
    expect(bus.queueInfo('orders').counts).toMatchObject({ active: 1, scheduled: 0, deadLetter: 0 });
  });
});
