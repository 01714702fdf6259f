// Queues and topics that JMS clients make by using them, and temporary ones, which go with the link that made them.

import { describe, expect, test } from 'vitest';
import type { Command, UsedEntity } from '../../../src/broker/contract/command.js';
import { describeQueue } from '../../../src/broker/contract/entities/queue-description.js';
import {
  describeSubscription,
  describeTopic,
} from '../../../src/broker/contract/entities/topic-description.js';
import { NEVER } from '../../../src/broker/contract/instant.js';
import { BrokerUnderTest, deliveriesTo, failureOf, messageOf, START } from '../../support/broker-builders.js';

type Given = Partial<UsedEntity>;

function used(given: Given): UsedEntity {
  return { type: 'queue', name: 'orders', autoDeleteOnIdleMs: NEVER, mayCreate: true, ...given };
}

function send(bus: BrokerUnderTest, given: Given = {}) {
  const entity = used(given);
  const command = { kind: 'send', entityPath: entity.name, messages: [messageOf('one')] } as const;
  return bus.execute({ kind: 'use-entity', entity, command });
}

function temporary(
  bus: BrokerUnderTest,
  {
    type = 'queue',
    role = 'sender',
    name = 'temp-1',
  }: Partial<{ type: 'queue' | 'topic'; role: 'sender' | 'receiver'; name: string }> = {},
) {
  const linkId = bus.nextLinkId();
  const command: Command = { kind: 'attach-temporary', linkId, role, type, name, receiveMode: 'peek-lock' };
  return { linkId, turn: bus.execute(command) };
}

function list(bus: BrokerUnderTest, type: 'queue' | 'topic'): readonly string[] {
  const { result } = bus.execute({ kind: 'list-entities', type, skip: 0, maxCount: 100 });
  return result.kind === 'entities' ? result.entities.map(({ description }) => description.name) : [];
}

describe('an entity that is used', () => {
  test('is made if it is missing, in the turn of the command that uses it [JMS-10]', () => {
    const bus = new BrokerUnderTest();
    const { events, result } = send(bus);
    expect(result.kind).toBe('sent');
    expect(events.map(({ kind }) => kind).slice(0, 1)).toEqual(['entity-put']);
    expect(bus.info('orders')).toMatchObject({ type: 'queue', counts: { active: 1 } });
    expect(send(bus, { type: 'topic', name: 'events' }).result.kind).toBe('sent');
    expect(bus.info('events')).toMatchObject({ type: 'topic' });
  });

  test('has the time to be idle that its connection says, or for ever [JMS-13]', () => {
    const bus = new BrokerUnderTest();
    send(bus, { autoDeleteOnIdleMs: 300_000 });
    send(bus, { name: 'lasting' });
    expect(bus.info('orders').description.autoDeleteOnIdleMs).toBe(300_000);
    bus.tickAfter(300_000);
    expect(bus.broker.execute({ kind: 'find-entity', entityPath: 'orders' }, bus.now).result.kind).toBe(
      'failed',
    );
    expect(bus.info('lasting').description.autoDeleteOnIdleMs).toBe(NEVER);
  });

  test('is left as it is if it is there, and refused if it is of the other type [JMS-12]', () => {
    const bus = new BrokerUnderTest();
    bus.putQueue('orders', { maxDeliveryCount: 3 });
    expect(send(bus, { name: 'ORDERS' }).events.some(({ kind }) => kind === 'entity-put')).toBe(false);
    expect(bus.info('orders').description).toMatchObject({ maxDeliveryCount: 3 });
    const turn = send(bus, { type: 'topic' });
    expect(failureOf(turn)).toMatchObject({
      reason: 'not-allowed',
      message: expect.stringContaining("'orders' is a queue, and not a topic"),
    });
    expect(turn.events).toEqual([]);
  });

  test('is refused if it is missing and may not be made [JMS-11]', () => {
    const bus = new BrokerUnderTest();
    expect(failureOf(send(bus, { mayCreate: false }))).toMatchObject({ reason: 'unauthorized' });
    bus.putQueue('orders');
    expect(send(bus, { mayCreate: false }).result.kind).toBe('sent');
  });

  test('is refused by a name that no entity may have [JMS-10]', () => {
    const bus = new BrokerUnderTest();
    expect(failureOf(send(bus, { name: 'a b' }))).toMatchObject({ reason: 'argument' });
  });
});

describe('a temporary entity', () => {
  test('is found by its name while it lives, and is in no list [JMS-45]', () => {
    const bus = new BrokerUnderTest();
    bus.putQueue('orders');
    temporary(bus);
    temporary(bus, { type: 'topic', name: 'temp-2' });
    expect(bus.info('temp-1')).toMatchObject({ type: 'queue', description: describeQueue('temp-1') });
    expect(bus.info('temp-2')).toMatchObject({ type: 'topic', description: describeTopic('temp-2') });
    expect([list(bus, 'queue'), list(bus, 'topic')]).toEqual([['orders'], []]);
  });

  test('cannot be put [JMS-45]', () => {
    const bus = new BrokerUnderTest();
    temporary(bus);
    const description = describeQueue('temp-1', { maxDeliveryCount: 3 });
    for (const expected of [undefined, 'present', 'absent'] as const) {
      const turn = bus.execute({ kind: 'put-entity', type: 'queue', description, expected });
      expect(failureOf(turn)).toMatchObject({
        reason: expected === 'absent' ? 'entity-already-exists' : 'not-allowed',
      });
    }
  });

  test.each(['sender', 'receiver'] as const)(
    'goes with its messages, its locks and its links when its %s is detached [JMS-41, JMS-43]',
    (role) => {
      const bus = new BrokerUnderTest();
      const { linkId } = temporary(bus, { role });
      const reader = bus.attachReceiver('temp-1');
      bus.send('temp-1', 'held', 'waiting', messageOf('later', { scheduledEnqueueTime: START + 60_000 }));
      const held = bus.receiveOneAs(reader);
      const { events, effects } = bus.execute({ kind: 'detach', linkId });
      expect(events.some(({ kind }) => kind === 'entity-removed')).toBe(true);
      expect(effects).toMatchObject([
        { kind: 'detach', linkId: reader, error: { reason: 'entity-not-found' } },
      ]);
      expect(failureOf(bus.settle('temp-1', held, { kind: 'complete' }))).toMatchObject({
        reason: 'entity-not-found',
      });
      expect(bus.tickAfter(60_000).effects).toEqual([]);
      expect(bus.rows.stored().filter(({ kind }) => kind === 'message-put' || kind === 'entity-put')).toEqual(
        [],
      );
    },
  );

  test('stays when any other link of it is detached [JMS-43]', () => {
    const bus = new BrokerUnderTest();
    temporary(bus);
    const linkId = bus.nextLinkId();
    bus.execute({ kind: 'attach-sender', linkId, entityPath: 'temp-1' });
    bus.execute({ kind: 'detach', linkId });
    bus.execute({ kind: 'detach', linkId: bus.attachReceiver('temp-1') });
    expect(bus.info('temp-1').type).toBe('queue');
  });

  test('is a topic with subscriptions if that is wanted, which go with it [JMS-40, JMS-43]', () => {
    const bus = new BrokerUnderTest();
    const { linkId } = temporary(bus, { type: 'topic' });
    const description = describeSubscription('s');
    bus.execute({ kind: 'put-entity', type: 'subscription', topicName: 'temp-1', description });
    bus.send('temp-1', 'event');
    expect(bus.info('temp-1/Subscriptions/s').counts.active).toBe(1);
    bus.execute({ kind: 'detach', linkId });
    expect(bus.rows.stored().filter(({ kind }) => kind === 'entity-put')).toEqual([]);
  });

  test('is gone after a restart, before the first command sees it [JMS-44]', () => {
    const bus = new BrokerUnderTest();
    temporary(bus);
    bus.send('temp-1', 'lost');
    const restarted = bus.restarted();
    const turn = restarted.execute({ kind: 'find-entity', entityPath: 'temp-1' });
    expect(failureOf(turn)).toMatchObject({ reason: 'entity-not-found' });
    restarted.tickAfter(10);
    expect(
      restarted.rows.stored().filter(({ kind }) => kind === 'message-put' || kind === 'entity-put'),
    ).toEqual([]);
  });

  test('is in no snapshot [JMS-43]', () => {
    const bus = new BrokerUnderTest();
    bus.putQueue('orders');
    temporary(bus);
    const { result } = bus.execute({ kind: 'take-snapshot' });
    const stored = result.kind === 'snapshot' ? result.snapshot.stored : [];
    expect(stored.filter(({ kind }) => kind === 'entity-put')).toMatchObject([
      { entity: { description: { name: 'orders' } } },
    ]);
  });
});

describe('what a detached receiver had locked', () => {
  const lock = (bus: BrokerUnderTest) => {
    bus.putQueue('orders', { maxDeliveryCount: 2 });
    bus.send('orders', 'one');
    const linkId = bus.attachReceiver('orders');
    return { linkId, held: bus.receiveOneAs(linkId) };
  };
  const counts = (bus: BrokerUnderTest) =>
    bus.receive('orders').map(({ properties }) => properties.deliveryCount);

  test('is available at once and not counted, if it is to be released [JMS-32]', () => {
    const bus = new BrokerUnderTest();
    const { linkId } = lock(bus);
    const waiting = bus.attachReceiver('orders');
    bus.setCredit(waiting, 1);
    const turn = bus.execute({ kind: 'detach', linkId, unsettled: 'release' });
    expect(deliveriesTo(waiting, turn)).toMatchObject([{ properties: { deliveryCount: 0 } }]);
  });

  test('is abandoned, and at the maximum dead-lettered, if that is its default [JMS-33]', () => {
    const bus = new BrokerUnderTest();
    const first = lock(bus);
    bus.execute({ kind: 'detach', linkId: first.linkId, unsettled: 'abandon' });
    expect(counts(bus)).toEqual([1]);
    bus.passTime(60_000);
    bus.execute({ kind: 'tick' });
    expect(bus.info('orders').counts).toMatchObject({ active: 0, deadLetter: 1 });
  });

  test('stays locked if nothing is said, and where a transaction settles it [JMS-32]', () => {
    const bus = new BrokerUnderTest();
    const { linkId, held } = lock(bus);
    bus.execute({ kind: 'detach', linkId });
    expect(counts(bus)).toEqual([]);
    expect(bus.settle('orders', held, { kind: 'release' }).result.kind).toBe('done');
  });
});
