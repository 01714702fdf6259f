// Administration as programs do it: by the official SDK, on the port and with the connection string of everything else.

import type { ServiceBusAdministrationClient } from 'service-bus-beta';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { administer, codeOf } from './support/administration.js';
import { Jitney } from './support/jitney.js';
import { type ClosingClient, connect, only, receiveOne, sendBodies } from './support/service-bus.js';
import { until } from './support/until.js';

let jitney: Jitney;
let client: ClosingClient;
let admin: ServiceBusAdministrationClient;

beforeAll(async () => {
  jitney = await Jitney.start({ queues: ['there?maxDeliveryCount=3'] });
  client = connect(jitney.connectionString);
  admin = administer(jitney.connectionString);
});

afterAll(async () => {
  await client.close();
  await jitney.stop();
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('entities', () => {
  test('exist or not, and say so with the codes of the SDK [ENT-03, ENT-04]', async () => {
    expect(await admin.queueExists('there')).toBe(true);
    expect(await admin.topicExists('nowhere')).toBe(false);
    expect(await admin.queueExists('nowhere')).toBe(false);
    expect(await codeOf(admin.getQueue('nowhere'))).toBe('MessageEntityNotFoundError');
    expect(await codeOf(admin.deleteQueue('nowhere'))).toBe('MessageEntityNotFoundError');
    expect(await codeOf(admin.createQueue('there'))).toBe('MessageEntityAlreadyExistsError');
    expect(await codeOf(admin.createTopic('THERE'))).toBe('MessageEntityAlreadyExistsError');
    expect(await codeOf(admin.createSubscription('nowhere', 'audit'))).toBe('MessageEntityNotFoundError');
    await expect(admin.deleteQueue('nowhere')).rejects.toThrow(
      /^The messaging entity '.*nowhere' could not be found\. TrackingId:[\w-]+, SystemTracker:.+, Timestamp:/,
    );
    const there = await admin.getQueue('there');
    expect(await codeOf(admin.updateQueue({ ...there, name: 'nowhere' }))).toBe('MessageEntityNotFoundError');
  });

  test('that are invalid are refused, and the error says why', async () => {
    await expect(admin.createQueue('bad', { maxDeliveryCount: 0 })).rejects.toThrow(
      /MaxDeliveryCount.*1 to 2147483647/,
    );
    await expect(admin.createQueue('bad', { lockDuration: 'PT6M' })).rejects.toThrow(
      /LockDuration.*PT5M.*PT6M/,
    );
    await expect(admin.createQueue('bad', { forwardTo: 'nowhere' })).rejects.toThrow(/forwardTo.*nowhere/);
    expect(await admin.queueExists('bad')).toBe(false);
  });

  test('are asked for in any case; the SDK repeats that, and lists of queues and topics and messages have lower case [ENT-01, ENT-02]', async () => {
    expect((await admin.createQueue('Area/Sub.Area/the-Queue')).name).toBe('Area/Sub.Area/the-Queue');
    expect((await admin.getQueue('area/sub.area/THE-QUEUE')).name).toBe('area/sub.area/THE-QUEUE');
    expect(await codeOf(admin.createQueue('AREA/sub.area/the-queue'))).toBe(
      'MessageEntityAlreadyExistsError',
    );
    expect((await all(admin.listQueues())).map(({ name }) => name)).toContain('area/sub.area/the-queue');
    const forwardDeadLetteredMessagesTo = 'Area/Sub.Area/the-Queue';
    const source = await admin.createQueue('testQueue', { forwardDeadLetteredMessagesTo });
    expect(source.forwardDeadLetteredMessagesTo).toMatch(/\/Area\/Sub\.Area\/the-Queue$/);
    await sendBodies(client, 'testQueue', ['dead']);
    const receiver = client.createReceiver('testQueue');
    await receiver.deadLetterMessage(await receiveOne(receiver));
    await receiver.close();
    const dead = client.createReceiver('Area/Sub.Area/the-Queue', { receiveMode: 'receiveAndDelete' });
    expect((await receiveOne(dead)).deadLetterSource).toBe('testqueue');
    await dead.close();
    await admin.createTopic('News');
    const names = { topicName: 'News', subscriptionName: 'All' };
    expect(await admin.createSubscription('News', 'All')).toMatchObject(names);
    expect(await all(admin.listSubscriptions('News'))).toMatchObject([names]);
    await admin.deleteTopic('NEWS');
    for (const name of ['TESTQUEUE', 'AREA/SUB.AREA/THE-QUEUE']) await admin.deleteQueue(name);
    expect(await admin.queueExists('Area/Sub.Area/the-Queue')).toBe(false);
  });

  test('may be called like a path of our own', async () => {
    for (const name of ['health', 'metrics', 'messages']) {
      await admin.createQueue(name);
      expect((await admin.getQueue(name)).name).toBe(name);
    }
    const { host, port } = jitney.address;
    expect(await (await fetch(`http://${host}:${port}/health`)).json()).toMatchObject({ status: 'healthy' });
  });

  test('are listed in the order of their names, page by page', async () => {
    const names = Array.from({ length: 130 }, (_, index) => `list-${String(index).padStart(3, '0')}`);
    await Promise.all(names.map((name) => admin.createTopic(name)));
    const listed = (await all(admin.listTopics())).map(({ name }) => name);
    expect(listed.filter((name) => name.startsWith('list-'))).toEqual(names);
    const pages = await all(admin.listTopics().byPage({ maxPageSize: 50 }));
    expect(pages.map(({ length }) => length)).toEqual([50, 50, 30]);
    const counts = (await all(admin.listTopicsRuntimeProperties())).map(
      ({ subscriptionCount }) => subscriptionCount,
    );
    expect(counts).toEqual(Array(130).fill(0));
    await Promise.all(names.map((name) => admin.deleteTopic(name)));
    expect(await all(admin.listTopics())).toEqual([]);
  });

  test('belong to a namespace, which has a name and a tier', async () => {
    expect(await admin.getNamespaceProperties()).toMatchObject({
      name: 'localhost',
      messagingSku: 'Standard',
      createdAt: expect.any(Date),
    });
  });
});

describe('rules', () => {
  test('look the same to the administration and to a rule manager', async () => {
    await admin.createTopic('both-ways');
    await admin.createSubscription('both-ways', 'mail', {
      defaultRuleOptions: { name: 'only', filter: { applicationProperties: { level: 5 } } },
    });
    const manager = client.createRuleManager('both-ways', 'mail');
    const [seen] = await all(manager.listRules());
    expect(seen).toMatchObject({ name: 'only', filter: { applicationProperties: { level: 5 } } });
    await sendBodies(client, 'both-ways', ['no']);
    await sendBodies(client, 'both-ways', ['yes'], { applicationProperties: { level: 5 } });
    const receiver = client.createReceiver('both-ways', 'mail', { receiveMode: 'receiveAndDelete' });
    expect((await receiveOne(receiver)).body).toBe('yes');
    await receiver.close();
  });
});

describe('an entity in use', () => {
  test('that is disabled refuses what its status forbids, and works when it is active again [ENT-06, ENT-07]', async () => {
    await admin.createQueue('paused');
    const paused = await admin.getQueue('paused');
    await admin.updateQueue({ ...paused, status: 'SendDisabled' });
    await using own = connect(jitney.connectionString, { retryOptions: { maxRetries: 0 } });
    expect(await codeOf(own.createSender('paused').sendMessages({ body: 1 }))).toBe(
      'MessagingEntityDisabled',
    );
    await admin.updateQueue(paused);
    await sendBodies(own, 'paused', ['goes on']);
    expect(await admin.getQueueRuntimeProperties('paused')).toMatchObject({ activeMessageCount: 1 });
  });

  test('that is deleted detaches its links, with an error that says so [ENT-04]', async () => {
    await admin.createQueue('going');
    await using own = connect(jitney.connectionString, { retryOptions: { maxRetries: 0 } });
    const errors: unknown[] = [];
    const receiver = own.createReceiver('going');
    const seen: unknown[] = [];
    receiver.subscribe({
      processMessage: async ({ body }) => void seen.push(body),
      processError: async ({ error }) => void errors.push('code' in error ? error.code : error),
    });
    await sendBodies(own, 'going', ['before']);
    await until('the message', () => seen.length === 1);
    await admin.deleteQueue('going');
    await until('the error', () => errors.includes('MessagingEntityNotFound'));
    await receiver.close();
  });

  test('made by the administration works at once', async () => {
    await admin.createQueue('made', { requiresSession: true });
    await sendBodies(client, 'made', ['in a session'], { sessionId: 's' });
    const receiver = await client.acceptSession('made', 's');
    expect(only(await receiver.receiveMessages(1)).body).toBe('in a session');
    await receiver.close();
  });
});
