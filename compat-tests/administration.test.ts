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
    await expect(admin.getQueue('nowhere')).rejects.toThrow(
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

  test('have the name they were created with, in any case and with slashes [ENT-01, ENT-02]', async () => {
    await admin.createQueue('Area/Sub.Area/the-Queue');
    expect((await admin.getQueue('area/sub.area/THE-QUEUE')).name).toBe('Area/Sub.Area/the-Queue');
    await admin.deleteQueue('AREA/SUB.AREA/THE-QUEUE');
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

  test('have exact counts, message by message [CNT-01, CNT-02, CNT-03]', async () => {
    await admin.createQueue('counted');
    await sendBodies(client, 'counted', ['active', 'locked', 'dead']);
    const sender = client.createSender('counted');
    await sender.scheduleMessages({ body: 'later' }, new Date(Date.now() + 3_600_000));
    const receiver = client.createReceiver('counted');
    const [first, second] = await receiver.receiveMessages(2);
    if (first === undefined || second === undefined) throw new Error('two messages are to be received');
    await receiver.deadLetterMessage(second);
    const found = await admin.getQueueRuntimeProperties('counted');
    expect(found).toMatchObject({
      totalMessageCount: 4,
      activeMessageCount: 2,
      deadLetterMessageCount: 1,
      scheduledMessageCount: 1,
      transferMessageCount: 0,
      transferDeadLetterMessageCount: 0,
    });
    expect(found.sizeInBytes).toBeGreaterThan(0);
    expect(found.accessedAt.getTime()).toBeGreaterThanOrEqual(found.createdAt.getTime());
    const listed = (await all(admin.listQueuesRuntimeProperties())).find(({ name }) => name === 'counted');
    expect(listed).toMatchObject({ totalMessageCount: 4, deadLetterMessageCount: 1 });
    await receiver.close();
  });

  test('of a namespace: it has a name and a tier', async () => {
    expect(await admin.getNamespaceProperties()).toMatchObject({
      name: 'localhost',
      messagingSku: 'Standard',
      createdAt: expect.any(Date),
    });
  });
});

describe('rules', () => {
  test('of every kind come back as they were given [TOP-02, TOP-11]', async () => {
    await admin.createTopic('ruled');
    await admin.createSubscription('ruled', 'mail');
    const at = new Date('2026-01-02T03:04:05.678Z');
    const rules = {
      'a-sql': [{ sqlExpression: "a < 5 AND b > '&'" }, { sqlExpression: "SET sys.Label = 'x'" }],
      'b-parameters': [{ sqlExpression: 'a = @a', sqlParameters: { '@a': 7, '@b': 'text', '@c': true } }, {}],
      'c-correlation': [
        {
          correlationId: 'c',
          messageId: 'm',
          to: 't',
          replyTo: 'r',
          subject: 's',
          sessionId: 'i',
          replyToSessionId: 'ri',
          contentType: 'application/json',
          applicationProperties: { text: 'x', number: 1.5, whole: 3, yes: true, at },
        },
        {},
      ],
    } as const;
    for (const [name, [filter, action]] of Object.entries(rules)) {
      if ('sqlExpression' in action) await admin.createRule('ruled', 'mail', name, filter, action);
      else await admin.createRule('ruled', 'mail', name, filter);
      expect(await admin.getRule('ruled', 'mail', name)).toMatchObject({ name, filter, action });
    }
    const listed = (await all(admin.listRules('ruled', 'mail'))).map(({ name }) => name);
    expect(listed).toEqual(['$Default', ...Object.keys(rules)]);

    const rule = await admin.getRule('ruled', 'mail', 'a-sql');
    await admin.updateRule('ruled', 'mail', { ...rule, filter: { subject: 'changed' } });
    expect((await admin.getRule('ruled', 'mail', 'a-sql')).filter).toMatchObject({ subject: 'changed' });
    await admin.deleteRule('ruled', 'mail', 'a-sql');
    expect(await admin.ruleExists('ruled', 'mail', 'a-sql')).toBe(false);
    expect(await codeOf(admin.createRule('ruled', 'mail', '$Default', { subject: 'x' }))).toBe(
      'MessageEntityAlreadyExistsError',
    );
    await expect(admin.createRule('ruled', 'mail', 'bad', { sqlExpression: 'a = = 1' })).rejects.toThrow(
      /a = = 1|column|=/,
    );
  });

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
  test('keeps its messages and locks when it is changed; the new lock duration is for new locks [ENT-09]', async () => {
    await admin.createQueue('busy', { lockDuration: 'PT1M' });
    await sendBodies(client, 'busy', ['first', 'second']);
    const receiver = client.createReceiver('busy');
    const first = await receiveOne(receiver);
    await admin.updateQueue({ ...(await admin.getQueue('busy')), lockDuration: 'PT5M' });
    const second = await receiveOne(receiver);
    const lockedFor = (message: typeof first) => Number(message.lockedUntilUtc) - Date.now();
    expect(lockedFor(first)).toBeLessThan(61_000);
    expect(lockedFor(second)).toBeGreaterThan(240_000);
    for (const message of [first, second]) await receiver.completeMessage(message);
    await receiver.close();
    expect(await admin.getQueueRuntimeProperties('busy')).toMatchObject({ totalMessageCount: 0 });
  });

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
