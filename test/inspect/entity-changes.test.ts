// Entities that a test creates, changes and deletes in a running emulator.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator.js';

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({
    queues: ['orders?lockDuration=PT30S'],
    topics: [
      { name: 'events', subscriptions: [{ name: 'audit', rules: [{ name: 'red', filter: 'a = 1' }] }] },
    ],
  });
});
afterEach(() => emulator.stop());

/** The properties of an entity, as the control interface shows them. */
async function seen(path: string): Promise<Readonly<Record<string, unknown>>> {
  const url = `http://localhost:${emulator.port}/$jitney/v1/entity?entity=${encodeURIComponent(path)}`;
  const { properties } = (await (await fetch(url)).json()) as { readonly properties: object };
  return { ...properties };
}

/** The rules of a subscription as SQL, with their actions. */
async function rulesOf(path: string): Promise<readonly string[]> {
  const url = `http://localhost:${emulator.port}/$jitney/v1/rules?entity=${encodeURIComponent(path)}`;
  type Rule = { readonly name: string; readonly filter: { readonly text: string }; readonly action?: string };
  const { rules } = (await (await fetch(url)).json()) as { readonly rules: readonly Rule[] };
  return rules.map(({ name, filter, action = '' }) => `${name}: ${filter.text} ${action}`.trim());
}

test('a queue is created with properties in the names of the SDK, changed and deleted', async () => {
  const bills = await emulator.createQueue('Bills', {
    lockDuration: 'PT30S',
    defaultMessageTimeToLive: 60_000,
  });
  expect(await bills.counts()).toMatchObject({ active: 0 });
  expect(await seen('bills')).toMatchObject({ lockDuration: 'PT30S', defaultMessageTimeToLive: 'PT1M' });
  await emulator.updateQueue('bills', { lockDuration: null, forwardTo: 'orders' });
  expect(await seen('bills')).toMatchObject({
    lockDuration: 'PT1M',
    defaultMessageTimeToLive: 'PT1M',
    forwardTo: 'orders',
  });
  await emulator.deleteQueue('bills');
  await expect(bills.counts()).rejects.toMatchObject({ kind: 'entity-not-found' });
});

test('a topic is created with its subscriptions, changed and deleted', async () => {
  const news = await emulator.createTopic('news', {
    userMetadata: 'x',
    subscriptions: ['all', { name: 'eu', filter: "region = 'EU'" }],
  });
  expect(await news.subscription('eu').counts()).toMatchObject({ active: 0 });
  expect(await rulesOf('news/Subscriptions/eu')).toEqual(["$Default: region = 'EU'"]);
  await emulator.updateTopic('news', { userMetadata: 'y' });
  await emulator.updateSubscription('news', 'eu', { maxDeliveryCount: 2 });
  expect(await seen('news')).toMatchObject({ userMetadata: 'y' });
  expect(await seen('news/Subscriptions/eu')).toMatchObject({ maxDeliveryCount: 2 });
  await emulator.deleteSubscription('news', 'eu');
  await emulator.deleteTopic('news');
  await expect(news.counts()).rejects.toMatchObject({ kind: 'entity-not-found' });
});

test('subscriptions and rules are created, changed and deleted', async () => {
  await emulator.createSubscription('events', 'mail', { lockDuration: 5000, rules: [{ name: 'one' }] });
  await emulator.createRule('events', 'mail', 'two', { filter: { subject: 'x' }, action: 'SET a = 1' });
  await emulator.updateRule('events', 'mail', 'one', { filter: 'b = 2' });
  expect(await rulesOf('events/Subscriptions/mail')).toEqual([
    'one: b = 2',
    "two: sys.Label = 'x' SET a = 1",
  ]);
  await emulator.deleteRule('events', 'mail', 'two');
  expect(await rulesOf('events/Subscriptions/mail')).toEqual(['one: b = 2']);
});

test('a topic whose subscription is refused is not created', async () => {
  await expect(
    emulator.createTopic('news', { subscriptions: ['all', { name: 'x', forwardTo: 'nowhere' }] }),
  ).rejects.toMatchObject({ kind: 'bad-forwarding' });
  await expect(emulator.topic('news').counts()).rejects.toMatchObject({ kind: 'entity-not-found' });
});

test.each<[string, (emulator: Emulator) => Promise<unknown>, string]>([
  ['entity-exists', (it) => it.createQueue('orders'), "The queue 'orders' exists already"],
  [
    'entity-exists',
    (it) => it.createSubscription('events', 'audit'),
    "'events/Subscriptions/audit' exists already",
  ],
  ['entity-exists', (it) => it.createRule('events', 'audit', 'red'), 'red'],
  ['name-in-use', (it) => it.createTopic('orders'), 'there is a queue of that name already'],
  ['bad-queue', (it) => it.createQueue('a b'), 'its name must hold only'],
  ['bad-queue', (it) => it.createQueue('x', { lockDuration: '5' }), 'lockDuration must be a duration'],
  ['bad-queue', (it) => it.createQueue('x', { lockDurationMs: 5 } as object), "Did you mean 'lockDuration'?"],
  [
    'bad-queue',
    (it) => it.updateQueue('orders', { maxDeliveryCount: 0 }),
    "Queue 'orders': maxDeliveryCount must be",
  ],
  ['bad-forwarding', (it) => it.updateQueue('orders', { forwardTo: 'nowhere' }), 'nowhere'],
  [
    'entity-fixed',
    (it) => it.updateQueue('orders', { requiresSession: true }),
    'requiresSession false, which cannot',
  ],
  ['bad-topic', (it) => it.createRule('events', 'audit', 'x', { filter: 'a =' }), 'is invalid at line 1'],
  ['entity-not-found', (it) => it.updateQueue('ordres', {}), "Did you mean 'orders'?"],
  ['entity-not-found', (it) => it.deleteTopic('nope'), 'nope'],
  ['entity-not-found', (it) => it.createSubscription('nope', 'x'), 'nope'],
  ['entity-not-found', (it) => it.deleteRule('events', 'audit', 'nope'), 'nope'],
  ['entity-not-found', (it) => it.createRule('events', 'nope', 'x'), 'nope'],
  ['other-entity', (it) => it.deleteQueue('events'), "'events' is a topic, not a queue"],
])('%s: a refusal is a JitneyError that says why', async (kind, act, text) => {
  await expect(act(emulator)).rejects.toMatchObject({
    name: 'JitneyError',
    kind,
    message: expect.stringContaining(text),
  });
});

test('a stopped emulator has no entities to change', async () => {
  await emulator.stop();
  await expect(emulator.createQueue('x')).rejects.toMatchObject({ kind: 'not-running' });
});
