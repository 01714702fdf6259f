// The administration client against a Jitney: as Azure is reached (TLS, keys are checked) and as an emulator is reached (plain).

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { describeSubscription, describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import type { RuleDescription } from '../../src/broker/contract/rule-description.js';
import { AdminClient } from '../../src/client/admin-client.js';
import type { AdminConnectionOptions } from '../../src/client/admin-connection.js';
import { listNamespace } from '../../src/client/list-namespace.js';
import type { Service } from '../../src/client/service.js';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator.js';
import { countFor } from '../support/thorough.js';

const ROOT = { kind: 'key', keyName: 'RootManageSharedAccessKey', key: 'SAS_KEY_VALUE' } as const;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function start(options: EmulatorOptions): Promise<Emulator> {
  const emulator = await startEmulator(options);
  ends.push(() => emulator.stop());
  return emulator;
}

function clientOf(given: Partial<Service>, options: Partial<AdminConnectionOptions> = {}): AdminClient {
  const client = new AdminClient(
    {
      host: 'localhost',
      port: undefined,
      isPlain: true,
      transport: 'amqp',
      access: ROOT,
      authorities: [],
      ...given,
    },
    { interrupted: new AbortController().signal, ...options },
  );
  ends.push(() => client.close());
  return client;
}

const plainClientOf = ({ port }: Emulator) => clientOf({ port });

async function azureClientOf({ port, caCertificate }: Emulator, access: Service['access'] = ROOT) {
  return clientOf({ port, isPlain: false, access, authorities: [(await caCertificate) ?? ''] });
}

const RULES: readonly RuleDescription[] = [
  { name: 'all', filter: { kind: 'true' }, action: undefined },
  { name: 'none', filter: { kind: 'false' }, action: undefined },
  {
    name: 'red',
    filter: {
      kind: 'sql',
      expression: "color = @color AND n > 1 AND note <> '<&>'",
      parameters: { '@color': 'red' },
    },
    action: { kind: 'sql', expression: "SET sys.Label = 'red'" },
  },
  {
    name: 'placed',
    filter: {
      kind: 'correlation',
      subject: 'placed',
      sessionId: '',
      properties: {
        region: 'EU',
        big: true,
        n: { type: 'int', value: '7' },
        far: { type: 'long', value: '9007199254740993' },
        weight: { type: 'double', value: '0.5' },
        wait: { type: 'duration', value: 'PT5S' },
      },
    },
    action: undefined,
  },
];
/** Authorization rules have times of their own, which are not listed here. */
const QUEUE = describeQueue('a/deep/queue', {
  lockDurationMs: 30_000,
  maxDeliveryCount: 3,
  maxSizeInMegabytes: 2048,
  requiresSession: true,
  requiresDuplicateDetection: true,
  duplicateDetectionHistoryTimeWindowMs: 60_000,
  defaultMessageTimeToLiveMs: 3_600_000,
  deadLetteringOnMessageExpiration: true,
  enableBatchedOperations: false,
  enablePartitioning: true,
  status: 'SendDisabled',
  autoDeleteOnIdleMs: 600_000,
  forwardDeadLetteredMessagesTo: 'graves',
  userMetadata: 'for <us> & "you"',
});
const TOPIC = describeTopic('events', { defaultMessageTimeToLiveMs: 60_000, userMetadata: 'x' });
const AUDIT = describeSubscription('Audit', { lockDurationMs: 5000, requiresSession: true });
const MAIL = describeSubscription('mail', { forwardTo: 'graves' });

test('a namespace is listed as it was configured, from a service that checks keys', async () => {
  const emulator = await start({ auth: 'strict' });
  const client = await azureClientOf(emulator);
  await client.create('queue', { entity: 'graves' }, {});
  await client.create('queue', { entity: QUEUE.name }, withoutName(QUEUE));
  await client.create('topic', { entity: 'events' }, withoutName(TOPIC));
  const [first, ...others] = RULES;
  const audit = { entity: 'events', subscription: 'Audit' };
  await client.create('subscription', audit, withoutName(AUDIT), first);
  await client.create('subscription', { entity: 'events', subscription: 'mail' }, withoutName(MAIL));
  for (const rule of others) await client.createRule('events', 'Audit', rule);
  const { queues, topics, tier } = await listNamespace(client);
  expect(tier).toBe('standard');
  expect(queues).toEqual([QUEUE, describeQueue('graves')]);
  const [topic] = topics;
  expect(topics).toHaveLength(1);
  expect(topic?.description).toEqual(TOPIC);
  expect(topic?.subscriptions.map(({ description }) => description)).toEqual([AUDIT, MAIL]);
  const byName = (rules: readonly RuleDescription[] = []) =>
    [...rules].sort((a, b) => (a.name < b.name ? -1 : 1));
  expect(byName(topic?.subscriptions[0]?.rules)).toEqual(byName(RULES));
  expect(topic?.subscriptions[1]?.rules).toEqual([
    { name: '$Default', filter: { kind: 'true' }, action: undefined },
  ]);
});

function withoutName<Description extends { readonly name: string }>({ name: _, ...more }: Description) {
  return more;
}

test('a namespace of many entities is listed page by page, from a service that checks keys', async () => {
  // 1,000 entities in the thorough run. Each list has more than one page of 100 in `npm test`, too.
  const [queueCount, subscriptionCount, topicCount] = [
    countFor(101, 643),
    countFor(101, 150),
    countFor(101, 103),
  ];
  const numbers = Array.from({ length: queueCount }, (_, index) => String(index).padStart(4, '0'));
  const subscriptions = numbers.slice(0, subscriptionCount).map((number) => `s${number}`);
  const emulator = await start({
    auth: 'strict',
    queues: numbers.map((number) => `q${number}`),
    topics: [
      { name: 'wide', subscriptions },
      ...numbers.slice(0, topicCount).map((number) => ({ name: `t${number}`, subscriptions: ['s'] })),
    ],
  });
  const counts: number[] = [];
  const client = await azureClientOf(emulator);
  const listed = await listNamespace(client, { onProgress: (count) => counts.push(count) });
  expect(counts.at(-1)).toBe(queueCount + 1 + subscriptionCount + 2 * topicCount);
  expect(listed.queues.map(({ name }) => name)).toEqual(numbers.map((number) => `q${number}`));
  const wide = listed.topics.find(({ description }) => description.name === 'wide');
  expect(wide?.subscriptions.map(({ description }) => description.name)).toEqual(subscriptions);
  expect(listed.topics.flatMap((topic) => topic.subscriptions).every(({ rules }) => rules.length === 1)).toBe(
    true,
  );
});

test('an update keeps what it does not name, and an entity can be deleted', async () => {
  const emulator = await start({
    queues: [
      'graves',
      'orders?enablePartitioning=true&maxSizeInMegabytes=2048&userMetadata=x&forwardTo=graves',
    ],
  });
  const client = plainClientOf(emulator);
  await client.update('queue', { entity: 'orders' }, { lockDurationMs: 5000 });
  const orders = await client.get({ entity: 'orders' });
  expect(orders?.description).toEqual(
    describeQueue('orders', {
      enablePartitioning: true,
      maxSizeInMegabytes: 2048,
      userMetadata: 'x',
      forwardTo: 'graves',
      lockDurationMs: 5000,
    }),
  );
  await client.delete({ entity: 'orders' });
  expect(await client.get({ entity: 'orders' })).toBeUndefined();
  expect(await client.get({ entity: 'events', subscription: 'nope' })).toBeUndefined();
  await expect(client.update('queue', { entity: 'orders' }, {})).rejects.toMatchObject({ kind: 'no-entity' });
});

test('rules are read, changed and deleted', async () => {
  const client = plainClientOf(await start({ topics: ['events/audit'] }));
  const rule: RuleDescription = {
    name: 'red',
    filter: { kind: 'sql', expression: 'x = 1' },
    action: undefined,
  };
  await client.createRule('events', 'audit', rule);
  await client.updateRule('events', 'audit', { ...rule, filter: { kind: 'sql', expression: 'x = 2' } });
  expect(await client.getRule('events', 'audit', 'red')).toMatchObject({ filter: { expression: 'x = 2' } });
  await client.deleteRule('events', 'audit', 'red');
  expect(await client.getRule('events', 'audit', 'red')).toBeUndefined();
});

test('a key without the right to manage is told which right it lacks, and a wrong key that it is wrong', async () => {
  const emulator = await start({
    auth: 'strict',
    queues: ['orders'],
    policies: [{ keyName: 'app', rights: ['Send', 'Listen'], primaryKey: 'secret' }],
  });
  const app = await azureClientOf(emulator, { kind: 'key', keyName: 'app', key: 'secret' });
  for (const refused of [
    () => listNamespace(app),
    () => app.get({ entity: 'orders' }),
    () => app.create('queue', { entity: 'x' }, {}),
    () => app.delete({ entity: 'orders' }),
  ]) {
    await expect(refused()).rejects.toMatchObject({
      kind: 'access-refused',
      message: expect.stringMatching(/the key 'app' for '.*': it lacks the right Manage/),
    });
  }
  const wrong = await azureClientOf(emulator, { ...ROOT, key: 'wrong' });
  await expect(wrong.get({ entity: 'orders' })).rejects.toMatchObject({
    kind: 'access-refused',
    message: expect.stringContaining('is not accepted'),
  });
});

/** A service that answers each request with the next of these. */
async function scripted(...answers: ((response: ServerResponse) => void)[]): Promise<number> {
  const server = createServer((_, response) => answers.shift()?.(response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  ends.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

const busy = (status: number, retryAfter?: string) => (response: ServerResponse) =>
  response
    .writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
    .end('<Error><Code>429</Code><Detail>SubCode=42900. Slow down. TrackingId:x</Detail></Error>');

test('a busy service is asked again after the time that it names', async () => {
  const waits: number[] = [];
  const port = await scripted(busy(429, '7'), busy(503), busy(503), (response) => response.end());
  const client = clientOf({ port, host: '127.0.0.1' }, { wait: async (ms) => void waits.push(ms) });
  await client.delete({ entity: 'orders' });
  expect(waits).toEqual([7000, 2000, 4000]);
});

test('a service that stays busy is given up, and its sentence is shown', async () => {
  const port = await scripted(...Array.from({ length: 10 }, () => busy(429, '1')));
  const client = clientOf({ port, host: '127.0.0.1' }, { wait: async () => {} });
  await expect(client.delete({ entity: 'orders' })).rejects.toMatchObject({
    kind: 'refused',
    message: `http://127.0.0.1:${port} is too busy for the request for 'orders': Slow down.`,
  });
});

test('an interruption ends a wait and a request', async () => {
  const port = await scripted(busy(429, '50'), () => controller.abort());
  const controller = new AbortController();
  const onBusy = () => queueMicrotask(() => controller.abort());
  const waiting = clientOf({ port, host: '127.0.0.1' }, { interrupted: controller.signal, onBusy });
  await expect(waiting.delete({ entity: 'orders' })).rejects.toMatchObject({ kind: 'interrupted' });
});

test('nothing at the address, and something else than a service of XML, are one sentence', async () => {
  await expect(clientOf({ port: 1, host: '127.0.0.1' }).get({ entity: 'x' })).rejects.toMatchObject({
    kind: 'not-reachable',
  });
  const port = await scripted((response) => response.end('hello'));
  await expect(clientOf({ port, host: '127.0.0.1' }).get({ entity: 'x' })).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining("for 'x' with something else than XML"),
  });
});
