// Receivers that only look: what they are shown, in which order, and that nothing comes of it.

import { describe, expect, it, vi } from 'vitest';
import type { Turn } from '../../../src/broker/broker.js';
import { MessagesBehind } from '../../../src/broker/store/messages-behind.js';
import { StoredMessage } from '../../../src/broker/store/stored-message.js';
import {
  ABANDON,
  type BrokerUnderTest,
  COMPLETE,
  DEAD_LETTER,
  DEFER,
  deliveriesTo,
  failureOf,
  messageOf,
  RELEASE,
  START,
  sequenceNumbersTo,
  withQueue,
} from '../../support/broker-builders.js';
import { detachedIn } from '../../support/session-builders.js';
import { pathOf, subscribe, TOPIC, withTopic } from '../../support/topic-builders.js';

const DEAD_LETTERS = 'orders/$DeadLetterQueue';

function attach(
  bus: BrokerUnderTest,
  entityPath = 'orders',
): { readonly linkId: number; readonly turn: Turn } {
  const linkId = bus.nextLinkId();
  return { linkId, turn: bus.execute({ kind: 'attach-browser', linkId, entityPath }) };
}

/** A browser without credit. */
function browser(bus: BrokerUnderTest, entityPath = 'orders'): number {
  const { linkId, turn } = attach(bus, entityPath);
  if (turn.result.kind === 'failed') throw turn.result.error;
  return linkId;
}

function shownAtOnce(bus: BrokerUnderTest, entityPath = 'orders'): readonly number[] {
  const linkId = browser(bus, entityPath);
  return sequenceNumbersTo(linkId, bus.setCredit(linkId, 100));
}

describe('a browser', () => {
  it('is shown each message once, in order, without a lock or a count [PEEK-12]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b', 'c');
    const linkId = browser(bus);
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 2))).toEqual([1, 2]);
    const turn = bus.setCredit(linkId, 9);
    expect(turn.events).toEqual([]);
    expect(deliveriesTo(linkId, turn)).toMatchObject([
      { lockToken: undefined, lockedUntil: undefined, properties: { sequenceNumber: 3, deliveryCount: 0 } },
    ]);
    expect(bus.receive('orders', 9).map(({ properties }) => properties.deliveryCount)).toEqual([0, 0, 0]);
  });

  it('does not see deferred, scheduled or expired messages, deferred ones not under a lock either [PEEK-12, JMS-37]', () => {
    const bus = withQueue({}, { behaviour: { expirySweep: 'whenListening' } });
    bus.send('orders', 'deferred', 'deferred and locked');
    for (let count = 0; count < 2; count++) bus.settle('orders', bus.receiveOne('orders'), DEFER);
    bus.receiveOneDeferred('orders', 2);
    bus.send('orders', messageOf('expired', { timeToLiveMs: 10 }), 'shown');
    bus.send('orders', messageOf('scheduled', { scheduledEnqueueTime: START + 1000 }));
    bus.passTime(10);
    expect(shownAtOnce(bus)).toEqual([4]);
    expect(bus.peek('orders')).toHaveLength(5); // nor does anything expire because somebody looks
  });

  it('sees locked messages at their place in the order, and they stay with their receiver [JMS-37]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b', 'c', 'd');
    bus.settle('orders', bus.receiveOne('orders'), ABANDON);
    const held = bus.receive('orders', 3);
    bus.settle('orders', { lockToken: held[1]?.lockToken ?? '' }, COMPLETE);
    const linkId = browser(bus);
    const turn = bus.setCredit(linkId, 9);
    expect(turn.events).toEqual([]);
    expect(deliveriesTo(linkId, turn)).toMatchObject([
      { lockToken: undefined, lockedUntil: undefined, properties: { sequenceNumber: 1, deliveryCount: 1 } },
      { lockToken: undefined, properties: { sequenceNumber: 3, deliveryCount: 0 } },
      { lockToken: undefined, properties: { sequenceNumber: 4 } },
    ]);
    expect(bus.settle('orders', { lockToken: held[0]?.lockToken ?? '' }, COMPLETE).result.kind).toBe('done');
  });

  it('sees a locked message whose time to live has passed, because it has not expired [JMS-37, TTL-06]', () => {
    const bus = withQueue();
    bus.send('orders', messageOf('a', { timeToLiveMs: 10 }));
    bus.receiveOne('orders');
    bus.tickAfter(10);
    expect(shownAtOnce(bus)).toEqual([1]);
  });

  it('sees what came and was locked while it had no credit, and not what is gone [JMS-37]', () => {
    const bus = withQueue();
    const linkId = browser(bus);
    bus.setCredit(linkId, 1);
    bus.setCredit(linkId, 0);
    bus.send('orders', 'gone', 'locked');
    const [gone = { lockToken: '' }] = bus.receive('orders', 2);
    bus.settle('orders', { lockToken: gone.lockToken ?? '' }, COMPLETE);
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 9))).toEqual([2]);
  });

  it('sees messages that become available later, before a receiver takes them [PEEK-12]', () => {
    const bus = withQueue();
    const linkId = browser(bus);
    bus.setCredit(linkId, 9);
    const receiverId = bus.attachReceiver('orders');
    bus.setCredit(receiverId, 1);
    const turn = bus.send('orders', 'a', messageOf('later', { scheduledEnqueueTime: START + 1000 }));
    expect(sequenceNumbersTo(linkId, turn)).toEqual([1]);
    expect(sequenceNumbersTo(receiverId, turn)).toEqual([1]);
    expect(sequenceNumbersTo(linkId, bus.tickAfter(1000))).toEqual([3]);
  });

  it('does not see again what becomes available again [PEEK-12]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b');
    const locked = bus.receiveOne('orders');
    const linkId = browser(bus);
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 9))).toEqual([1, 2]);
    expect(sequenceNumbersTo(linkId, bus.settle('orders', locked, RELEASE))).toEqual([]);
    for (let count = 0; count < 2; count++) {
      expect(sequenceNumbersTo(linkId, bus.settle('orders', bus.receiveOne('orders'), ABANDON))).toEqual([]);
    }
  });

  it('learns of the end of the queue when it drains, and then sees only what has come since [CRD-02, JMS-38]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b');
    bus.receiveOne('orders');
    const linkId = browser(bus);
    const { effects } = bus.setCredit(linkId, 5, { drain: true });
    expect(effects).toMatchObject([
      { kind: 'deliver' },
      { kind: 'deliver' },
      { kind: 'drained', deliveredCount: 5 },
    ]);
    const again = bus.setCredit(linkId, 10, { drain: true });
    expect(again.effects).toMatchObject([{ kind: 'drained', deliveredCount: 10 }]); // no second round
    expect(bus.send('orders', 'c').effects).toEqual([]);
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 11))).toEqual([3]);
  });

  it('sees messages that are dead-lettered in any order, and each browser sees all of them [PEEK-12, PEEK-10]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b', 'c');
    const [a, b, c] = bus.receive('orders', 3).map(({ lockToken = '' }) => ({ lockToken }));
    if (a === undefined || b === undefined || c === undefined) throw new Error('too few messages');
    const first = browser(bus, DEAD_LETTERS);
    bus.setCredit(first, 9);
    for (const [locked, number] of [
      [c, 3],
      [a, 1],
      [b, 2],
    ] as const) {
      expect(sequenceNumbersTo(first, bus.settle('orders', locked, DEAD_LETTER))).toEqual([number]);
    }
    expect(shownAtOnce(bus, DEAD_LETTERS)).toEqual([1, 2, 3]);
  });

  it('sees the partitions one after the other, and new messages of all [PEEK-11, PEEK-12]', () => {
    const bus = withQueue({ enablePartitioning: true });
    const send = () =>
      bus.send('orders', ...[...'abcdefgh'].map((key) => messageOf(key, { partitionKey: key })));
    send();
    const linkId = browser(bus);
    const shown = sequenceNumbersTo(linkId, bus.setCredit(linkId, 99));
    expect(shown).toEqual(bus.peek('orders').map(({ properties }) => properties.sequenceNumber));
    expect(sequenceNumbersTo(linkId, send())).toHaveLength(8);
  });

  it('without credit delays no delivery and sees no message [PEEK-12]', () => {
    const bus = withQueue();
    const linkId = browser(bus);
    bus.setCredit(linkId, 1);
    bus.setCredit(linkId, 0);
    for (let count = 0; count < 1000; count++) {
      bus.send('orders', 'gone');
      bus.settle('orders', bus.receiveOne('orders'), COMPLETE);
    }
    bus.send('orders', 'there');
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 9))).toEqual([1001]);
  });

  it('without credit remembers no message that comes, and sees all of them when it has credit [PEEK-12]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const linkId = browser(bus);
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 2))).toEqual([1]); // it is at the end
    bus.setCredit(linkId, 1);
    const remember = vi.spyOn(MessagesBehind.prototype, 'add');
    for (let count = 0; count < 100; count++) bus.send('orders', 'new');
    expect(remember).not.toHaveBeenCalled();
    remember.mockRestore();
    const numbers = Array.from({ length: 100 }, (_, index) => index + 2);
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 999))).toEqual(numbers);
  });

  it('looks at the scheduled messages at the end of its queue once, and not in each turn [PEEK-12]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    for (let count = 0; count < 50; count++)
      bus.send('orders', messageOf('later', { scheduledEnqueueTime: START + 1000 }));
    bus.setCredit(browser(bus), 99);
    const look = vi.spyOn(StoredMessage.prototype, 'isBrowsable', 'get');
    for (let count = 0; count < 50; count++) bus.settle('orders', bus.receiveOne('orders'), RELEASE);
    expect(look.mock.calls.length).toBeLessThan(200);
    look.mockRestore();
  });

  it('sees nothing after its detach, and counts as access to its queue until then [IDL-03, PEEK-12]', () => {
    const bus = withQueue({ autoDeleteOnIdleMs: 300_000 });
    const linkId = browser(bus);
    bus.setCredit(linkId, 1);
    bus.tickAfter(900_000);
    bus.execute({ kind: 'detach', linkId });
    expect(bus.send('orders', 'a').effects).toEqual([]);
  });

  it('without credit does not count as access to its topic when its idle subscription is deleted [IDL-03, IDL-04]', () => {
    const bus = withTopic({ autoDeleteOnIdleMs: 500_000 });
    subscribe(bus, 'one', { autoDeleteOnIdleMs: 300_000 });
    const linkId = browser(bus, pathOf('one'));
    expect(detachedIn(bus.tickAfter(300_000))).toEqual([{ linkId, reason: 'entity-not-found' }]);
    bus.tickAfter(200_000);
    expect(bus.execute({ kind: 'get-entity', entityPath: TOPIC }).result.kind).toBe('failed');
  });

  it('is detached when its queue is disabled, forwards or is deleted [ENT-04, ENT-07, RCV-11]', () => {
    const bus = withQueue();
    bus.putQueue('elsewhere');
    const changes = [
      () => bus.putQueue('orders', { status: 'Disabled' }),
      () => bus.putQueue('orders', { forwardTo: 'elsewhere' }),
      () => bus.execute({ kind: 'delete-entity', entityPath: 'orders' }),
    ];
    const reasons = changes.map((change) => {
      bus.putQueue('orders');
      browser(bus);
      return change().effects.map((effect) => effect.kind === 'detach' && effect.error.reason);
    });
    expect(reasons).toEqual([['entity-disabled'], ['not-allowed'], ['entity-not-found']]);
  });

  it('is refused by a queue that requires sessions, but not by its dead-letter queue [RCV-10, PEEK-12]', () => {
    const bus = withQueue({ requiresSession: true });
    expect(failureOf(attach(bus).turn)?.reason).toBe('not-allowed');
    expect(failureOf(attach(bus, DEAD_LETTERS).turn)).toBeUndefined();
  });
});
