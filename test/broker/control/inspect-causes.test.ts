// Inspection of what needs somebody's attention: groups of dead letters, full entities, and messages that their destination refuses.

import { describe, expect, it } from 'vitest';
import type { InspectedCauses } from '../../../src/broker/contract/inspection.js';
import type { PropertyChange } from '../../../src/broker/contract/message-properties.js';
import { Random } from '../../simulation/random.js';
import { ABANDON, type BrokerUnderTest, COMPLETE, START, withQueue } from '../../support/broker-builders.js';
import { event, publish, sqlRule, subscribe, withTopic } from '../../support/topic-builders.js';
import { drain, transfer, withFull } from '../../support/transfer-builders.js';

const DEAD = 'orders/$DeadLetterQueue';

function inspect(bus: BrokerUnderTest): InspectedCauses {
  const causes = inspectOnce(bus);
  if (causes === undefined) throw new Error('the dead letters are not counted at once');
  return causes;
}

function inspectOnce(bus: BrokerUnderTest): InspectedCauses | undefined {
  const { result, events } = bus.execute({ kind: 'inspect-causes' });
  if (result.kind !== 'inspected-causes') throw new Error(`no causes but ${result.kind}`);
  expect(events).toEqual([]);
  return result.causes;
}

/** A different word for each index. */
function word(index: number): string {
  return String.fromCharCode(97 + Math.floor(index / 26), 97 + (index % 26));
}

function reasonOf(reason: string, description: string): readonly PropertyChange[] {
  return [
    { name: 'DeadLetterReason', value: reason },
    { name: 'DeadLetterErrorDescription', value: description },
  ];
}

/** Sends one message more, and dead-letters it. */
function kill(bus: BrokerUnderTest, reason: string, description = '', linkId = bus.attachReceiver('orders')) {
  bus.send('orders', 'any');
  const outcome = { kind: 'dead-letter', changes: reasonOf(reason, description) } as const;
  bus.settle('orders', bus.receiveOneAs(linkId), outcome);
  bus.execute({ kind: 'detach', linkId });
}

function groups(bus: BrokerUnderTest) {
  return inspect(bus).deadLetters.map(({ reason, description, maskedDescription, count, sequenceNumber }) => [
    reason,
    description ?? maskedDescription,
    count,
    sequenceNumber,
  ]);
}

describe('the groups of dead letters', () => {
  it('have one reason and description each, in which words with digits do not count', () => {
    const bus = withQueue();
    kill(bus, 'address', 'Order 4711 of C-12 at 12:30:05.7 has no street.');
    kill(bus, 'address', 'Order 4712 of C-13 at 12:30:06.8 has no street.');
    kill(bus, 'address', 'Order 4713 has no name.');
    kill(bus, 'stock', 'none');
    expect(groups(bus)).toEqual([
      ['address', 'Order … of … at … has no street.', 2, 2],
      ['address', 'Order 4713 has no name.', 1, 3],
      ['stock', 'none', 1, 4],
    ]);
  });

  it('are one for reasons that differ in a number', () => {
    const bus = withQueue();
    kill(bus, 'Order 4711 is late');
    expect(groups(bus)).toEqual([['Order 4711 is late', '', 1, 1]]);
    kill(bus, 'Order 4712 is late');
    expect(groups(bus)).toEqual([['Order … is late', '', 2, 2]]);
  });

  it('are counted in pieces, while messages come and go', () => {
    const bus = withQueue({ deadLetteringOnMessageExpiration: true, defaultMessageTimeToLiveMs: 1000 });
    const some = Array.from({ length: 1000 }, () => 'any');
    for (let sending = 0; sending < 15; sending++) bus.send('orders', ...some);
    bus.attachReceiver('orders');
    bus.tickAfter(1000);
    for (let turn = 0; turn < 100; turn++) bus.tickAfter(1);
    expect(inspectOnce(bus)).toBeUndefined();
    bus.receive(DEAD, 10, 'receive-and-delete');
    bus.execute({
      kind: 'manage-messages',
      entityPath: DEAD,
      action: { kind: 'delete' },
      selection: { kind: 'numbers', sequenceNumbers: [14_000, 15_000] },
    });
    kill(bus, 'late');
    expect(groups(bus)).toMatchObject([
      ['TTLExpiredException', expect.any(String), 14_988, expect.any(Number)],
      ['late', '', 1, 15_001],
    ]);
  });

  it('have the times of the oldest and the newest, and the last holder', () => {
    const bus = withQueue({ maxDeliveryCount: 1 });
    for (const client of ['one', 'two']) {
      const linkId = bus.nextLinkId();
      bus.send('orders', client);
      bus.execute({
        kind: 'attach-receiver',
        linkId,
        entityPath: 'orders',
        receiveMode: 'peek-lock',
        client,
      });
      bus.settle('orders', bus.receiveOneAs(linkId), ABANDON);
      bus.passTime(5);
    }
    expect(inspect(bus).deadLetters).toEqual([
      {
        path: 'orders',
        isTransfer: false,
        isRest: false,
        reason: 'MaxDeliveryCountExceeded',
        maskedReason: 'MaxDeliveryCountExceeded',
        description: 'Message could not be consumed after 1 delivery attempts.',
        maskedDescription: 'Message could not be consumed after … delivery attempts.',
        count: 2,
        oldestTime: START,
        newestTime: START + 5,
        sequenceNumber: 2,
        lastHolder: 'two',
      },
    ]);
  });

  it('lose messages that are received, deleted, resubmitted and purged', () => {
    const bus = withQueue();
    for (let number = 1; number <= 6; number++) kill(bus, number === 4 ? 'b' : 'a');
    expect(groups(bus)).toEqual([
      ['a', '', 5, 6],
      ['b', '', 1, 4],
    ]);
    bus.settle(DEAD, bus.receiveOne(DEAD), COMPLETE);
    bus.receive(DEAD, 1, 'receive-and-delete');
    const manage = (kind: 'delete' | 'resubmit', ...sequenceNumbers: number[]) =>
      bus.execute({
        kind: 'manage-messages',
        entityPath: DEAD,
        action: { kind },
        selection: { kind: 'numbers', sequenceNumbers },
      });
    manage('delete', 6);
    expect(groups(bus)).toEqual([
      ['a', '', 2, 5],
      ['b', '', 1, 4],
    ]);
    manage('resubmit', 4, 5);
    expect(groups(bus)).toEqual([['a', '', 1, 3]]);
    bus.execute({ kind: 'purge', entityPath: DEAD });
    expect(groups(bus)).toEqual([]);
    kill(bus, 'c');
    expect(groups(bus)).toEqual([['c', '', 1, 7]]);
  });

  it('are the same after a restart', () => {
    const bus = withQueue({ deadLetteringOnMessageExpiration: true, defaultMessageTimeToLiveMs: 1000 });
    kill(bus, 'address', 'Order 1 has no street.');
    bus.send('orders', 'a', 'b');
    bus.attachReceiver('orders');
    bus.tickAfter(1000);
    kill(bus, 'address', 'Order 2 has no street.');
    const before = inspect(bus);
    expect(before.deadLetters.map(({ reason, count }) => [reason, count])).toEqual([
      ['address', 2],
      ['TTLExpiredException', 2],
    ]);
    expect(inspect(bus.restarted())).toEqual(before);
  });

  it('are at most 50 in a store, and one more for the rest, whose messages get their own groups when there is room', () => {
    const bus = withQueue();
    inspect(bus);
    for (let index = 0; index < 53; index++) kill(bus, word(index));
    kill(bus, word(0));
    const { deadLetters } = inspect(bus);
    expect(deadLetters).toHaveLength(51);
    expect(deadLetters[0]).toMatchObject({ reason: word(0), count: 2, isRest: false });
    expect(deadLetters.at(-1)).toMatchObject({
      reason: undefined,
      count: 3,
      isRest: true,
      sequenceNumber: 53,
    });
    bus.receive(DEAD, 30, 'receive-and-delete');
    expect(groups(bus).slice(-4)).toEqual([
      [word(50), '', 1, 51],
      [word(51), '', 1, 52],
      [word(52), '', 1, 53],
      [word(0), '', 1, 54],
    ]);
  });

  it('follow a dead letter whose reason is changed where it is', () => {
    const bus = withQueue();
    kill(bus, 'a');
    kill(bus, 'a');
    inspect(bus);
    bus.settle(DEAD, bus.receiveOne(DEAD), { kind: 'abandon', changes: reasonOf('b', 'seen') });
    expect(groups(bus)).toEqual([
      ['a', '', 1, 2],
      ['b', 'seen', 1, 1],
    ]);
  });

  it('have copies that became dead letters at once', () => {
    const bus = withTopic();
    subscribe(bus, 'mail', {}, [sqlRule('fails', '1 = 1', 'SET x = 1 / amount')]);
    inspect(bus);
    publish(bus, event({ user: { amount: 0 } }));
    expect(inspect(bus).deadLetters).toMatchObject([{ path: 'events/Subscriptions/mail', count: 1 }]);
  });

  it('are what a count of all dead letters finds, whatever has happened', () => {
    const random = new Random(7);
    const bus = withQueue();
    const expected = () => {
      const counts = new Map<string, number>();
      for (const message of bus.peek(DEAD)) {
        const reason = String(message.properties.propertyChanges?.[0]?.value);
        counts.set(reason, (counts.get(reason) ?? 0) + 1);
      }
      return counts;
    };
    let wholeCount = 0;
    for (let step = 0; step < 600; step++) {
      if (random.chance(0.6)) kill(bus, word(random.integer(60)), `number ${step}`);
      else if (random.chance(0.5)) bus.receive(DEAD, 1 + random.integer(5), 'receive-and-delete');
      else {
        const [first] = bus.receive(DEAD);
        const changes = reasonOf(word(random.integer(60)), 'seen');
        if (first?.lockToken !== undefined)
          bus.settle(DEAD, { lockToken: first.lockToken }, { kind: 'abandon', changes });
      }
      const { deadLetters } = inspect(bus);
      const counts = expected();
      const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
      expect(deadLetters.reduce((sum, { count }) => sum + count, 0)).toBe(all);
      const named = new Map<string | undefined, number>();
      for (const { reason, count, isRest } of deadLetters) {
        if (!isRest) named.set(reason, (named.get(reason) ?? 0) + count);
      }
      for (const [reason, count] of named) expect(count).toBeLessThanOrEqual(counts.get(String(reason)) ?? 0);
      if (deadLetters.some(({ isRest }) => isRest)) continue;
      wholeCount += 1;
      expect(named).toEqual(counts);
    }
    expect(wholeCount).toBeGreaterThan(0);
  });
});

it('an entity is full from the size on at which it refuses messages', () => {
  const bus = withFull();
  const MEGABYTE = 2 ** 20;
  expect(inspect(bus).full).toEqual([
    { path: 'there', sizeBytes: MEGABYTE, limitBytes: MEGABYTE, accessedTime: START },
  ]);
  drain(bus, 'there');
  expect(inspect(bus).full).toEqual([]);
});

it('messages wait whose destination is full, and in a dead-letter queue those that are not taken', () => {
  const bus = withFull();
  bus.passTime(3);
  transfer(bus, ['a', 'b']);
  bus.putQueue('orders', { forwardDeadLetteredMessagesTo: 'there' });
  kill(bus, 'a');
  expect(inspect(bus).waiting).toEqual([
    { path: 'via', isDeadLetter: false, destination: 'there', count: 2, enqueuedTime: START + 3 },
    { path: 'orders', isDeadLetter: true, destination: 'there', count: 1, enqueuedTime: START + 3 },
  ]);
  drain(bus, 'there');
  bus.tickAfter(60_000);
  expect(inspect(bus).waiting).toEqual([]);
});

it('transfers that failed are groups of their own', () => {
  const bus = withFull();
  transfer(bus, ['a']);
  bus.execute({ kind: 'delete-entity', entityPath: 'there' });
  bus.tickAfter(60_000);
  expect(inspect(bus)).toMatchObject({
    deadLetters: [{ path: 'via', isTransfer: true, count: 1 }],
    waiting: [],
    full: [],
  });
});
