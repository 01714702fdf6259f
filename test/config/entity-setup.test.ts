// The entities of a configuration, made in a broker: at the first start, and at one that finds entities of earlier starts.

import { beforeEach, expect, test } from 'vitest';
import { describeSubscription } from '../../src/broker/contract/entities/topic-description.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import { LIMITS_OF_TIER } from '../../src/broker/contract/limits.js';
import type { RuleDescription } from '../../src/broker/contract/rule-description.js';
import { ServiceBusError } from '../../src/broker/contract/service-bus-error.js';
import { collectEntities } from '../../src/config/configured-entities.js';
import { EntitySetup, entitiesToPut, setUpEntities } from '../../src/config/entity-setup.js';
import type { GivenSubscription } from '../../src/config/given-entities.js';
import type { Ask } from '../../src/config/list-entities.js';
import type { EmulatorOptions } from '../../src/config/options/emulator-options.js';
import { resetEntities } from '../../src/config/reset-entities.js';
import { BrokerUnderTest } from '../support/broker-builders.js';

type Given = Pick<EmulatorOptions, 'queues' | 'topics' | 'configJson'>;

const ALL = { name: '$Default', filter: { kind: 'true' }, action: undefined };
const BLUE = { name: 'blue', filter: { kind: 'sql', expression: "color = 'blue'" }, action: undefined };

let broker: BrokerUnderTest;
let commandKinds: string[];
beforeEach(() => {
  broker = new BrokerUnderTest();
  commandKinds = [];
});

/** As a start with these does it. */
async function setUp(given: Given): Promise<void> {
  const ask: Ask = async (command) => {
    commandKinds.push(command.kind);
    return broker.execute(command).result;
  };
  await new EntitySetup(ask, LIMITS_OF_TIER.standard).run(entitiesToPut(await collectEntities(given)));
}

/** The same with all it does to leave nothing behind when it is refused. */
async function setUpWithDryRun(given: Given): Promise<void> {
  await setUpEntities(entitiesToPut(await collectEntities(given)), {
    ask: async (command) => broker.execute(command).result,
    limits: LIMITS_OF_TIER.standard,
    copyOf: (stored) => {
      const copy = new BrokerUnderTest();
      copy.broker.restore(stored);
      return async (command) => copy.execute(command).result;
    },
  });
}

function audit(given: Omit<GivenSubscription, 'name'> = {}): Given {
  return { topics: [{ name: 'events', subscriptions: [{ name: 'audit', ...given }] }] };
}

/** Attaches a consumer of JMS to the durable subscription `audit$app$D`. */
function attachSubscriber(decided: { readonly isShared: boolean; readonly selector?: string }) {
  return broker.execute({
    kind: 'attach-subscriber',
    linkId: 1,
    topicName: 'events',
    subscriber: { name: 'audit', clientId: 'app', isDurable: true, ...decided },
    receiveMode: 'peek-lock',
    autoDeleteOnIdleMs: NEVER,
    mayCreate: true,
  }).result;
}

function rules(name = 'audit') {
  const { result } = broker.execute({
    kind: 'list-rules',
    entityPath: `events/Subscriptions/${name}`,
    skip: 0,
    maxCount: 100,
  });
  if (result.kind !== 'rules') throw new Error(`It has no rules but ${result.kind}`);
  return result.rules.map(({ description }) => description);
}

function entity(entityPath: string) {
  const { result } = broker.execute({ kind: 'get-entity', entityPath });
  return result.kind === 'entity-info' ? result.entity : undefined;
}

function queue(name: string) {
  const found = entity(name);
  return found?.type === 'queue' ? found : undefined;
}

function subscription(topicName: string, name: string) {
  const found = entity(`${topicName}/Subscriptions/${name}`);
  return found?.type === 'subscription' ? found : undefined;
}

const MANY_RULES = Array.from({ length: 2000 }, (_, index) => ({ name: `r${index}`, filter: 'a = 1' }));

test.each<[string, Given]>([
  ['its forwarding goes nowhere', { queues: ['b', { name: 'a', forwardTo: 'nowhere' }] }],
  ['its dead letters go nowhere', { queues: ['b', { name: 'a', forwardDeadLetteredMessagesTo: 'c' }] }],
  [
    'what requires sessions forwards',
    { queues: ['b', { name: 'a', requiresSession: true, forwardTo: 'b' }] },
  ],
  [
    'something is fixed',
    { queues: ['b'], topics: [{ name: 'other' }, { name: 'fixed', enablePartitioning: true }] },
  ],
  ['a name is in use', { queues: ['b', 'EVENTS'] }],
  [
    'there are too many rules',
    {
      queues: ['b'],
      topics: ['other/more', { name: 'events', subscriptions: [{ name: 'new', rules: MANY_RULES }] }],
    },
  ],
])('a start that is refused because %s has changed nothing [FWD-02]', async (_, given) => {
  await setUpWithDryRun({ queues: ['there?maxDeliveryCount=3'], topics: ['fixed'] });
  await setUpWithDryRun(audit({ rules: [{ name: 'old', filter: 'a = 1' }] }));
  const changed = { ...given, queues: ['there?maxDeliveryCount=9', ...(given.queues ?? [])] };
  await expect(setUpWithDryRun(changed)).rejects.toThrow();
  expect(queue('there')?.description.maxDeliveryCount).toBe(3);
  expect([queue('a'), queue('b'), subscription('events', 'new')]).toEqual([undefined, undefined, undefined]);
  expect(broker.execute({ kind: 'get-entity', entityPath: 'other' }).result.kind).toBe('failed');
  expect(rules().map(({ name }) => name)).toEqual(['old']);
});

test('a start that is not refused does the same with care as without', async () => {
  const given = {
    queues: ['a?forwardTo=b', 'b'],
    ...audit({ rules: [{ name: 'blue', filter: "color = 'blue'" }] }),
  };
  await setUpWithDryRun(given);
  await setUpWithDryRun(given);
  expect(queue('a')?.description.forwardTo).toBe('b');
  expect(rules()).toEqual([BLUE]);
});

test('a new subscription has the rules it is given, and without any $Default [TOP-02]', async () => {
  await setUp(audit({ rules: [{ name: 'blue', filter: "color = 'blue'" }] }));
  expect(rules()).toEqual([BLUE]);
  broker = new BrokerUnderTest();
  await setUp(audit());
  expect(rules()).toEqual([ALL]);
});

test('given rules replace the rules of a subscription that exists', async () => {
  await setUp(audit());
  const entityPath = 'events/Subscriptions/audit';
  broker.execute({
    kind: 'add-rule',
    entityPath,
    rule: { name: 'own', filter: { kind: 'true' }, action: undefined },
  });
  await setUp(audit({ rules: [{ name: 'blue', filter: "color = 'red'" }] }));
  await setUp(audit({ rules: [{ name: 'blue', filter: "color = 'blue'" }] }));
  expect(rules()).toEqual([BLUE]);
  await setUp(audit({ rules: [] }));
  expect(rules()).toEqual([ALL]);
});

test('where no rules are given, a subscription that exists keeps its own', async () => {
  await setUp(audit({ rules: [{ name: 'blue', filter: "color = 'blue'" }] }));
  await setUp(audit());
  expect(rules()).toEqual([BLUE]);
});

test('messages stay, and so does a rule that is as it is given', async () => {
  const given = audit({ filter: true });
  await setUp(given);
  broker.send('events', 'm');
  commandKinds = [];
  await setUp(given);
  expect(commandKinds).toEqual(['put-entity', 'put-entity', 'set-rules']);
  expect(subscription('events', 'audit')?.counts.active).toBe(1);
});

test('a config that is applied again adds and updates, and drops neither messages nor what it no longer names', async () => {
  const config = (entities: object) => ({
    configJson: JSON.stringify({ UserConfig: { Namespaces: [entities] } }),
  });
  const audit = { Name: 'audit', Properties: { MaxDeliveryCount: 3 } };
  await setUp(
    config({ Queues: [{ Name: 'a' }, { Name: 'b' }], Topics: [{ Name: 't', Subscriptions: [audit] }] }),
  );
  broker.send('a', 'one');
  broker.send('b', 'two');
  broker.send('t', 'three');
  const none = { Name: 'none', Properties: { FilterType: 'False' } };
  const subscriptions = [
    { Name: 'audit', Properties: { MaxDeliveryCount: 7 }, Rules: [none] },
    { Name: 'mail' },
  ];
  await setUp(
    config({
      Queues: [{ Name: 'a', Properties: { LockDuration: 'PT5S' } }, { Name: 'c' }],
      Topics: [{ Name: 't', Subscriptions: subscriptions }],
    }),
  );
  expect(queue('a')).toMatchObject({ counts: { active: 1 }, description: { lockDurationMs: 5000 } });
  expect(queue('b')?.counts.active).toBe(1);
  expect(queue('c')?.counts.active).toBe(0);
  expect(subscription('t', 'audit')).toMatchObject({
    counts: { active: 1 },
    description: { maxDeliveryCount: 7 },
  });
  broker.send('t', 'four');
  expect(subscription('t', 'audit')?.counts.active).toBe(1);
  expect(subscription('t', 'mail')?.counts.active).toBe(1);
});

test('the selector of a JMS consumer stays in the place of a default rule that is configured [JMS-17]', async () => {
  const given: Given = {
    topics: [{ name: 'events', subscriptions: [{ name: 'audit$app$D', filter: true }] }],
  };
  await setUp(given);
  attachSubscriber({ isShared: false, selector: 'size > 1' });
  const selector = [{ filter: { kind: 'selector', expression: 'size > 1' } }];
  expect(rules('audit$app$D')).toMatchObject(selector);
  await setUpWithDryRun(given);
  expect(rules('audit$app$D')).toMatchObject(selector);
  await setUp({
    topics: [{ name: 'events', subscriptions: [{ name: 'audit$app$D', filter: "color = 'blue'" }] }],
  });
  expect(rules('audit$app$D')).toMatchObject([{ filter: { kind: 'sql' } }]);
});

test('a reset of the entities undoes what a JMS consumer has decided, unless it is still there [JMS-17]', async () => {
  const given: Given = { topics: [{ name: 'events', subscriptions: ['audit$app$D'] }] };
  const reset = async () =>
    resetEntities(await collectEntities(given), {
      ask: async (command) => broker.execute(command).result,
      limits: LIMITS_OF_TIER.standard,
    });
  await setUp(given);
  attachSubscriber({ isShared: false, selector: 'size > 1' });
  await reset();
  expect(rules('audit$app$D')).toMatchObject([{ filter: { kind: 'selector' } }]);
  broker.execute({ kind: 'detach', linkId: 1 });
  await reset();
  expect(rules('audit$app$D')).toEqual([ALL]);
  expect(attachSubscriber({ isShared: true }).kind).not.toBe('failed');
  expect(rules('audit$app$D')).toEqual([ALL]);
});

test('properties are as given last', async () => {
  await setUp(audit({ maxDeliveryCount: 3 }));
  await setUp(audit());
  expect(subscription('events', 'audit')?.description.maxDeliveryCount).toBe(10);
});

test('entities may forward to what is named after them, and in a circle [FWD-02]', async () => {
  await setUp({
    queues: [
      { name: 'a', forwardTo: 'b' },
      { name: 'b', forwardDeadLetteredMessagesTo: 'events' },
    ],
    topics: [{ name: 'events', subscriptions: [{ name: 'audit', forwardTo: 'a' }, 'mail'] }],
  });
  expect(queue('a')?.description.forwardTo).toBe('b');
  expect(queue('b')?.description.forwardDeadLetteredMessagesTo).toBe('events');
  expect(subscription('events', 'audit')?.description.forwardTo).toBe('a');
  expect(subscription('events', 'mail')?.description.forwardTo).toBeUndefined();
});

test('a start that finds entities that forward never makes them hold what they forward', async () => {
  const given: Given = { queues: [{ name: 'a', forwardTo: 'b' }, 'b'] };
  await setUp(given);
  commandKinds = [];
  await setUp(given);
  expect(commandKinds).toEqual(['get-entity', 'put-entity', 'put-entity']);
});

test('a start that names one that forwarded and no longer does gives it back its messages', async () => {
  await setUp({ queues: [{ name: 'a', forwardTo: 'b' }, 'b'] });
  await setUp({ queues: ['a'] });
  broker.send('a', 'm');
  expect(queue('a')?.counts.active).toBe(1);
});

test('a destination may be one of an earlier start; one that is not there is told [FWD-02]', async () => {
  await setUp({ queues: ['archive'] });
  await setUp({ queues: [{ name: 'a', forwardTo: 'archive' }] });
  await expect(setUp({ queues: [{ name: 'a', forwardTo: 'nowhere' }] })).rejects.toMatchObject({
    name: 'JitneyError',
    kind: 'bad-forwarding',
    message: "forwardTo of queue 'a' is 'nowhere', and there is no such queue or topic; create it first.",
    refused: { entity: { name: 'a' }, property: 'forwardTo' },
  });
});

test('a name that an earlier start has given to the other kind is told [ENT-03]', async () => {
  await setUp({ queues: ['orders'], topics: ['events'] });
  await expect(setUp({ topics: ['Orders'] })).rejects.toMatchObject({ kind: 'name-in-use' });
  await expect(setUp({ queues: ['Events'] })).rejects.toMatchObject({ kind: 'name-in-use' });
});

test('what is fixed is told of topics and subscriptions', async () => {
  await setUp(audit());
  await expect(setUp(audit({ requiresSession: true }))).rejects.toMatchObject({
    kind: 'entity-fixed',
    message: "Subscription 'events/audit' exists with requiresSession false, which cannot become true",
    refused: { entity: { topicName: 'events', name: 'audit' }, property: 'requiresSession' },
  });
  await expect(setUp({ topics: ['events?enablePartitioning=true'] })).rejects.toMatchObject({
    kind: 'entity-fixed',
    message: "Topic 'events' exists with enablePartitioning false, which cannot become true",
  });
});

test('a reset of the entities brings back all that is configured, and nothing else', async () => {
  const given: Given = {
    queues: [{ name: 'orders', forwardTo: 'bills' }, 'bills'],
    topics: [{ name: 'events', subscriptions: ['audit', 'gone'] }],
  };
  await setUp(given);
  const before = names();
  broker.putQueue('more');
  broker.execute({ kind: 'delete-entity', entityPath: 'orders' });
  broker.execute({ kind: 'delete-entity', entityPath: 'bills' });
  broker.putQueue('BILLS', { requiresSession: true, lockDurationMs: 5000 });
  broker.execute({ kind: 'delete-entity', entityPath: 'events/Subscriptions/gone' });
  const created = { topicName: 'events', description: describeSubscription('more') };
  broker.execute({ kind: 'put-entity', type: 'subscription', ...created });
  const entityPath = 'events/Subscriptions/audit';
  broker.execute({ kind: 'set-rules', entityPath, rules: [BLUE] as RuleDescription[] });

  await resetEntities(await collectEntities(given), {
    ask: async (command) => broker.execute(command).result,
    limits: LIMITS_OF_TIER.standard,
  });
  expect(names()).toEqual(before);
  expect(rules()).toEqual([ALL]);
  expect(broker.queueInfo('orders').description.forwardTo).toBe('bills');
  expect(broker.queueInfo('bills').description).toMatchObject({
    requiresSession: false,
    lockDurationMs: 60_000,
  });
});

test('a reset of the entities deletes none whose change is refused for another reason', async () => {
  const given: Given = { queues: ['orders'] };
  await setUp(given);
  const refusal = new ServiceBusError('not-allowed', 'The namespace is full.');
  const reset = resetEntities(await collectEntities(given), {
    ask: async (command) =>
      command.kind === 'put-entity' ? { kind: 'failed', error: refusal } : broker.execute(command).result,
    limits: LIMITS_OF_TIER.standard,
  });
  await expect(reset).rejects.toThrow('The namespace is full.');
  expect(names()).toEqual(['orders']);
});

/** Every entity there is. */
function names(): readonly string[] {
  const { result } = broker.execute({ kind: 'inspect-namespace' });
  if (result.kind !== 'inspected-entities') throw new Error(result.kind);
  return result.entities.flatMap((entity) =>
    entity.kind === 'topic' ? [entity.path, ...entity.subscriptions.map(({ path }) => path)] : [entity.path],
  );
}
