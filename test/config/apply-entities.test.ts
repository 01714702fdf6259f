// A changed configuration, applied to a running emulator: what is created, changed, deleted and kept.

import { ServiceBusClient } from '@azure/service-bus';
import { afterEach, expect, test } from 'vitest';
import { AdminClient } from '../../src/client/admin-client.js';
import { listNamespace } from '../../src/client/list-namespace.js';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator.js';

const started: Emulator[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((emulator) => emulator.stop()));
});

async function start(options: EmulatorOptions): Promise<Emulator> {
  const emulator = await startEmulator(options);
  started.push(emulator);
  return emulator;
}

/** All entities in short: the properties that are not Azure's defaults are looked at in each test. */
async function namesIn({ port }: Emulator): Promise<readonly string[]> {
  const access = { kind: 'key', keyName: 'RootManageSharedAccessKey', key: 'SAS_KEY_VALUE' } as const;
  const service = {
    host: 'localhost',
    port,
    isPlain: true,
    transport: 'amqp',
    access,
    authorities: [],
  } as const;
  const client = new AdminClient(service, { interrupted: new AbortController().signal });
  const { queues, topics } = await listNamespace(client);
  client.close();
  return [
    ...queues.map(({ name, lockDurationMs }) => `${name} ${lockDurationMs}`),
    ...topics.flatMap(({ description, subscriptions }) => [
      description.name,
      ...subscriptions.map(
        (one) => `${one.description.name}: ${one.rules.map(({ name }) => name).join(' ')}`,
      ),
    ]),
  ];
}

const textsOf = (changes: Awaited<ReturnType<Emulator['configure']>>) =>
  changes.map(({ kind, type, path, text }) => `${kind} ${type} ${path}${text === '' ? '' : `: ${text}`}`);

test('new entities, changed properties and rules are applied, while links and messages stay', async () => {
  const audit = { name: 'audit', rules: [{ name: 'red' }] };
  const emulator = await start({ queues: ['orders'], topics: [{ name: 'events', subscriptions: [audit] }] });
  const client = new ServiceBusClient(emulator.connectionString);
  const sender = client.createSender('orders');
  await sender.sendMessages({ body: 'before' });
  const changes = await emulator.configure({
    queues: ['bills?forwardTo=last', 'orders?lockDuration=PT5S', 'last'],
    topics: [
      { name: 'events', subscriptions: [{ ...audit, rules: [{ name: 'blue' }] }, 'mail'] },
      { name: 'news', subscriptions: ['all'] },
    ],
  });
  expect(textsOf(changes)).toEqual([
    'created queue bills',
    'changed queue orders: lockDuration PT1M -> PT5S',
    'created queue last',
    'changed subscription events/Subscriptions/audit: rules blue',
    'created subscription events/Subscriptions/mail',
    'created topic news',
    'created subscription news/Subscriptions/all',
  ]);
  expect(await namesIn(emulator)).toEqual([
    ...['bills 60000', 'last 60000', 'orders 5000'],
    ...['events', 'audit: blue', 'mail: $Default', 'news', 'all: $Default'],
  ]);
  await sender.sendMessages({ body: 'after' });
  expect(await emulator.queue('orders').counts()).toMatchObject({ active: 2 });
  await client.close();
});

test('what is no longer configured is kept, and deleted with prune', async () => {
  const emulator = await start({ queues: ['orders', 'old'], topics: ['events/audit+mail', 'gone/x'] });
  await emulator.createQueue('made-by-a-program');
  const fewer = { queues: ['orders'], topics: ['events/audit'] };
  expect(textsOf(await emulator.configure(fewer))).toEqual([
    'kept queue old: it is no longer configured',
    'kept subscription events/Subscriptions/mail: it is no longer configured',
    'kept topic gone: it is no longer configured',
  ]);
  await emulator.configure({ queues: ['orders', 'old'], topics: ['events/audit+mail', 'gone/x'] });
  expect(textsOf(await emulator.configure(fewer, { prune: true }))).toEqual([
    'deleted queue old',
    'deleted subscription events/Subscriptions/mail',
    'deleted topic gone',
  ]);
  expect(await namesIn(emulator)).toEqual([
    'made-by-a-program 60000',
    'orders 60000',
    'events',
    'audit: $Default',
  ]);
});

test('with prune, the name of a queue that is removed can become a topic', async () => {
  const emulator = await start({ queues: ['x'] });
  await expect(emulator.configure({ topics: ['x/y'] })).rejects.toMatchObject({ kind: 'name-in-use' });
  expect(textsOf(await emulator.configure({ topics: ['x/y'] }, { prune: true }))).toEqual([
    'deleted queue x',
    'created topic x',
    'created subscription x/Subscriptions/y',
  ]);
});

test('an entity with a change that needs it made anew is kept as it is, and named', async () => {
  const emulator = await start({ queues: ['orders'] });
  const changes = await emulator.configure({
    queues: ['orders?requiresSession=true&lockDuration=PT5S', 'new'],
  });
  expect(textsOf(changes)).toEqual([
    'kept queue orders: requiresSession is false and cannot become true; delete it to have it made anew',
    'created queue new',
  ]);
  expect(changes[0]).toMatchObject({ property: 'requiresSession' });
  expect(await namesIn(emulator)).toEqual(['new 60000', 'orders 60000']);
});

test('only what has changed in the configuration is applied: what programs have changed stays', async () => {
  const emulator = await start({ queues: ['orders', 'dropped'] });
  await emulator.updateQueue('orders', { lockDuration: 5000 });
  await emulator.deleteQueue('dropped');
  const changes = await emulator.configure({ queues: ['orders?maxDeliveryCount=3', 'dropped'] });
  expect(textsOf(changes)).toEqual(['changed queue orders: maxDeliveryCount 10 -> 3']);
  expect(await namesIn(emulator)).toEqual(['orders 5000']);
});

test.each([
  [{ queues: ['new', 'orders?forwardTo=nowhere'] }, 'bad-forwarding'],
  [
    { queues: ['new'], topics: [{ name: 'events', maxMessageSizeInKilobytes: 4096 }] },
    'entity-beyond-limits',
  ],
  [{ queues: ['new', 'a b'] }, 'bad-queue'],
])('a configuration that is refused changes nothing: %j', async (given, kind) => {
  const emulator = await start({ queues: ['orders'] });
  await expect(emulator.configure(given)).rejects.toMatchObject({ name: 'JitneyError', kind });
  expect(await namesIn(emulator)).toEqual(['orders 60000']);
});

test('a reset brings back the entities of the last configuration', async () => {
  const emulator = await start({ queues: ['orders'] });
  await emulator.configure({ queues: ['orders', 'new'] });
  await emulator.deleteQueue('new');
  await emulator.reset({ all: true });
  expect(await namesIn(emulator)).toEqual(['new 60000', 'orders 60000']);
});
