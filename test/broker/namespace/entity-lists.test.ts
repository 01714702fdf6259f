// The lists of queues, topics and subscriptions: in the order of their names, a page at a time, with counts that are exact.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/broker/contract/command.js';
import { describeTopic } from '../../../src/broker/contract/entities/topic-description.js';
import {
  BrokerUnderTest,
  DEAD_LETTER,
  failureOf,
  messageOf,
  START,
  withQueue,
} from '../../support/broker-builders.js';
import { event, pathOf, publish, subscribe, TOPIC, withSubscriptions } from '../../support/topic-builders.js';

const MINUTE = 60_000;
const ALL = { skip: 0, maxCount: 100_000 };

function listed(bus: BrokerUnderTest, command: Command) {
  const { result } = bus.execute(command);
  if (result.kind === 'entities') return result.entities;
  throw new Error(`there is no list, but ${result.kind}`);
}

function names(bus: BrokerUnderTest, command: Command): readonly string[] {
  return listed(bus, command).map(({ description }) => description.name);
}

describe('the list of queues', () => {
  it('is sorted by name, all in lower case, without topics and subscriptions [ENT-02]', () => {
    const bus = withSubscriptions('one');
    for (const name of ['b', 'C', 'a/z', 'A']) bus.putQueue(name);
    expect(names(bus, { kind: 'list-entities', type: 'queue', ...ALL })).toEqual(['a', 'a/z', 'b', 'c']);
  });

  it('can be read in parts, of which the last is shorter or empty', () => {
    const bus = new BrokerUnderTest();
    for (const name of ['c', 'a', 'b']) bus.putQueue(name);
    const pages = [0, 2, 4].map((skip) =>
      names(bus, { kind: 'list-entities', type: 'queue', skip, maxCount: 2 }),
    );
    expect(pages).toEqual([['a', 'b'], ['c'], []]);
  });

  it('shows the queues of the moment', () => {
    const bus = withQueue();
    expect(names(bus, { kind: 'list-entities', type: 'queue', ...ALL })).toEqual(['orders']);
    bus.putQueue('invoices');
    expect(names(bus, { kind: 'list-entities', type: 'queue', ...ALL })).toEqual(['invoices', 'orders']);
    bus.execute({ kind: 'delete-entity', entityPath: 'invoices' });
    expect(names(bus, { kind: 'list-entities', type: 'queue', ...ALL })).toEqual(['orders']);
    expect(names(bus.restarted(), { kind: 'list-entities', type: 'queue', ...ALL })).toEqual(['orders']);
  });

  it('shows each queue as the info of one does, with the counts of the moment [CNT-01, CNT-02, CNT-03]', () => {
    const bus = withQueue({ userMetadata: 'x' });
    bus.passTime(1000);
    bus.send('orders', 'a', 'b', messageOf('later', { scheduledEnqueueTime: START + MINUTE }));
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    const [orders] = listed(bus, { kind: 'list-entities', type: 'queue', ...ALL });
    expect(orders).toEqual(bus.queueInfo('orders'));
    expect(orders).toMatchObject({
      counts: { active: 1, scheduled: 1, deadLetter: 1 },
      sizeBytes: 7,
      createdTime: START,
      accessedTime: START + 1000,
    });
    bus.tickAfter(MINUTE);
    expect(listed(bus, { kind: 'list-entities', type: 'queue', ...ALL })).toMatchObject([
      { counts: { active: 2, scheduled: 0, deadLetter: 1 } },
    ]);
  });

  it('does not count as access: idle queues are still deleted [IDL-03]', () => {
    const bus = withQueue({ autoDeleteOnIdleMs: 5 * MINUTE });
    bus.passTime(5 * MINUTE - 1);
    expect(names(bus, { kind: 'list-entities', type: 'queue', ...ALL })).toEqual(['orders']);
    bus.tickAfter(1);
    expect(names(bus, { kind: 'list-entities', type: 'queue', ...ALL })).toEqual([]);
  });

  it('may be long: more than 10,000 queues are taken [LIM-08]', () => {
    const bus = new BrokerUnderTest();
    for (let count = 0; count <= 10_000; count++) bus.putQueue(`queue-${count}`);
    expect(names(bus, { kind: 'list-entities', type: 'queue', ...ALL })).toHaveLength(10_001);
  });
});

describe('the list of topics', () => {
  it('is sorted by name, with the description and counts of each [ENT-02, CNT-01, CNT-02]', () => {
    const bus = withSubscriptions('one', 'two');
    bus.execute({ kind: 'put-entity', type: 'topic', description: describeTopic('Alerts') });
    bus.putQueue('between');
    publish(bus, event({}, { scheduledEnqueueTime: START + MINUTE }));
    expect(listed(bus, { kind: 'list-entities', type: 'topic', ...ALL })).toMatchObject([
      { description: { name: 'alerts' }, subscriptionCount: 0, counts: { scheduled: 0 }, sizeBytes: 0 },
      { description: { name: TOPIC }, subscriptionCount: 2, counts: { scheduled: 1 } },
    ]);
    expect(names(bus, { kind: 'list-entities', type: 'topic', skip: 1, maxCount: 1 })).toEqual([TOPIC]);
  });
});

describe('the list of subscriptions', () => {
  it('has the subscriptions of one topic, sorted by name, with the counts of each [ENT-02, CNT-01]', () => {
    const bus = withSubscriptions('two', 'One', 'three');
    bus.execute({ kind: 'put-entity', type: 'topic', description: describeTopic('other') });
    publish(bus, {}, {});
    bus.settle(pathOf('two'), bus.receiveOne(pathOf('two')), DEAD_LETTER);
    const list = listed(bus, {
      kind: 'list-entities',
      type: 'subscription',
      topicName: 'EVENTS',
      skip: 0,
      maxCount: 9,
    });
    expect(list).toMatchObject([
      { description: { name: 'One' }, counts: { active: 2, scheduled: 0, deadLetter: 0 } },
      { description: { name: 'three' }, counts: { active: 2 } },
      { description: { name: 'two' }, counts: { active: 1, deadLetter: 1 } },
    ]);
    expect(names(bus, { kind: 'list-entities', type: 'subscription', topicName: 'other', ...ALL })).toEqual(
      [],
    );
  });

  it('of a missing topic is not found [ENT-04]', () => {
    const bus = withQueue();
    const turn = bus.execute({ kind: 'list-entities', type: 'subscription', topicName: 'orders', ...ALL });
    expect(failureOf(turn)?.reason).toBe('entity-not-found');
  });
});

describe('a part of a list', () => {
  const OF: readonly Command[] = [
    { kind: 'list-entities', type: 'queue', ...ALL },
    { kind: 'list-entities', type: 'topic', ...ALL },
    { kind: 'list-entities', type: 'subscription', topicName: TOPIC, ...ALL },
    { kind: 'list-rules', entityPath: pathOf('one'), ...ALL },
  ];

  it.each([{ maxCount: 0 }, { maxCount: -1 }, { skip: -1 }, { maxCount: Number.NaN }])(
    'is refused where its range is %j',
    (range) => {
      const bus = withSubscriptions('one');
      for (const command of OF) {
        const failure = failureOf(bus.execute({ ...command, ...range } as Command));
        expect(failure?.reason).toBe('argument-out-of-range');
        expect(failure?.message).toContain(String(Object.values(range)[0]));
      }
    },
  );

  it('has at least one entity where there is one', () => {
    const bus = withSubscriptions('one');
    bus.putQueue('orders');
    subscribe(bus, 'two');
    for (const command of OF) {
      const { result } = bus.execute({ ...command, maxCount: 1 } as Command);
      expect(Object.values(result).flat()).toHaveLength(2); // its kind, and the one
    }
  });
});
