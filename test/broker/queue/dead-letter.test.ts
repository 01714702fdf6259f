// Moving messages to the dead-letter queue, and what is different there.

import { describe, expect, it } from 'vitest';
import { NEVER } from '../../../src/broker/contract/instant.js';
import {
  ABANDON,
  type BrokerUnderTest,
  COMPLETE,
  changesOf,
  DEAD_LETTER,
  failureOf,
  messageOf,
  RELEASE,
  START,
  withQueue,
} from '../../support/broker-builders.js';

const DEAD_LETTERS = 'orders/$DeadLetterQueue';
const MINUTE = 60_000;

describe('the last holder of a dead letter', () => {
  const attach = (bus: BrokerUnderTest, client: string) => {
    const linkId = bus.nextLinkId();
    const receiver = { entityPath: 'orders', receiveMode: 'peek-lock', client } as const;
    bus.execute({ kind: 'attach-receiver', linkId, ...receiver });
    return linkId;
  };
  const lastHolders = (bus: BrokerUnderTest) => {
    const page = { entityPath: DEAD_LETTERS, fromSequenceNumber: 0, maxCount: 9 };
    const { result } = bus.execute({ kind: 'inspect-messages', ...page });
    if (result.kind !== 'inspected-messages') return [];
    return result.messages.map(({ details }) => details?.lastHolder);
  };

  it('is the client that dead-lettered, abandoned or lost it, and is kept', () => {
    const bus = withQueue({ maxDeliveryCount: 1 });
    bus.send('orders', 'a', 'b', 'c');
    bus.settle('orders', bus.receiveOneAs(attach(bus, 'one')), DEAD_LETTER);
    bus.settle('orders', bus.receiveOneAs(attach(bus, 'two')), ABANDON);
    bus.receiveOneAs(attach(bus, 'three'));
    bus.tickAfter(MINUTE);
    expect(lastHolders(bus)).toEqual(['one', 'two', 'three']);
    expect(lastHolders(bus.restarted())).toEqual(['one', 'two', 'three']);
  });

  it('is none for a message that expired', () => {
    const bus = withQueue({ deadLetteringOnMessageExpiration: true });
    bus.send('orders', messageOf('a', { timeToLiveMs: 5 }));
    attach(bus, 'one');
    bus.tickAfter(5);
    expect(lastHolders(bus)).toEqual([undefined]);
  });
});

describe('the time of a dead letter', () => {
  const times = (bus: BrokerUnderTest, entityPath: string) => {
    const { result } = bus.execute({
      kind: 'inspect-messages',
      entityPath,
      fromSequenceNumber: 0,
      maxCount: 9,
    });
    if (result.kind !== 'inspected-messages') return [];
    return result.messages.map(({ details }) => details?.deadLetteredAt);
  };

  it('is when it came to the dead-letter queue, is kept, and stays behind when it leaves', () => {
    const bus = withQueue({ deadLetteringOnMessageExpiration: true });
    bus.send('orders', 'a', messageOf('b', { timeToLiveMs: 9 }));
    const first = bus.receiveOne('orders');
    bus.passTime(5);
    bus.settle('orders', first, DEAD_LETTER);
    bus.attachReceiver('orders');
    bus.tickAfter(4);
    expect(times(bus, DEAD_LETTERS)).toEqual([START + 5, START + 9]);
    const restarted = bus.restarted();
    expect(times(restarted, DEAD_LETTERS)).toEqual([START + 5, START + 9]);
    restarted.execute({
      kind: 'manage-messages',
      entityPath: DEAD_LETTERS,
      selection: { kind: 'numbers', sequenceNumbers: [1] },
      action: { kind: 'resubmit' },
    });
    expect(times(restarted, 'orders')).toEqual([undefined]);
  });
});

describe('dead-lettering', () => {
  it('moves the message in one turn, with its number, time, count and content [SET-05, SEQ-10, DLQ-06, M17]', () => {
    const bus = withQueue();
    bus.send('orders', 'good', 'bad');
    bus.receiveOne('orders');
    const bad = bus.receiveOne('orders');
    bus.passTime(5);
    const turn = bus.settle('orders', bad, {
      kind: 'dead-letter',
      changes: [
        { name: 'DeadLetterReason', value: 'Unreadable' },
        { name: 'DeadLetterErrorDescription', value: 'no JSON' },
      ],
    });
    expect(turn.result).toEqual({ kind: 'done' });
    expect(turn.events).toEqual([
      { kind: 'message-removed', storeId: 1, sequenceNumber: 2 },
      {
        kind: 'message-put',
        storeId: 2,
        message: {
          sequenceNumber: 2,
          enqueuedTime: START,
          expiresAt: NEVER,
          deliveryCount: 0,
          state: 0,
          wasScheduled: false,
          contentId: 2,
          sizeBytes: 3,
          isShared: false,
          details: {
            deadLetteredAt: START + 5,
            propertyChanges: [
              { name: 'DeadLetterReason', value: 'Unreadable' },
              { name: 'DeadLetterErrorDescription', value: 'no JSON' },
            ],
          },
        },
      },
    ]);
  });

  it('lets the message be received from the dead-letter queue with its reason [DLQ-05]', () => {
    const bus = withQueue();
    bus.send('orders', 'bad');
    bus.settle('orders', bus.receiveOne('orders'), {
      kind: 'dead-letter',
      changes: [{ name: 'DeadLetterReason', value: 'Unreadable' }],
    });
    expect(bus.receive('orders')).toEqual([]);
    const dead = bus.receiveOne(DEAD_LETTERS);
    expect(bus.textOf(dead)).toBe('bad');
    expect(changesOf(dead)).toEqual({ DeadLetterReason: 'Unreadable' });
  });

  it('without a reason leaves it absent [DLQ-04]', () => {
    const bus = withQueue();
    bus.send('orders', 'bad');
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    expect(bus.receiveOne(DEAD_LETTERS).properties.propertyChanges).toBeUndefined();
  });

  it('serves a receiver that is already waiting at the dead-letter queue', () => {
    const bus = withQueue();
    bus.send('orders', 'bad');
    const locked = bus.receiveOne('orders');
    const linkId = bus.attachReceiver(DEAD_LETTERS);
    bus.setCredit(linkId, 1);
    const { effects } = bus.settle('orders', locked, DEAD_LETTER);
    expect(effects).toMatchObject([
      { kind: 'deliver', linkId, delivery: { properties: { sequenceNumber: 1 } } },
    ]);
  });

  it('survives a crash: the message is in one place, never in both or none [DLQ-13]', () => {
    const bus = withQueue();
    bus.send('orders', 'bad');
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    const restarted = bus.restarted();
    expect(restarted.receive('orders')).toEqual([]);
    expect(restarted.receive(DEAD_LETTERS, 2)).toHaveLength(1);
  });
});

describe('a dead-letter queue', () => {
  function withDeadMessages(...texts: string[]) {
    const bus = withQueue({ maxDeliveryCount: 2 });
    bus.send('orders', ...texts);
    for (const _ of texts) bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    return bus;
  }

  it('exists for every queue, and its path is case-insensitive [DLQ-01]', () => {
    const bus = withQueue();
    const { result } = bus.execute({ kind: 'find-entity', entityPath: 'ORDERS/$deadletterqueue' });
    expect(result).toMatchObject({ kind: 'entity', path: 'orders/$DeadLetterQueue' });
  });

  it('delivers messages by number, in whatever order they were dead-lettered [RCV-07]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b', 'c');
    const [a, b, c] = [bus.receiveOne('orders'), bus.receiveOne('orders'), bus.receiveOne('orders')];
    for (const delivery of [c, a, b]) bus.settle('orders', delivery, DEAD_LETTER);
    const numbers = bus.receive(DEAD_LETTERS, 3).map((delivery) => delivery.properties.sequenceNumber);
    expect(numbers).toEqual([1, 2, 3]);
  });

  it('lets messages be completed [SET-12]', () => {
    const bus = withDeadMessages('bad');
    const turn = bus.settle(DEAD_LETTERS, bus.receiveOne(DEAD_LETTERS), COMPLETE);
    expect(turn.events).toEqual([
      { kind: 'message-removed', storeId: 2, sequenceNumber: 1 },
      { kind: 'content-released', contentId: 1 },
    ]);
    expect(bus.receive(DEAD_LETTERS)).toEqual([]);
  });

  it('counts no deliveries and has no maximum [DLV-07, DLQ-09]', () => {
    const bus = withDeadMessages('bad');
    for (let i = 0; i < 5; i++) {
      const dead = bus.receiveOne(DEAD_LETTERS);
      expect(dead.properties.deliveryCount).toBe(0);
      const { events } = bus.settle(DEAD_LETTERS, dead, ABANDON);
      expect(events).toEqual([]);
    }
    bus.receiveOne(DEAD_LETTERS);
    expect(bus.tickAfter(MINUTE).events).toEqual([]);
    expect(bus.receiveOne(DEAD_LETTERS).properties.deliveryCount).toBe(0);
  });

  it('keeps the properties that an abandon sets [SET-07]', () => {
    const bus = withDeadMessages('bad');
    bus.settle(DEAD_LETTERS, bus.receiveOne(DEAD_LETTERS), {
      kind: 'abandon',
      changes: [{ name: 'seenBy', value: 'operator' }],
    });
    expect(changesOf(bus.restarted().receiveOne(DEAD_LETTERS))).toEqual({ seenBy: 'operator' });
  });

  it('refuses to dead-letter again, and the message is receivable at once with its count unchanged [DLQ-08]', () => {
    const bus = withDeadMessages('bad');
    const dead = bus.receiveOne(DEAD_LETTERS);
    const turn = bus.settle(DEAD_LETTERS, dead, {
      kind: 'dead-letter',
      changes: [{ name: 'DeadLetterReason', value: 'twice' }],
    });
    expect(failureOf(turn)?.reason).toBe('not-allowed');
    expect(turn.events).toEqual([]);
    const again = bus.receiveOne(DEAD_LETTERS);
    expect(again.properties).toEqual(dead.properties);
    expect(failureOf(bus.settle(DEAD_LETTERS, dead, RELEASE))?.reason).toBe('message-lock-lost');
  });

  it("uses its parent's lock duration [DLQ-11]", () => {
    const bus = withDeadMessages('bad');
    bus.putQueue('orders', { lockDurationMs: 7000 });
    expect(bus.receiveOne(DEAD_LETTERS).lockedUntil).toBe(START + 7000);
  });

  it('of a queue that requires sessions serves receivers without a session [DLQ-03]', () => {
    const bus = withQueue({ requiresSession: true });
    expect(bus.receive(DEAD_LETTERS)).toEqual([]);
  });
});
