// Puts that say what they expect to find: clients create and update by different calls.

import { describe, expect, it } from 'vitest';
import type { Command, Expected } from '../../../src/broker/contract/command.js';
import { describeQueue } from '../../../src/broker/contract/entities/queue-description.js';
import {
  describeSubscription,
  describeTopic,
} from '../../../src/broker/contract/entities/topic-description.js';
import { BrokerUnderTest, failureOf } from '../../support/broker-builders.js';
import { pathOf, TOPIC, withTopic } from '../../support/topic-builders.js';

type Put = (bus: BrokerUnderTest, expected: Expected, userMetadata?: string) => ReturnType<typeof putQueue>;

const putQueue = (bus: BrokerUnderTest, expected: Expected, userMetadata?: string) =>
  bus.execute({
    kind: 'put-entity',
    type: 'queue',
    description: describeQueue('orders', { userMetadata }),
    expected,
  });

const putTopic: Put = (bus, expected, userMetadata) =>
  bus.execute({
    kind: 'put-entity',
    type: 'topic',
    description: describeTopic('prices', { userMetadata }),
    expected,
  });

const putSubscription: Put = (bus, expected, userMetadata) => {
  const description = describeSubscription('one', { userMetadata });
  return bus.execute({ kind: 'put-entity', type: 'subscription', topicName: TOPIC, description, expected });
};

const KINDS: readonly (readonly [kind: string, put: Put, path: string, find: Command])[] = [
  ['queue', putQueue, 'orders', { kind: 'get-entity', entityPath: 'orders' }],
  ['topic', putTopic, 'prices', { kind: 'get-entity', entityPath: 'prices' }],
  ['subscription', putSubscription, pathOf('one'), { kind: 'get-entity', entityPath: pathOf('one') }],
];

describe.each(KINDS)('a put of a %s', (kind, put, path, find) => {
  it('that must create it does so once; a second one is refused and changes nothing [ENT-03]', () => {
    const bus = withTopic();
    expect(put(bus, 'absent').result.kind).toBe('entity-info');
    const second = put(bus, 'absent', 'changed');
    expect(failureOf(second)).toEqual({
      reason: 'entity-already-exists',
      message: `The messaging entity '${path}' already exists.`,
    });
    expect(second.events).toEqual([]);
  });

  it('that must change it does so, and creates none [ENT-04]', () => {
    const bus = withTopic();
    const first = put(bus, 'present');
    expect(failureOf(first)?.reason).toBe('entity-not-found');
    expect(first.result).toMatchObject({ error: { entityPath: path } });
    expect(first.events).toEqual([]);
    put(bus, 'absent');
    expect(put(bus, 'present', 'changed').events).toMatchObject([{ kind: 'entity-put' }]);
  });

  it('without an expectation creates it, and changes it [ENT-03, ENT-04]', () => {
    const bus = withTopic();
    expect(put(bus, undefined).result.kind).toBe('entity-info');
    expect(put(bus, undefined, 'changed').events).toHaveLength(1);
  });

  it('answers the entity that is then stored, whether it was created, changed or the same', () => {
    const bus = withTopic();
    for (const userMetadata of ['made', 'changed', 'changed']) {
      const { result } = put(bus, undefined, userMetadata);
      expect(result).toEqual(bus.execute(find).result);
      expect(result).toMatchObject({ entity: { type: kind, description: { userMetadata } } });
    }
  });
});

it('a put that makes a queue forward answers it without the messages that were moved on', () => {
  const bus = new BrokerUnderTest();
  for (const name of ['orders', 'invoices']) bus.putQueue(name);
  bus.send('orders', 'one');
  const { result } = bus.putQueue('orders', { forwardTo: 'invoices' });
  expect(result).toMatchObject({ entity: { counts: { active: 0 }, sizeBytes: 0 } });
  expect(result).toEqual(bus.execute({ kind: 'get-entity', entityPath: 'orders' }).result);
});

describe('a put under a name of another kind', () => {
  it('is refused with any expectation: queues and topics share their names [ENT-03]', () => {
    const bus = withTopic();
    const puts = (['absent', 'present', undefined] as const).map((expected) =>
      bus.execute({ kind: 'put-entity', type: 'queue', description: describeQueue('EVENTS'), expected }),
    );
    const reasons = puts.map((turn) => failureOf(turn)?.reason);
    expect(reasons).toEqual(['entity-already-exists', 'entity-not-found', 'entity-already-exists']);
    bus.putQueue('orders');
    const description = describeTopic('Orders');
    const topic = bus.execute({ kind: 'put-entity', type: 'topic', description, expected: 'present' });
    expect(failureOf(topic)?.reason).toBe('entity-not-found');
  });

  it('of a subscription needs its topic [ENT-04]', () => {
    const turn = putSubscription(new BrokerUnderTest(), 'absent');
    expect(failureOf(turn)?.message).toBe(`The messaging entity '${TOPIC}' could not be found.`);
  });
});
