// Refusals as data: what each is about can be told without reading its text.

import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/contract/command.js';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { describeSubscription, describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import { LIMITS_OF_TIER } from '../../src/broker/contract/limits.js';
import type { ErrorReason, RefusalData } from '../../src/broker/contract/service-bus-error.js';
import { BrokerUnderTest, DEAD_LETTER, messageOf } from '../support/broker-builders.js';
import {
  addRule,
  pathOf,
  ruleWith,
  sqlRule,
  subscribe,
  TOPIC,
  trySubscribe,
  withTopic,
} from '../support/topic-builders.js';

const DEAD = 'orders/$DeadLetterQueue';

/** Queues of several sorts, and a topic with the subscription `one`. */
function namespace(): BrokerUnderTest {
  const bus = withTopic();
  subscribe(bus, 'one');
  bus.putQueue('orders');
  bus.putQueue('sessions', { requiresSession: true });
  bus.putQueue('parted', { enablePartitioning: true, requiresDuplicateDetection: true });
  bus.putQueue('forwarding', { forwardTo: 'orders' });
  return bus;
}

function refusalOf({ result }: Turn): readonly [ErrorReason, RefusalData] {
  if (result.kind !== 'failed') throw new Error(`the answer is ${result.kind}`);
  return [result.error.reason, result.error.data];
}

type Case = readonly [refusal: string, make: (bus: BrokerUnderTest) => Turn, ErrorReason, RefusalData];

function attach(entityPath: string, kind: 'attach-receiver' | 'attach-sender' | 'accept-session'): Case[1] {
  return (bus) =>
    bus.execute({
      kind,
      entityPath,
      linkId: bus.nextLinkId(),
      connectionId: 1,
      receiveMode: 'peek-lock',
      sessionId: undefined,
    });
}

function asking(command: Command): Case[1] {
  return (bus) => bus.execute(command);
}

const OF_ENTITIES: readonly Case[] = [
  [
    'a property that is fixed',
    (bus) => bus.putQueue('orders', { requiresSession: true }),
    'not-allowed',
    { entityPath: 'orders', about: 'fixed-property', property: 'requiresSession', value: true },
  ],
  [
    'a value out of its range',
    (bus) => bus.putQueue('orders', { maxDeliveryCount: 0 }),
    'argument',
    { entityPath: 'orders', property: 'maxDeliveryCount', value: 0, least: 1, limit: 2_147_483_647 },
  ],
  [
    'a name that cannot be',
    (bus) => bus.putQueue('a b'),
    'argument',
    { entityPath: 'a b', property: 'name', value: 'a b', limit: 260 },
  ],
  [
    'a text that is too long',
    (bus) => bus.putQueue('orders', { userMetadata: 'x'.repeat(1025) }),
    'argument',
    { entityPath: 'orders', property: 'userMetadata', value: 1025, limit: 1024 },
  ],
  [
    'forwarding to what is not there',
    (bus) => bus.putQueue('orders', { forwardTo: 'nowhere' }),
    'argument',
    { entityPath: 'orders', about: 'forwarding', property: 'forwardTo', value: 'nowhere' },
  ],
  [
    'forwarding from a queue with sessions',
    (bus) => bus.putQueue('sessions', { requiresSession: true, forwardTo: 'orders' }),
    'not-allowed',
    { entityPath: 'sessions', about: 'forwarding', property: 'forwardTo', value: 'orders' },
  ],
  [
    'a queue where there is a topic',
    (bus) => bus.putQueue(TOPIC),
    'entity-already-exists',
    { entityPath: TOPIC, about: 'name-in-use' },
  ],
  [
    'a topic where there is a queue',
    asking({ kind: 'put-entity', type: 'topic', description: describeTopic('orders') }),
    'entity-already-exists',
    { entityPath: 'orders', about: 'name-in-use' },
  ],
  [
    'one that is there already',
    asking({ kind: 'put-entity', type: 'queue', description: describeQueue('orders'), expected: 'absent' }),
    'entity-already-exists',
    { entityPath: 'orders' },
  ],
  [
    'two changes of one entity in a step',
    asking({
      kind: 'step',
      commands: [1, 2].map((maxDeliveryCount) => ({
        kind: 'put-entity',
        type: 'queue',
        description: describeQueue('orders', { maxDeliveryCount }),
      })),
    }),
    'not-allowed',
    { entityPath: 'orders', about: 'same-step' },
  ],
  [
    'a rule of what is no subscription',
    asking({ kind: 'set-rules', entityPath: 'orders', rules: [] }),
    'not-allowed',
    { entityPath: 'orders', about: 'no-subscription' },
  ],
  [
    'SQL that cannot be',
    (bus) => addRule(bus, 'one', sqlRule('r', 'a =\n = b')),
    'argument',
    {
      property: 'filter',
      sql: { line: 2, column: 2, problem: expect.stringContaining("found '='") },
    },
  ],
  [
    'a correlation filter that names nothing',
    (bus) => addRule(bus, 'one', ruleWith('r', { kind: 'correlation' })),
    'argument',
    { property: 'filter' },
  ],
  [
    'a page of none',
    asking({ kind: 'list-rules', entityPath: pathOf('one'), skip: 0, maxCount: 0 }),
    'argument-out-of-range',
    { entityPath: pathOf('one'), property: 'maxCount', value: 0, least: 1 },
  ],
];

const OF_MESSAGES: readonly Case[] = [
  [
    'a message that is too large',
    (bus) => bus.send('orders', messageOf('x'.repeat(262_145))),
    'message-size-exceeded',
    { entityPath: 'orders', property: 'message', value: 262_145, limit: 262_144 },
  ],
  [
    'an id that is too long',
    (bus) => bus.send('orders', messageOf('x', { messageId: 'x'.repeat(129) })),
    'not-allowed',
    { entityPath: 'orders', property: 'messageId', value: 129, limit: 128 },
  ],
  [
    'a message without a session',
    (bus) => bus.send('sessions', 'x'),
    'not-allowed',
    { entityPath: 'sessions', about: 'requires-sessions', property: 'sessionId' },
  ],
  [
    'a partition key beside another session',
    (bus) => bus.send('orders', messageOf('x', { sessionId: 'a', partitionKey: 'b' })),
    'not-allowed',
    { entityPath: 'orders', property: 'partitionKey', value: 'b' },
  ],
  [
    'a message of a type that cannot be',
    (bus) => bus.send('orders', messageOf('x', { unsupportedProperty: { name: 'n', type: 'map' } })),
    'not-allowed',
    { entityPath: 'orders', property: 'n', value: 'map' },
  ],
  [
    'sending to dead letters',
    attach(DEAD, 'attach-sender'),
    'not-allowed',
    { entityPath: DEAD, about: 'dead-letter-queue' },
  ],
  [
    'sending to a subscription',
    attach(pathOf('one'), 'attach-sender'),
    'not-allowed',
    { entityPath: pathOf('one'), about: 'subscription' },
  ],
  [
    'receiving from a topic',
    attach(TOPIC, 'attach-receiver'),
    'entity-not-found',
    { entityPath: TOPIC, about: 'topic' },
  ],
  [
    'receiving from what forwards',
    attach('forwarding', 'attach-receiver'),
    'not-allowed',
    { entityPath: 'forwarding', about: 'forwards' },
  ],
  [
    'receiving without a session where one is required',
    attach('sessions', 'attach-receiver'),
    'not-allowed',
    { entityPath: 'sessions', about: 'requires-sessions' },
  ],
  [
    'accepting a session where there are none',
    attach('orders', 'accept-session'),
    'not-allowed',
    { entityPath: 'orders', about: 'no-sessions' },
  ],
  [
    'deleting in a partitioned queue',
    (bus) => bus.deleteMessages('parted', 1),
    'not-allowed',
    { entityPath: 'parted', about: 'partitioned' },
  ],
  [
    'dead-lettering twice',
    (bus) => {
      bus.send('orders', 'x');
      bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
      return bus.settle(DEAD, bus.receiveOne(DEAD), DEAD_LETTER);
    },
    'not-allowed',
    { entityPath: DEAD, about: 'dead-letter-queue' },
  ],
  [
    'cancelling what is not scheduled',
    (bus) => bus.cancelScheduled('orders', 7),
    'message-not-found',
    { entityPath: 'orders', property: 'sequenceNumbers', value: [7] },
  ],
  [
    'peeking at none',
    asking({ kind: 'peek', entityPath: 'orders', fromSequenceNumber: 0, maxCount: 0 }),
    'argument-out-of-range',
    { entityPath: 'orders', property: 'maxCount', value: 0, least: 1 },
  ],
];

describe('a refusal carries its subject as data:', () => {
  it.each([...OF_ENTITIES, ...OF_MESSAGES])('%s', (_refusal, make, reason, data) => {
    expect(refusalOf(make(namespace()))).toEqual([reason, data]);
  });

  it('a feature that the tier lacks', () => {
    const basic = new BrokerUnderTest({ limits: LIMITS_OF_TIER.basic });
    const about = { about: 'tier', entityPath: 'a' } as const;
    expect(refusalOf(basic.putQueue('a', { requiresSession: true }))[1]).toEqual({
      ...about,
      property: 'requiresSession',
      value: true,
    });
    expect(refusalOf(basic.putQueue('a', { forwardTo: 'b' }))[1]).toEqual({
      ...about,
      property: 'forwardTo',
      value: 'b',
    });
    const topic = basic.execute({ kind: 'put-entity', type: 'topic', description: describeTopic('a') });
    expect(refusalOf(topic)[1]).toEqual(about);
  });

  it('a limit of the number of entities', () => {
    const none = new BrokerUnderTest({ limits: { maxSubscriptionsPerTopic: 0 } });
    none.execute({ kind: 'put-entity', type: 'topic', description: describeTopic(TOPIC) });
    expect(refusalOf(trySubscribe(none, 'one'))).toEqual([
      'quota-exceeded',
      { entityPath: TOPIC, property: 'subscriptions', value: 0, limit: 0 },
    ]);
    const one = withTopic({}, { limits: { maxSqlFiltersPerTopic: 1 } });
    subscribe(one, 'one');
    expect(refusalOf(addRule(one, 'one', sqlRule('r', '1=1')))).toEqual([
      'quota-exceeded',
      { entityPath: TOPIC, property: 'sqlFilters', value: 2, limit: 1 },
    ]);
  });
});

describe('a path that is no string, from a program without types, is refused and the broker goes on:', () => {
  const commandsWith = (path: never): readonly Command[] => [
    { kind: 'send', entityPath: path, messages: [messageOf('a')] },
    { kind: 'attach-receiver', entityPath: path, linkId: 1, receiveMode: 'peek-lock' },
    { kind: 'purge', entityPath: path },
    { kind: 'inspect-namespace', path },
    { kind: 'inspect-messages', entityPath: path, fromSequenceNumber: 0, maxCount: 9 },
    { kind: 'inspect-locks', entityPath: path, fromSequenceNumber: 0, maxCount: 9 },
    { kind: 'inspect-sessions', entityPath: path, fromSessionId: '', maxCount: 9 },
    { kind: 'test-rules', topicName: path, message: messageOf('a') },
    { kind: 'end-session', entityPath: path, sessionId: 's' },
    { kind: 'import-messages', entityPath: path, messages: [] },
    {
      kind: 'manage-messages',
      entityPath: path,
      action: { kind: 'delete' },
      selection: { kind: 'numbers', sequenceNumbers: [1] },
    },
    {
      kind: 'manage-messages',
      entityPath: 'orders',
      action: { kind: 'move', destination: path },
      selection: { kind: 'numbers', sequenceNumbers: [1] },
    },
    { kind: 'put-entity', type: 'queue', description: { ...describeQueue('a'), name: path } },
    {
      kind: 'put-entity',
      type: 'queue',
      description: describeQueue('other', { deadLetteringOnMessageExpiration: true, forwardTo: path }),
    },
    { kind: 'put-entity', type: 'subscription', topicName: path, description: describeSubscription('one') },
    { kind: 'delete-entity', entityPath: path },
    {
      kind: 'put-entity',
      type: 'subscription',
      topicName: TOPIC,
      description: { ...describeSubscription('one'), name: path },
    },
    { kind: 'get-entity', entityPath: path },
    { kind: 'list-rules', entityPath: path, skip: 0, maxCount: 9 },
    { kind: 'step', commands: [{ kind: 'send', entityPath: path, messages: [messageOf('a')] }] },
    {
      kind: 'enlist',
      transactionId: 1,
      connectionId: 1,
      command: { kind: 'send', entityPath: path, messages: [messageOf('a')] },
    },
  ];

  it.each([
    [5, '5'],
    [null, 'null'],
    [{}, 'an object'],
    [Object.create(null), 'an object'], // it has no toString
  ])('%j', (path, seen) => {
    const bus = namespace();
    bus.execute({ kind: 'declare-transaction', connectionId: 1 });
    for (const command of commandsWith(path as never)) {
      const { result } = bus.execute(command);
      expect([command.kind, result]).toMatchObject([
        command.kind,
        { kind: 'failed', error: { reason: 'argument' } },
      ]);
      if (result.kind === 'failed') expect(result.error.message).toContain(seen);
    }
    expect(bus.send('orders', 'a').result.kind).toBe('sent');
  });
});
