// Topics and subscriptions as entities: names, limits, statuses, what uses them, and their end.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/broker/contract/command.js';
import {
  describeSubscription,
  describeTopic,
} from '../../../src/broker/contract/entities/topic-description.js';
import type { RuleDescription } from '../../../src/broker/contract/rule-description.js';
import { BrokerUnderTest, COMPLETE, failureOf, START } from '../../support/broker-builders.js';
import { detachedIn } from '../../support/session-builders.js';
import {
  addRule,
  event,
  pathOf,
  publish,
  ruleWith,
  sqlRule,
  subscribe,
  TOPIC,
  trySubscribe,
  withSubscriptions,
  withTopic,
} from '../../support/topic-builders.js';

const MINUTE = 60_000;

const find = (bus: BrokerUnderTest, entityPath: string) =>
  bus.execute({ kind: 'find-entity', entityPath }).result.kind;

function putTopic(bus: BrokerUnderTest, given: Parameters<typeof describeTopic>[1] = {}) {
  return bus.execute({ kind: 'put-entity', type: 'topic', description: describeTopic(TOPIC, given) });
}

function setRules(bus: BrokerUnderTest, rules: readonly RuleDescription[]) {
  return bus.execute({ kind: 'set-rules', entityPath: pathOf('one'), rules });
}

function deleteSubscription(bus: BrokerUnderTest) {
  return bus.execute({ kind: 'delete-entity', entityPath: pathOf('one') });
}

describe('the paths of topics and subscriptions', () => {
  it('are case-insensitive, dead-letter queues included [ENT-02, DLQ-01]', () => {
    const bus = withSubscriptions('One');
    for (const path of ['EVENTS', 'events/subscriptions/one', 'Events/SUBSCRIPTIONS/ONE/$deadletterqueue']) {
      expect(find(bus, path)).toBe('entity');
    }
    for (const path of ['events/one', 'events/subscriptions/two', 'events/$DeadLetterQueue']) {
      expect(find(bus, path)).toBe('failed');
    }
  });

  it('have the topic in lower case, and the subscription as it was created [ENT-02]', () => {
    const bus = new BrokerUnderTest();
    bus.execute({ kind: 'put-entity', type: 'topic', description: describeTopic('Events') });
    const description = describeSubscription('Mine');
    const { result } = bus.execute({
      kind: 'put-entity',
      type: 'subscription',
      topicName: 'EVENTS',
      description,
    });
    expect(result).toMatchObject({ entity: { topicName: 'events', description: { name: 'Mine' } } });
    expect(
      bus.execute({ kind: 'find-entity', entityPath: 'events/subscriptions/mine' }).result,
    ).toMatchObject({
      path: 'events/Subscriptions/Mine',
    });
  });

  it('share their names with queues [ENT-03]', () => {
    const bus = withTopic();
    expect(failureOf(bus.putQueue('Events'))?.reason).toBe('entity-already-exists');
    bus.putQueue('orders');
    const turn = bus.execute({ kind: 'put-entity', type: 'topic', description: describeTopic('ORDERS') });
    expect(failureOf(turn)?.reason).toBe('entity-already-exists');
  });

  it('have subscriptions with short names [ENT-01]', () => {
    const bus = withTopic();
    for (const name of ['', 'a/b', '..', 'x'.repeat(51)]) {
      expect(failureOf(trySubscribe(bus, name))?.message).toContain('cannot be the name of a subscription');
    }
    expect(trySubscribe(bus, '-a.').result).toMatchObject({ entity: { description: { name: '-a.' } } });
  });
});

describe('a queue whose name has the form of the path of a subscription', () => {
  it('is sent to, received from and listed like any other, beside a topic without that subscription [ENT-01]', () => {
    const bus = withSubscriptions('one');
    const name = pathOf('two');
    bus.putQueue(name);
    bus.send(name, 'a');
    expect(bus.peek(name.toUpperCase())).toHaveLength(1);
    expect(bus.peek(`${name}/$DeadLetterQueue`)).toEqual([]);
    const found = bus.execute({ kind: 'inspect-namespace', path: name }).result;
    expect(found).toMatchObject({ entities: [{ kind: 'queue', description: { name: name.toLowerCase() } }] });
    expect(bus.restarted().peek(name)).toHaveLength(1);
  });

  it('and that subscription are not there together, and no topic has such a name [ENT-03]', () => {
    const bus = withSubscriptions('one');
    expect(failureOf(bus.putQueue(pathOf('ONE')))?.reason).toBe('entity-already-exists');
    bus.putQueue(pathOf('two'));
    expect(failureOf(trySubscribe(bus, 'TWO'))?.reason).toBe('entity-already-exists');
    const topic = bus.execute({
      kind: 'put-entity',
      type: 'topic',
      description: describeTopic(pathOf('three')),
    });
    expect(failureOf(topic)?.reason).toBe('argument');
  });
});

describe('links to topics', () => {
  it('receive from subscriptions only, and send to topics only [RCV-12, SND-09]', () => {
    const bus = withSubscriptions('one');
    const receive = { entityPath: TOPIC, receiveMode: 'peek-lock' } as const;
    const links: readonly Command[] = [
      { kind: 'attach-receiver', linkId: bus.nextLinkId(), ...receive },
      { kind: 'accept-session', linkId: bus.nextLinkId(), connectionId: 1, sessionId: undefined, ...receive },
    ];
    for (const link of links) {
      const refused = failureOf(bus.execute(link));
      expect(refused?.reason).toBe('entity-not-found');
      expect(refused?.message).toMatch(/^'events' is a topic: receive from one of its subscriptions/);
    }
    const attach = (entityPath: string) =>
      bus.execute({ kind: 'attach-sender', linkId: bus.nextLinkId(), entityPath });
    expect(failureOf(attach(pathOf('one')))?.message).toMatch(
      /^Cannot create a message sender for a subscription/,
    );
    expect(attach(TOPIC).result.kind).toBe('entity');
  });

  it('are detached when the topic goes, and with it its subscriptions and all they hold [ENT-04, ENT-05, M36]', () => {
    const bus = withSubscriptions('one', 'two');
    publish(bus, event({}), event({}, { scheduledEnqueueTime: START + MINUTE }));
    const linkId = bus.attachReceiver(pathOf('one'));
    const turn = bus.execute({ kind: 'delete-entity', entityPath: 'EVENTS' });
    expect(detachedIn(turn)).toEqual([{ linkId, reason: 'entity-not-found' }]);
    bus.tickAfter(1);
    expect(bus.rows.stored()).toEqual([]);
    expect(bus.rows.contents.size).toBe(0);
    expect(find(bus, pathOf('one'))).toBe('failed');
  });

  it('end with one subscription and leave the others alone [ENT-05]', () => {
    const bus = withSubscriptions('one', 'two');
    publish(bus, {});
    bus.execute({ kind: 'delete-entity', entityPath: pathOf('ONE') });
    bus.tickAfter(1);
    expect(bus.rows.contents.size).toBe(1);
    bus.settle(pathOf('two'), bus.receiveOne(pathOf('two')), COMPLETE);
    expect(bus.rows.contents.size).toBe(0);
    expect(find(bus.restarted(), pathOf('one'))).toBe('failed');
  });
});

describe('the status of', () => {
  it.each(['Disabled', 'SendDisabled'] as const)(
    'a topic stops sends when it is %s, and no receives [ENT-06]',
    (status) => {
      const bus = withSubscriptions('one');
      publish(bus, {});
      putTopic(bus, { status });
      expect(failureOf(publish(bus, {}))?.reason).toBe('entity-disabled');
      expect(bus.receive(pathOf('one'))).toHaveLength(1);
    },
  );

  it.each(['Disabled', 'ReceiveDisabled'] as const)(
    'a subscription stops receives when it is %s; copies still come [ENT-06]',
    (status) => {
      const bus = withSubscriptions('one');
      expect(trySubscribe(bus, 'one', { status }).result).toMatchObject({
        entity: { description: { status } },
      });
      publish(bus, {});
      expect(bus.peek(pathOf('one'))).toHaveLength(1);
      expect(() => bus.attachReceiver(pathOf('one'))).toThrow('disabled');
    },
  );
});

describe('an idle topic', () => {
  const idle = { autoDeleteOnIdleMs: 5 * MINUTE };

  it('is deleted with its subscriptions [IDL-04, IDL-01]', () => {
    const bus = withTopic(idle);
    subscribe(bus, 'one', idle);
    bus.tickAfter(5 * MINUTE);
    expect(find(bus, TOPIC)).toBe('failed');
    expect(bus.rows.stored()).toEqual([]);
  });

  it.each<[string, (bus: BrokerUnderTest) => unknown]>([
    ['a send', (bus) => publish(bus, {})],
    ['a change', (bus) => putTopic(bus, { ...idle, userMetadata: 'x' })],
    ['a receive from a subscription', (bus) => bus.receive(pathOf('one'))],
    ['a rule', (bus) => addRule(bus, 'one', sqlRule('r', '1 = 1'))],
    ['a look at a subscription', (bus) => bus.peek(pathOf('one'))],
    ['a change of rules', (bus) => setRules(bus, [sqlRule('r', '1 = 1')])],
    ['a new subscription', (bus) => subscribe(bus, 'two')],
    ['the end of a subscription', (bus) => deleteSubscription(bus)],
  ])('was not idle after %s [IDL-04]', (_, use) => {
    const bus = withTopic(idle);
    subscribe(bus, 'one');
    bus.passTime(4 * MINUTE);
    use(bus);
    bus.tickAfter(MINUTE);
    expect(find(bus, TOPIC)).toBe('entity');
    bus.tickAfter(4 * MINUTE);
    expect(find(bus, TOPIC)).toBe('failed');
  });

  it('is not idle while a message is scheduled or a receiver waits [IDL-04]', () => {
    const bus = withTopic(idle);
    subscribe(bus, 'one');
    publish(bus, event({}, { scheduledEnqueueTime: START + 20 * MINUTE }));
    bus.tickAfter(10 * MINUTE);
    expect(find(bus, TOPIC)).toBe('entity');
    bus.setCredit(bus.attachReceiver(pathOf('one')), 5);
    bus.tickAfter(10 * MINUTE);
    bus.tickAfter(10 * MINUTE);
    expect(find(bus, TOPIC)).toBe('entity');
  });
});

describe('an idle queue whose dead letters wait to be forwarded', () => {
  it('is deleted once, and nothing of it is due any more [IDL-01, FWD-08]', () => {
    const bus = new BrokerUnderTest();
    bus.putQueue('closed', { status: 'SendDisabled' });
    bus.putQueue('a', {
      autoDeleteOnIdleMs: 5 * MINUTE,
      forwardDeadLetteredMessagesTo: 'closed',
      requiresDuplicateDetection: true,
    });
    bus.send('a', event({ messageId: 'one' }));
    bus.settle('a', bus.receiveOne('a'), { kind: 'dead-letter', changes: [] });
    bus.tickAfter(5 * MINUTE);
    expect(find(bus, 'a')).toBe('failed');
    bus.tickAfter(1);
    expect(bus.broker.nextDeadline()).toBe(Number.POSITIVE_INFINITY);
    expect(bus.tickAfter(20 * MINUTE).events).toEqual([]);
  });
});

describe('an idle subscription', () => {
  const idle = { autoDeleteOnIdleMs: 5 * MINUTE };

  it('is deleted although messages arrive; its topic stays [IDL-05]', () => {
    const bus = withTopic();
    subscribe(bus, 'one', idle);
    bus.passTime(4 * MINUTE);
    publish(bus, {});
    bus.tickAfter(MINUTE);
    expect(find(bus, pathOf('one'))).toBe('failed');
    expect(find(bus, TOPIC)).toBe('entity');
  });

  it.each<[string, (bus: BrokerUnderTest) => unknown]>([
    ['a receive', (bus) => bus.receive(pathOf('one'))],
    ['a change', (bus) => subscribe(bus, 'one', { ...idle, userMetadata: 'x' })],
    ['a rule', (bus) => addRule(bus, 'one', sqlRule('r', '1 = 1'))],
    ['a look', (bus) => bus.peek(pathOf('one'))],
    ['a change of rules', (bus) => setRules(bus, [sqlRule('r', '1 = 1')])],
  ])('is not one that has seen %s [IDL-05]', (_, use) => {
    const bus = withTopic();
    subscribe(bus, 'one', idle);
    bus.passTime(4 * MINUTE);
    use(bus);
    bus.tickAfter(MINUTE);
    expect(find(bus, pathOf('one'))).toBe('entity');
    bus.tickAfter(4 * MINUTE);
    expect(find(bus, pathOf('one'))).toBe('failed');
  });
});

describe('the limits of a topic', () => {
  it('are on its subscriptions [LIM-09, TOP-12]', () => {
    const bus = withTopic({}, { limits: { maxSubscriptionsPerTopic: 2 } });
    subscribe(bus, 'one');
    subscribe(bus, 'two');
    expect(failureOf(trySubscribe(bus, 'three'))).toEqual({
      reason: 'quota-exceeded',
      message: "Topic 'events' has 2 subscriptions; the limit is 2.",
    });
  });

  it('are on the filters of all its subscriptions together, SQL and correlation apart [LIM-10, LIM-11, TOP-12]', () => {
    const limits = { maxSqlFiltersPerTopic: 2, maxCorrelationFiltersPerTopic: 1 };
    const bus = withTopic({}, { limits });
    subscribe(bus, 'one');
    subscribe(bus, 'two');
    expect(failureOf(addRule(bus, 'one', sqlRule('r', '1 = 1')))?.message).toContain(
      '3 SQL filters; the limit is 2',
    );
    const correlation = (name: string) => ruleWith(name, { kind: 'correlation', subject: name });
    expect(addRule(bus, 'one', correlation('a')).result.kind).toBe('done');
    expect(failureOf(addRule(bus, 'two', correlation('b')))?.message).toContain('2 correlation filters');
  });

  it('are on the text of rules [LIM-12, TOP-12]', () => {
    const bus = withSubscriptions('one');
    const long = `a = '${'x'.repeat(1024)}'`;
    expect(failureOf(addRule(bus, 'one', sqlRule('r', long)))?.message).toContain('1024');
    const statements = Array.from({ length: 33 }, (_, index) => `SET a${index} = 1`).join('; ');
    expect(failureOf(addRule(bus, 'one', sqlRule('r', '1 = 1', statements)))?.message).toContain('32');
  });

  it('are not for the Basic tier, which has no topics [TOP-01]', () => {
    const bus = new BrokerUnderTest({ limits: { hasTopics: false } });
    expect(failureOf(putTopic(bus))?.reason).toBe('not-allowed');
  });

  it('cannot be evaded by changing a property that is fixed [SES-01, DUP-01]', () => {
    const bus = withSubscriptions('one');
    expect(failureOf(putTopic(bus, { requiresDuplicateDetection: true }))?.reason).toBe('not-allowed');
    expect(failureOf(trySubscribe(bus, 'one', { requiresSession: true }))?.reason).toBe('not-allowed');
  });
});
