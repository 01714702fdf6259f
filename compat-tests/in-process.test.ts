// Emulators inside the test's own process, by the package's main export.

import { writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { ServiceBusAdministrationClient, type ServiceBusClient } from '@azure/service-bus';
import { expect, test } from 'vitest';
import { importBuiltPackage } from './support/built-package.js';
import { connect, only, sendBodies, takeAll } from './support/service-bus.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const { startEmulator } = await importBuiltPackage();

test("two emulators in one process do not see each other's messages", async () => {
  await using north = await startEmulator({ queues: ['orders'] });
  await using south = await startEmulator({ queues: ['orders'] });
  await using northClient = connect(north.connectionString);
  await using southClient = connect(south.connectionString);
  await sendBodies(northClient, 'orders', ['from the north']);
  await sendBodies(southClient, 'orders', ['from the south']);

  expect(north.port).not.toBe(south.port);
  expect(only(await takeAll(northClient, 'orders')).body).toBe('from the north');
  expect(only(await takeAll(southClient, 'orders')).body).toBe('from the south');
});

test('`await using` stops an emulator and frees its port, and the other one goes on', async () => {
  await using staying = await startEmulator({ queues: ['orders'] });
  let port: number;
  {
    await using leaving = await startEmulator({ queues: ['orders'] });
    port = leaving.port;
    expect(await accepts(port)).toBe(true);
  }

  expect(await accepts(port)).toBe(false);
  await using client = connect(staying.connectionString);
  await sendBodies(client, 'orders', ['still here']);
  expect(only(await takeAll(client, 'orders')).body).toBe('still here');
});

test('the administration client trusts an emulator over HTTPS by the certificate that it gives', async () => {
  await using emulator = await startEmulator({ queues: ['orders'] });
  const { connectionString } = emulator;
  const admin = new ServiceBusAdministrationClient(connectionString, await emulator.adminOptions);
  expect((await admin.getQueue('orders')).name).toBe('orders');

  const served = await fetch(`http://localhost:${emulator.port}/ca.pem`);
  expect(await emulator.caCertificate).toBe(await served.text());
  const stranger = new ServiceBusAdministrationClient(connectionString, { retryOptions: { maxRetries: 0 } });
  await expect(stranger.getQueue('orders')).rejects.toThrow(/certificate/);
});

test('an emulator without TLS has no certificate to trust, and options all the same', async () => {
  await using emulator = await startEmulator({ tls: 'off' });
  expect(await emulator.caCertificate).toBeUndefined();
  expect(await emulator.adminOptions).toEqual({});
});

test('warnings of the command line go to the log', async () => {
  await using directory = await temporaryDirectory();
  const configFile = `${directory.path}/Config.json`;
  const Namespaces = [{ Topic: [{ Name: 'news' }] }];
  await writeFile(configFile, JSON.stringify({ UserConfig: { Namespaces } }));
  const heard: string[] = [];
  await using _emulator = await startEmulator({
    configFile,
    log: (level, message) => heard.push(`${level}: ${message}`),
  });
  expect(heard).toEqual([
    expect.stringMatching(/^warn: .*Config\.json:.*Topic is not known and was ignored/),
  ]);
});

test('topics are given as text or as objects, with rules in short or as the SDK writes them', async () => {
  await using emulator = await startEmulator({
    queues: ['archive'],
    topics: [
      'events/all+none',
      {
        name: 'orders',
        subscriptions: [
          'all',
          { name: 'eu', filter: "region = 'EU'" },
          { name: 'urgent', filter: { subject: 'urgent', applicationProperties: { level: 5 } } },
          {
            name: 'marked',
            rules: [{ name: 'mark', filter: { sqlExpression: 'level >= 5' }, action: "SET mark = 'yes'" }],
          },
          { name: 'kept', forwardTo: 'archive' },
        ],
      },
    ],
  });
  await using client = connect(emulator.connectionString);
  await client.createSender('orders').sendMessages([
    { body: 'near', applicationProperties: { region: 'EU', level: 1 } },
    { body: 'far', subject: 'urgent', applicationProperties: { region: 'US', level: 5 } },
  ]);
  const bodiesOf = async (subscription: string) =>
    (await takeAllOf(client, 'orders', subscription)).map(({ body }) => body);

  expect(await bodiesOf('all')).toEqual(['near', 'far']);
  expect(await bodiesOf('eu')).toEqual(['near']);
  expect(await bodiesOf('urgent')).toEqual(['far']);
  expect(only(await takeAllOf(client, 'orders', 'marked'))).toMatchObject({
    body: 'far',
    applicationProperties: { mark: 'yes', RuleName: 'mark' },
  });
  expect((await takeAll(client, 'archive')).map(({ body }) => body)).toEqual(['near', 'far']);
  expect(await takeAllOf(client, 'events', 'none')).toEqual([]);
});

test('with the token endpoint off no program gets a token, and the answer says why', async () => {
  const headers = { 'x-identity-header': 'any', metadata: 'true' };
  const paths = ['msi/token', 'metadata/identity/oauth2/token', 'adfs/discovery/keys'];
  for (const [tokenEndpoint, status] of [
    ['on', 200],
    ['off', 404],
  ] as const) {
    await using emulator = await startEmulator({ tokenEndpoint });
    for (const path of paths) {
      const url = `http://localhost:${emulator.port}/${path}?resource=https://servicebus.azure.net/`;
      const answer = await fetch(url, { headers });
      const text = await answer.text();
      expect(answer.status).toBe(status);
      expect(text.includes('--no-token-endpoint')).toBe(tokenEndpoint === 'off');
    }
  }
});

test('stopping twice is allowed', async () => {
  const emulator = await startEmulator();
  await emulator.stop();
  await emulator.stop();
  expect(await accepts(emulator.port)).toBe(false);
});

/** Whatever is in the subscription now. */
async function takeAllOf(client: ServiceBusClient, topic: string, subscription: string) {
  const receiver = client.createReceiver(topic, subscription, { receiveMode: 'receiveAndDelete' });
  const messages = await receiver.receiveMessages(100, { maxWaitTimeInMs: 500 });
  await receiver.close();
  return messages;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
