// Expiry: when a message may no longer be had, and what becomes of it then.

import { describe, expect, it } from 'vitest';
import { NEVER } from '../../../src/broker/contract/instant.js';
import {
  ABANDON,
  type BrokerUnderTest,
  COMPLETE,
  changesOf,
  DEAD_LETTER,
  DEFER,
  failureOf,
  messageOf,
  RELEASE,
  START,
  sequenceNumbersTo,
  withQueue,
} from '../../support/broker-builders.js';

const DLQ = 'orders/$DeadLetterQueue';
const EXPIRED = {
  DeadLetterReason: 'TTLExpiredException',
  DeadLetterErrorDescription: 'The message expired and was dead lettered.',
};

function living(text: string, timeToLiveMs: number) {
  return messageOf(text, { timeToLiveMs });
}

function numbersIn(bus: BrokerUnderTest, entityPath: string): readonly number[] {
  return bus.peek(entityPath).map(({ properties }) => properties.sequenceNumber);
}

describe('a message that has expired when it returns', () => {
  it('is dead-lettered before dead letters are delivered, the lower number first [RCV-07, TTL-07]', () => {
    const bus = withQueue({ deadLetteringOnMessageExpiration: true, lockDurationMs: 5000 });
    bus.send('orders', messageOf('1', { timeToLiveMs: 2000 }), messageOf('2'));
    const [first, second] = bus.receive('orders', 2);
    bus.settle('orders', { lockToken: second?.lockToken ?? '' }, DEAD_LETTER);
    const linkId = bus.attachReceiver('orders/$DeadLetterQueue');
    bus.setCredit(linkId, 3); // it holds the second
    bus.passTime(1);
    bus.renew('orders', first?.lockToken ?? '');
    bus.passTime(20_000);
    expect(sequenceNumbersTo(linkId, bus.execute({ kind: 'tick' }))).toEqual([1, 2]);
  });
});

describe('the time a message expires at', () => {
  it('is its enqueued time plus its time to live, and is shown with it [TTL-01, TTL-12, S1-01]', () => {
    const bus = withQueue();
    bus.passTime(7);
    bus.send('orders', living('a', 5000));
    expect(bus.peek('orders')[0]?.properties.expiresAt).toBe(START + 7 + 5000);
    expect(bus.receiveOne('orders').properties.expiresAt).toBe(START + 7 + 5000);
  });

  it.each([
    ['a message without its own has the default', undefined, 3000, 3000],
    ['a longer one is lowered to the default, silently', 9000, 3000, 3000],
    ['a shorter one is kept', 1000, 3000, 1000],
    ['without either it never comes', undefined, NEVER, NEVER],
  ])('%s [TTL-02]', (_sentence, timeToLiveMs, defaultMessageTimeToLiveMs, expected) => {
    const bus = withQueue({ defaultMessageTimeToLiveMs });
    const turn = bus.send('orders', messageOf('a', { timeToLiveMs }));
    expect(turn.result.kind).toBe('sent');
    expect(bus.peek('orders')[0]?.properties.expiresAt).toBe(START + expected);
  });

  it('is at most 14 days away in the Basic tier, whatever queue and message say [TTL-02]', () => {
    const fortnight = 14 * 24 * 3_600_000;
    const bus = withQueue({}, { limits: { maxTimeToLiveMs: fortnight } });
    bus.send('orders', 'unlimited', living('long', 2 * fortnight));
    const ends = bus.peek('orders').map(({ properties }) => properties.expiresAt);
    expect(ends).toEqual([START + fortnight, START + fortnight]);
  });

  it('is told to be 14 days by default in the Basic tier, also after a change [ENT-10]', () => {
    const fortnight = 14 * 24 * 3_600_000;
    const bus = withQueue({}, { limits: { maxTimeToLiveMs: fortnight } });
    const { result } = bus.putQueue('orders', { maxDeliveryCount: 2 });
    expect(result).toMatchObject({
      entity: { description: { defaultMessageTimeToLiveMs: fortnight, maxDeliveryCount: 2 } },
    });
    expect(bus.putQueue('other').result).toMatchObject({
      entity: { description: { defaultMessageTimeToLiveMs: fortnight } },
    });
  });

  it('follows a changed default for messages sent afterwards, not for earlier ones [TTL-14]', () => {
    const bus = withQueue({ defaultMessageTimeToLiveMs: 5000 });
    bus.send('orders', 'before');
    bus.putQueue('orders', { defaultMessageTimeToLiveMs: 1000 });
    bus.send('orders', 'after');
    const ends = bus.peek('orders').map(({ properties }) => properties.expiresAt);
    expect(ends).toEqual([START + 5000, START + 1000]);
  });

  it("may not precede the creation of the message: that is the sender's error", () => {
    const bus = withQueue();
    expect(failureOf(bus.send('orders', 'good', living('bad', -1)))?.reason).toBe('argument');
    expect(bus.peek('orders')).toEqual([]);
  });
});

describe('an expired message', () => {
  it('is delivered before the instant of its expiry, and never from then on [TTL-05, RCV-13]', () => {
    const bus = withQueue();
    bus.send('orders', living('short', 5), living('long', 6));
    bus.passTime(4);
    expect(bus.receive('orders', 1, 'receive-and-delete')).toHaveLength(1);
    bus.send('orders', living('late', 2));
    bus.passTime(1);
    expect(bus.receive('orders', 9).map((one) => bus.textOf(one))).toEqual(['long', 'late']);
    bus.passTime(1);
    expect(bus.receive('orders')).toEqual([]);
  });

  it('is dropped, content and all, when the queue does not dead-letter it [TTL-08, M8]', () => {
    const bus = withQueue();
    bus.send('orders', living('a', 5));
    const turn = bus.tickAfter(5);
    expect(turn.events.map(({ kind }) => kind)).toEqual(['message-removed', 'content-released']);
    expect([numbersIn(bus, 'orders'), numbersIn(bus, DLQ)]).toEqual([[], []]);
  });

  it('is dead-lettered with reason and description when the queue does [TTL-08, DLQ-04, M8, S1-16]', () => {
    const bus = withQueue({ deadLetteringOnMessageExpiration: true });
    bus.send('orders', living('a', 5), 'b');
    bus.tickAfter(5);
    expect(numbersIn(bus, 'orders')).toEqual([2]);
    const [dead] = bus.receive(DLQ);
    expect(dead && bus.textOf(dead)).toBe('a');
    expect(dead && changesOf(dead)).toEqual(EXPIRED);
    expect(dead?.properties).toMatchObject({ sequenceNumber: 1, deliveryCount: 0, state: 0 });
  });

  it('is removed on time without any request, because the next deadline includes it [TTL-09]', () => {
    const bus = withQueue();
    bus.send('orders', living('a', 700), living('b', 300));
    expect(bus.broker.nextDeadline()).toBe(START + 300);
    bus.tickAfter(300);
    expect(numbersIn(bus, 'orders')).toEqual([1]);
    expect(bus.broker.nextDeadline()).toBe(START + 700);
    bus.tickAfter(400);
    expect(bus.broker.nextDeadline()).toBe(NEVER);
  });

  it('is removed with some thousands of others at most; the rest follows a millisecond later [TTL-09]', () => {
    const bus = withQueue();
    for (let batch = 0; batch < 10; batch++) {
      bus.send('orders', ...Array.from({ length: 4000 }, () => living('old', 5)));
    }
    const counts: number[] = [];
    for (bus.tickAfter(5); counts.at(-1) !== 0; bus.tickAfter(1)) {
      counts.push(bus.queueInfo('orders').counts.active);
      expect((counts.at(-2) ?? 40_000) - (counts.at(-1) ?? 0)).toBeLessThan(20_000);
    }
    expect(counts.length).toBeGreaterThan(2);
  });

  it('is never delivered, even among many others [TTL-05, RCV-13]', () => {
    const bus = withQueue();
    for (let batch = 0; batch < 10; batch++) {
      bus.send('orders', ...Array.from({ length: 4000 }, () => living('old', 5)));
    }
    bus.passTime(5);
    const linkId = bus.attachReceiver('orders');
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 10))).toEqual([]);
    bus.send('orders', 'fresh');
    for (let turns = 0; turns < 120; turns++) bus.tickAfter(1);
    expect(bus.peek('orders').map((one) => bus.textOf(one))).toEqual(['fresh']);
  });

  it('whose time to live is over when it arrives is accepted, then removed [TTL-01]', () => {
    const bus = withQueue({ deadLetteringOnMessageExpiration: true });
    const linkId = bus.attachReceiver('orders');
    bus.setCredit(linkId, 1);
    const turn = bus.send('orders', living('a', 0));
    expect(turn.result).toEqual({ kind: 'sent', sequenceNumbers: [1] });
    expect(sequenceNumbersTo(linkId, turn)).toEqual([]);
    expect(numbersIn(bus, DLQ)).toEqual([1]);
  });

  it('expires although it is not the first in the queue, alone or with many others [TTL-09]', () => {
    const bus = withQueue();
    const texts = Array.from({ length: 20_000 }, (_, index) =>
      living(`m${index}`, index % 2 === 0 ? 10 : 99),
    );
    for (let index = 0; index < texts.length; index += 4000) {
      bus.send('orders', ...texts.slice(index, index + 4000));
    }
    bus.tickAfter(10);
    for (let turns = 0; bus.broker.nextDeadline() <= bus.now + 1 && turns < 120; turns++) bus.tickAfter(1);
    expect(bus.queueInfo('orders').counts.active).toBe(10_000);
  });
});

describe('expiry under a lock', () => {
  function withExpiredUnderLock(given = {}) {
    const bus = withQueue({ deadLetteringOnMessageExpiration: true, lockDurationMs: 1000, ...given });
    bus.send('orders', living('a', 5));
    const held = bus.receiveOne('orders');
    bus.tickAfter(100);
    return { bus, held };
  }

  it.each([
    ['completed', COMPLETE],
    ['deferred', DEFER],
    ['dead-lettered', DEAD_LETTER],
  ])('does not happen: the message is %s as usual [TTL-06]', (_word, outcome) => {
    const { bus, held } = withExpiredUnderLock();
    expect(numbersIn(bus, 'orders')).toEqual([1]);
    expect(bus.settle('orders', held, outcome).result).toEqual({ kind: 'done' });
    expect(changesOf({ ...held, ...bus.peek(DLQ)[0] })).not.toHaveProperty('DeadLetterReason');
  });

  it('does not hinder a renewal [TTL-06, M18]', () => {
    const { bus, held } = withExpiredUnderLock();
    expect(bus.renew('orders', held.lockToken).result).toEqual({
      kind: 'renewed',
      lockedUntil: [bus.now + 1000],
    });
  });

  it('happens when the message is abandoned, and the delivery is counted [TTL-07, M12]', () => {
    const { bus, held } = withExpiredUnderLock();
    bus.settle('orders', held, ABANDON);
    const [dead] = bus.receive(DLQ);
    expect(dead && changesOf(dead)).toEqual(EXPIRED);
    expect(dead?.properties.deliveryCount).toBe(1);
  });

  it('happens when the lock expires, and the delivery is counted [TTL-07, M13]', () => {
    const { bus } = withExpiredUnderLock();
    bus.tickAfter(899);
    expect(numbersIn(bus, DLQ)).toEqual([]);
    bus.tickAfter(1);
    expect(bus.peek(DLQ)[0]?.properties.deliveryCount).toBe(1);
  });

  it('happens when the message is released, and the delivery is not counted [TTL-07, M15]', () => {
    const { bus, held } = withExpiredUnderLock();
    bus.settle('orders', held, RELEASE);
    const [dead] = bus.receive(DLQ);
    expect(dead && changesOf(dead)).toEqual(EXPIRED);
    expect(dead?.properties.deliveryCount).toBe(0);
  });

  it('gives way to the maximum of deliveries, except after a release [TTL-07, M11, M15]', () => {
    for (const [outcome, reason] of [
      [ABANDON, 'MaxDeliveryCountExceeded'],
      [RELEASE, 'TTLExpiredException'],
    ] as const) {
      const { bus, held } = withExpiredUnderLock({ maxDeliveryCount: 1 });
      bus.settle('orders', held, outcome);
      const [dead] = bus.receive(DLQ);
      expect(dead && changesOf(dead)).toMatchObject({ DeadLetterReason: reason });
    }
  });
});

describe('no expiry', () => {
  it('applies to a message in the dead-letter queue, whatever its time to live [TTL-11, DLQ-09]', () => {
    const bus = withQueue();
    bus.send('orders', living('a', 5));
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    bus.tickAfter(1_000_000);
    expect(numbersIn(bus, DLQ)).toEqual([1]);
    expect(bus.peek(DLQ)[0]?.properties.expiresAt).toBe(NEVER);
    bus.settle(DLQ, bus.receiveOne(DLQ), ABANDON);
    expect(bus.receive(DLQ)).toHaveLength(1);
    expect(bus.broker.nextDeadline()).toBe(bus.now + 60_000);
  });

  it('applies to a deferred message until it is requested: then it is not found and is removed [TTL-10, M23]', () => {
    const bus = withQueue({ deadLetteringOnMessageExpiration: true });
    bus.send('orders', living('a', 5), 'b');
    for (let count = 0; count < 2; count++) bus.settle('orders', bus.receiveOne('orders'), DEFER);
    bus.tickAfter(1000);
    expect(numbersIn(bus, 'orders')).toEqual([1, 2]);
    expect(failureOf(bus.receiveDeferred('orders', [2, 1]))?.reason).toBe('message-not-found');
    expect(numbersIn(bus, 'orders')).toEqual([2]);
    expect(numbersIn(bus, DLQ)).toEqual([1]);
    expect(bus.receiveDeferred('orders', [2]).result.kind).toBe('messages');
  });
});

describe('expiry only while a receiver listens', () => {
  const quiet = () =>
    withQueue({ deadLetteringOnMessageExpiration: true }, { behaviour: { expirySweep: 'whenListening' } });

  it('leaves expired messages in the queue while no receiver is attached [TTL-09, S1-02]', () => {
    const bus = quiet();
    bus.send('orders', living('a', 5));
    expect(bus.broker.nextDeadline()).toBe(NEVER);
    bus.tickAfter(1000);
    expect(numbersIn(bus, 'orders')).toEqual([1]);
  });

  it('removes them when a receiver attaches, and on time from then on [TTL-09]', () => {
    const bus = quiet();
    bus.send('orders', living('a', 5), living('b', 900));
    bus.passTime(100);
    const linkId = bus.attachReceiver('orders');
    expect(numbersIn(bus, DLQ)).toEqual([1]);
    expect(bus.broker.nextDeadline()).toBe(START + 900);
    bus.execute({ kind: 'detach', linkId });
    bus.tickAfter(10_000);
    expect(numbersIn(bus, 'orders')).toEqual([2]);
    expect(bus.receive('orders', 5)).toEqual([]);
  });

  it('passes over any number of expired messages to the first live one, some of them in each turn [RCV-13]', () => {
    const bus = quiet();
    for (let batch = 0; batch < 8; batch++) {
      bus.send('orders', ...Array.from({ length: 4000 }, () => living('old', 5)));
    }
    bus.send('orders', 'fresh');
    bus.passTime(10);
    const linkId = bus.attachReceiver('orders');
    let turn = bus.setCredit(linkId, 1);
    expect(turn.events.length).toBeLessThan(10_000);
    for (let turns = 0; turns < 120 && sequenceNumbersTo(linkId, turn).length === 0; turns++)
      turn = bus.tickAfter(1);
    expect(sequenceNumbersTo(linkId, turn)).toEqual([32_001]);
    expect(bus.queueInfo('orders').counts).toMatchObject({ active: 1, scheduled: 0, deadLetter: 32_000 });
  });

  it('does not count a receiver of the dead-letter queue', () => {
    const bus = quiet();
    bus.attachReceiver(DLQ);
    bus.send('orders', living('a', 5));
    bus.tickAfter(1000);
    expect(numbersIn(bus, 'orders')).toEqual([1]);
  });

  it('never delivers an expired message [TTL-05]', () => {
    const bus = quiet();
    bus.send('orders', living('a', 5));
    const held = bus.receiveOne('orders');
    bus.passTime(10);
    bus.settle('orders', held, ABANDON);
    expect(numbersIn(bus, 'orders')).toEqual([1]);
    expect(bus.receive('orders')).toEqual([]);
    expect(numbersIn(bus, DLQ)).toEqual([1]);
  });
});
