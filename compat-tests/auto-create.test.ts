// What the SDK's calls create with `--auto-create`, and which probes of a missing name create nothing.

import { ServiceBusAdministrationClient } from '@azure/service-bus';
import { expect, onTestFinished, test } from 'vitest';
import { importBuiltPackage } from './support/built-package.js';
import { connect, only } from './support/service-bus.js';

const { startEmulator } = await importBuiltPackage();

type Options = NonNullable<Parameters<typeof startEmulator>[0]>;

async function start(options: Options = {}) {
  const warnings: string[] = [];
  const log: Options['log'] = (level, text) => {
    if (level === 'warn' && text.startsWith('Created')) warnings.push(text);
  };
  const emulator = await startEmulator({ autoCreate: true, ui: 'off', log, ...options });
  const client = connect(emulator.connectionString, { retryOptions: { maxRetries: 0, timeoutInMs: 5000 } });
  onTestFinished(() => client.close().finally(() => emulator.stop()));
  const admin = new ServiceBusAdministrationClient(emulator.connectionString, await emulator.adminOptions);
  const names = async () => {
    const found: string[] = [];
    for await (const { name } of admin.listQueues()) found.push(name);
    for await (const { name } of admin.listTopics()) {
      found.push(`topic ${name}`);
      for await (const { subscriptionName } of admin.listSubscriptions(name))
        found.push(`${name}/${subscriptionName}`);
    }
    return found;
  };
  return { emulator, client, admin, names, warnings };
}

test('a sender creates its queue', async () => {
  const { client, names, warnings } = await start();
  await client.createSender('orders').sendMessages({ body: 1 });
  await client.createSender('ORDERS').sendMessages({ body: 2 });
  expect(await client.createReceiver('orders').receiveMessages(2)).toHaveLength(2);
  expect(await names()).toEqual(['orders']);
  expect(warnings).toHaveLength(1);
});

test('a scheduled message creates its queue', async () => {
  const { client, admin, names } = await start();
  const soon = new Date(Date.now() + 3_600_000);
  await client.createSender('orders').scheduleMessages({ body: 1 }, soon);
  expect(await names()).toEqual(['orders']);
  expect((await admin.getQueueRuntimeProperties('orders')).scheduledMessageCount).toBe(1);
});

test('a receiver creates its queue with the defaults of Azure, and gets what comes later', async () => {
  const { client, admin } = await start();
  const receiving = client.createReceiver('orders').receiveMessages(1, { maxWaitTimeInMs: 5000 });
  while (!(await admin.queueExists('orders'))) await new Promise((resolve) => setTimeout(resolve, 20));
  await client.createSender('orders').sendMessages({ body: 'later' });
  expect(only(await receiving).body).toBe('later');
  const { lockDuration, maxDeliveryCount, requiresSession } = await admin.getQueue('orders');
  expect({ lockDuration, maxDeliveryCount, requiresSession }).toEqual({
    lockDuration: 'PT1M',
    maxDeliveryCount: 10,
    requiresSession: false,
  });
});

test('a receiver of a subscription creates it and its topic, with a warning each', async () => {
  const { client, names, warnings } = await start();
  const receiver = client.createReceiver('events', 'mail');
  expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: 100 })).toEqual([]);
  await client.createSender('events').sendMessages({ body: 'to all' });
  expect(only(await receiver.receiveMessages(1)).body).toBe('to all');
  expect(await names()).toEqual(['topic events', 'events/mail']);
  expect(warnings).toEqual([
    "Created the topic 'events', which a receiver named and which was missing (--auto-create).",
    "Created the subscription 'events/Subscriptions/mail', which a receiver named and which was missing (--auto-create).",
  ]);
});

test('acceptSession creates a queue or subscription with sessions', async () => {
  const { client, admin } = await start();
  const receiver = await client.acceptSession('jobs', 'a');
  await client.createSender('jobs').sendMessages({ body: 1, sessionId: 'a' });
  expect(await receiver.receiveMessages(1)).toHaveLength(1);
  await client.acceptSession('events', 'audit', 'a');
  expect((await admin.getQueue('jobs')).requiresSession).toBe(true);
  expect((await admin.getSubscription('events', 'audit')).requiresSession).toBe(true);
});

test('probes of a missing name create nothing', async () => {
  const { client, admin, names, warnings } = await start({ queues: ['there'] });
  await client.createSender('there').sendMessages({ body: 1 });
  const [{ sequenceNumber = undefined } = {}] = await client.createReceiver('there').peekMessages(1);
  if (sequenceNumber === undefined) throw new Error('nothing was sent');
  const missing = { code: 'MessagingEntityNotFound' };
  expect(await admin.queueExists('orders')).toBe(false);
  expect(await admin.topicExists('orders')).toBe(false);
  expect(await admin.subscriptionExists('events', 'mail')).toBe(false);
  await expect(client.createReceiver('orders').peekMessages(1)).rejects.toMatchObject(missing);
  await expect(client.createReceiver('events', 'mail').peekMessages(1)).rejects.toMatchObject(missing);
  await expect(client.createSender('orders').cancelScheduledMessages([sequenceNumber])).rejects.toMatchObject(
    missing,
  );
  await expect(
    client.createReceiver('orders').receiveDeferredMessages([sequenceNumber]),
  ).rejects.toMatchObject(missing);
  const deadLetters = client.createReceiver('orders', { subQueueType: 'deadLetter' });
  await expect(deadLetters.receiveMessages(1)).rejects.toMatchObject(missing);
  await expect(deadLetters.peekMessages(1)).rejects.toMatchObject(missing);
  expect(await names()).toEqual(['there']);
  expect(warnings).toEqual([]);
});

test('a receiver of a topic itself is refused, and nothing is created', async () => {
  const { client, names, warnings } = await start({ topics: ['events'] });
  await expect(client.createReceiver('events').receiveMessages(1)).rejects.toThrow(/topic/);
  expect(await names()).toEqual(['topic events']);
  expect(warnings).toEqual([]);
});

test('a queue that is later asked for as a topic is refused, and --topic is named', async () => {
  const { client, names } = await start();
  await client.createSender('events').sendMessages({ body: 1 });
  await expect(client.createReceiver('events', 'mail').receiveMessages(1)).rejects.toThrow(
    "'events' is a queue, so it has no subscription 'mail'. If a sender came first and --auto-create made it a queue: delete the queue, and start with --topic events/mail.",
  );
  expect(await names()).toEqual(['events']);
});

test('with keys and rights that are checked, a token for a missing name passes, and only its right creates', async () => {
  const policies = [
    { keyName: 'RootManageSharedAccessKey', rights: ['Manage', 'Send', 'Listen'], primaryKey: 'root' },
    { keyName: 'listener', rights: ['Listen'], primaryKey: 'ears' },
  ] as const;
  const { emulator, names } = await start({ auth: 'strict', policies });
  const string = emulator.connectionString.replace(
    /KeyName=[^;]*;SharedAccessKey=[^;]*/,
    'KeyName=listener;SharedAccessKey=ears',
  );
  const listener = connect(string, { retryOptions: { maxRetries: 0, timeoutInMs: 5000 } });
  onTestFinished(() => listener.close());
  await expect(listener.createSender('orders').sendMessages({ body: 1 })).rejects.toThrow(/Send/);
  expect(await names()).toEqual([]);
  expect(await listener.createReceiver('orders').receiveMessages(1, { maxWaitTimeInMs: 100 })).toEqual([]);
  expect(await names()).toEqual(['orders']);
});
