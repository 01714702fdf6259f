// The official SDK against an emulator that checks keys: what each policy may do, and which error tells of what it may not.

import type { ServiceBusClientOptions } from '@azure/service-bus';
import { ServiceBusAdministrationClient } from 'service-bus-beta';
import { describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { importBuiltPackage } from './support/built-package.js';
import { type ClosingClient, connect, only, sendBodies, takeAll } from './support/service-bus.js';

const { startEmulator } = await importBuiltPackage();
type Emulator = Awaited<ReturnType<typeof startEmulator>>;

/** Such an error may be tried again, says the SDK; here once is enough. */
const ONCE = { retryOptions: { maxRetries: 0, timeoutInMs: 10_000 } };
const POLICIES = [
  { keyName: 'boss', rights: ['Manage', 'Send', 'Listen'], primaryKey: 'key of boss' },
  { keyName: 'sender', rights: ['Send'], primaryKey: 'key of sender' },
  { keyName: 'listener', rights: ['Listen'], primaryKey: 'key of listener' },
] as const;

function start(): Promise<Emulator> {
  return startEmulator({ auth: 'strict', policies: POLICIES, queues: ['orders'], topics: ['news/all'] });
}

function stringOf({ host, port }: Emulator, keyName: string, key = `key of ${keyName}`): string {
  return `Endpoint=sb://${host}:${port};SharedAccessKeyName=${keyName};SharedAccessKey=${key};UseDevelopmentEmulator=true`;
}

type Way = 'TCP' | 'WebSocket';

/** What the certificate says is not what this is about. */
const OPTIONS: Readonly<Record<Way, ServiceBusClientOptions>> = {
  TCP: ONCE,
  WebSocket: {
    ...ONCE,
    webSocketOptions: { webSocket: WebSocket, webSocketConstructorOptions: { rejectUnauthorized: false } },
  },
};

function connectAs(
  emulator: Emulator,
  keyName: string,
  { key, way = 'TCP' }: { key?: string; way?: Way } = {},
): ClosingClient {
  const connectionString = key === undefined ? stringOf(emulator, keyName) : stringOf(emulator, keyName, key);
  return connect(connectionString, OPTIONS[way]);
}

const UNAUTHORIZED = { code: 'UnauthorizedAccess' };

describe.each<Way>(['TCP', 'WebSocket'])('over %s', (way) => {
  test('a client with Send sends and schedules, and cannot receive or browse', async () => {
    await using emulator = await start();
    await using client = connectAs(emulator, 'sender', { way });
    await sendBodies(client, 'orders', ['one']);
    const sender = client.createSender('orders');
    await sender.scheduleMessages({ body: 'later' }, new Date(Date.now() + 3_600_000));
    const receiver = client.createReceiver('orders');
    await expect(receiver.receiveMessages(1, { maxWaitTimeInMs: 1000 })).rejects.toMatchObject(UNAUTHORIZED);
    await expect(receiver.peekMessages(1)).rejects.toMatchObject({
      ...UNAUTHORIZED,
      message: expect.stringContaining("'Listen' claim(s) are required to perform this operation."),
    });
  });

  test('a client with Listen receives, browses and manages rules, and cannot send or schedule', async () => {
    await using emulator = await start();
    await using boss = connectAs(emulator, 'boss', { way });
    await sendBodies(boss, 'orders', ['one']);
    await using client = connectAs(emulator, 'listener', { way });
    expect(await client.createReceiver('orders').peekMessages(1)).toHaveLength(1);
    expect(only(await takeAll(client, 'orders')).body).toBe('one');
    const rules = client.createRuleManager('news', 'all');
    await rules.createRule('red', { sqlExpression: "colour = 'red'" });
    await rules.deleteRule('red');
    const sender = client.createSender('orders');
    await expect(sender.sendMessages({ body: 'two' })).rejects.toMatchObject(UNAUTHORIZED);
    await expect(
      sender.scheduleMessages({ body: 'later' }, new Date(Date.now() + 60_000)),
    ).rejects.toMatchObject(UNAUTHORIZED);
  });

  test.each([
    ['with a wrong key', 'boss', 'wrong'],
    ['with a policy that is not there', 'nobody', 'key of nobody'],
  ])('a client %s can do nothing', async (_, keyName, key) => {
    await using emulator = await start();
    await using client = connectAs(emulator, keyName, { key, way });
    await expect(client.createSender('orders').sendMessages({ body: 'x' })).rejects.toMatchObject({
      ...UNAUTHORIZED,
      message: expect.stringContaining('InvalidSignature'),
    });
  });
});

test('the administration needs Manage, for the namespace or for the entity itself', async () => {
  await using emulator = await start();
  const boss = new ServiceBusAdministrationClient(stringOf(emulator, 'boss'));
  await boss.createQueue('made', {
    authorizationRules: [
      {
        ...{ claimType: 'SharedAccessKey', claimValue: 'None', keyName: 'own' },
        ...{ accessRights: ['Manage', 'Send', 'Listen'], primaryKey: 'key of own', secondaryKey: 'other' },
      },
    ],
  });
  const own = new ServiceBusAdministrationClient(stringOf(emulator, 'own'), {
    retryOptions: { maxRetries: 0 },
  });
  expect((await own.getQueue('made')).name).toBe('made');
  await expect(own.getQueue('orders')).rejects.toMatchObject({ statusCode: 401 });
  const sender = new ServiceBusAdministrationClient(stringOf(emulator, 'sender'), {
    retryOptions: { maxRetries: 0 },
  });
  await expect(sender.getQueue('orders')).rejects.toMatchObject({
    statusCode: 401,
    message: expect.stringContaining('Manage,EntityRead claims required for this operation.'),
  });
  await using client = connectAs(emulator, 'own');
  await sendBodies(client, 'made', ['by its own key']);
  expect(only(await takeAll(client, 'made')).body).toBe('by its own key');
  await expect(client.createSender('orders').sendMessages({ body: 'x' })).rejects.toMatchObject(UNAUTHORIZED);
});

test('where any key is accepted a wrong one has full access, and the log says so once', async () => {
  const heard: string[] = [];
  await using emulator = await startEmulator({ queues: ['orders'], log: (_, text) => heard.push(text) });
  await using client = connectAs(emulator, 'nobody', { key: 'c2VjcmV0' });
  await sendBodies(client, 'orders', ['one', 'two']);
  expect(await takeAll(client, 'orders')).toHaveLength(2);
  expect(heard.filter((text) => text.includes('InvalidSignature'))).toHaveLength(1);
  expect(heard.join()).not.toContain('c2VjcmV0');
});
