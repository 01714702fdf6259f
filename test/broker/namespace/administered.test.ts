// What an entity carries for its administrators alone: authorization rules, and words that mean nothing to the broker.

import { describe, expect, it } from 'vitest';
import {
  type AuthorizationRule,
  describeAuthorizationRule,
} from '../../../src/broker/contract/entities/authorization-rule.js';
import {
  describeSubscription,
  describeTopic,
} from '../../../src/broker/contract/entities/topic-description.js';
import { BrokerUnderTest, COMPLETE, failureOf, withQueue } from '../../support/broker-builders.js';
import { pathOf, TOPIC, trySubscribe, withTopic } from '../../support/topic-builders.js';

const LISTEN = describeAuthorizationRule('listener', { rights: ['Listen'], primaryKey: 'c2VjcmV0' });
const MANAGE = describeAuthorizationRule('boss', { rights: ['Manage', 'Send', 'Listen'] });

const BAD: readonly (readonly [what: string, rules: readonly AuthorizationRule[], said: string])[] = [
  ['no name', [{ ...LISTEN, keyName: '' }], "named ''; a name has 1 to 256 characters"],
  ['a long name', [{ ...LISTEN, keyName: 'x'.repeat(257) }], 'a name has 1 to 256 characters'],
  [
    'one name twice',
    [LISTEN, { ...MANAGE, keyName: 'LISTENER' }],
    "two authorization rules named 'LISTENER'",
  ],
  [
    'no rights',
    [MANAGE, { ...LISTEN, rights: [] }],
    "'listener' without rights; give it Manage, Send, Listen",
  ],
  ['Manage alone', [{ ...MANAGE, rights: ['Manage'] }], "'boss' with Manage alone; it needs Send and Listen"],
  [
    'a long key',
    [{ ...LISTEN, primaryKey: 'x'.repeat(257) }],
    "more than 256 characters in its authorization rule 'listener'",
  ],
  ['a long second key', [{ ...LISTEN, secondaryKey: 'x'.repeat(257) }], 'more than 256 characters'],
];

function topicIn(bus: BrokerUnderTest) {
  const topic = bus.info(TOPIC);
  if (topic.type !== 'topic') throw new Error('there is no topic');
  return topic;
}

function subscriptionIn(bus: BrokerUnderTest) {
  return bus.info(pathOf('one'));
}

describe('authorization rules', () => {
  it.each(BAD)('of a queue are refused by name with %s [ENT-10]', (_, authorizationRules, said) => {
    const turn = new BrokerUnderTest().putQueue('orders', { authorizationRules });
    expect(failureOf(turn)).toEqual({
      reason: 'argument',
      message: expect.stringMatching(/^queue 'orders' has .*\.$/),
    });
    expect(failureOf(turn)?.message).toContain(said);
    expect(turn.events).toEqual([]);
  });

  it('of a topic follow the same rules [ENT-10]', () => {
    const description = describeTopic('prices', { authorizationRules: [{ ...LISTEN, rights: [] }] });
    const failure = failureOf(
      new BrokerUnderTest().execute({ kind: 'put-entity', type: 'topic', description }),
    );
    expect(failure?.message).toMatch(/^topic 'prices' has an authorization rule 'listener' without rights/);
  });

  it('are accepted at their limits: names and keys of 256 characters', () => {
    const key = 'x'.repeat(256);
    const rule = { ...LISTEN, keyName: key, primaryKey: key, secondaryKey: key };
    expect(withQueue({ authorizationRules: [rule, MANAGE] }).queueInfo('orders').description).toMatchObject({
      authorizationRules: [rule, MANAGE],
    });
  });

  it('may be more than the twelve that the service allows [LIM-13]', () => {
    const authorizationRules = Array.from({ length: 13 }, (_, index) => ({
      ...LISTEN,
      keyName: `key${index}`,
    }));
    const bus = withQueue({ authorizationRules });
    expect(bus.queueInfo('orders').description.authorizationRules).toEqual(authorizationRules);
  });

  it('come back after a restart, of a topic too', () => {
    const bus = withTopic({ authorizationRules: [MANAGE, LISTEN] });
    bus.putQueue('orders', { authorizationRules: [LISTEN] });
    const restarted = bus.restarted();
    expect(restarted.queueInfo('orders').description.authorizationRules).toEqual([LISTEN]);
    expect(topicIn(restarted).description.authorizationRules).toEqual([MANAGE, LISTEN]);
  });

  it('that are put unchanged do nothing, and a new key is stored [ENT-09]', () => {
    const bus = withQueue({ authorizationRules: [LISTEN, MANAGE] });
    expect(bus.putQueue('orders', { authorizationRules: [{ ...LISTEN }, { ...MANAGE }] }).events).toEqual([]);
    bus.send('orders', 'a');
    const held = bus.receiveOne('orders');
    const changed = [{ ...LISTEN, primaryKey: 'bmV3' }, MANAGE];
    expect(bus.putQueue('orders', { authorizationRules: changed }).events).toHaveLength(1);
    expect(bus.queueInfo('orders').description.authorizationRules).toEqual(changed);
    expect(bus.settle('orders', held, COMPLETE).result).toEqual({ kind: 'done' });
  });
});

describe('data without a meaning for the broker', () => {
  const otherProperties = '<EntityAvailabilityStatus>Available</EntityAvailabilityStatus>';

  it('is returned as it was given by queues, topics and subscriptions, after a restart too', () => {
    const bus = withTopic({ otherProperties });
    bus.putQueue('orders', { otherProperties });
    trySubscribe(bus, 'one', { otherProperties });
    for (const one of [bus, bus.restarted()]) {
      expect(one.queueInfo('orders').description.otherProperties).toBe(otherProperties);
      expect(topicIn(one).description.otherProperties).toBe(otherProperties);
      expect(subscriptionIn(one).description).toEqual(describeSubscription('one', { otherProperties }));
    }
  });

  it('is gone when a put leaves it out', () => {
    const bus = withQueue({ otherProperties });
    expect(bus.putQueue('orders').events).toHaveLength(1);
    expect(bus.queueInfo('orders').description.otherProperties).toBeUndefined();
  });
});
