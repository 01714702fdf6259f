// One port and one connection string for everything the official SDK does, with TLS and without.

import { join } from 'node:path';
import { ServiceBusAdministrationClient } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { administer } from './support/administration.js';
import { Jitney } from './support/jitney.js';
import { bodyOf, connect, receiveOne, sendBodies } from './support/service-bus.js';
import { type TemporaryDirectory, temporaryDirectory } from './support/temporary-directory.js';
import { fetchAuthority, runTrusting } from './support/trust.js';

describe('on one port', () => {
  let directory: TemporaryDirectory;
  let jitney: Jitney;
  let ca: string;

  beforeAll(async () => {
    directory = await temporaryDirectory();
    jitney = await Jitney.start({ queues: ['orders'] });
    ca = await fetchAuthority(jitney);
  });

  afterAll(async () => {
    await jitney.stop();
    await directory[Symbol.asyncDispose]();
  });

  test('AMQP on TCP and on WebSockets, and both administration clients, share a connection string', async () => {
    const { connectionString } = jitney;
    const oldAdmin = new ServiceBusAdministrationClient(connectionString, { tlsOptions: { ca } });
    await oldAdmin.createQueue('made-over-https');
    expect(await administer(connectionString).queueExists('made-over-https')).toBe(true);

    await using onTcp = connect(connectionString);
    await using onWebSocket = connect(connectionString, {
      webSocketOptions: { webSocket: WebSocket, webSocketConstructorOptions: { ca } },
    });
    await sendBodies(onWebSocket, 'made-over-https', ['from the WebSocket']);
    const receiver = onTcp.createReceiver('made-over-https');
    const message = await receiveOne(receiver);
    expect(message.body).toBe('from the WebSocket');
    await receiver.completeMessage(message);

    await sendBodies(onTcp, 'made-over-https', ['from TCP']);
    const other = onWebSocket.createReceiver('made-over-https');
    const answer = await receiveOne(other);
    expect(answer.body).toBe('from TCP');
    await other.completeMessage(answer);
    const { activeMessageCount } = await oldAdmin.getQueueRuntimeProperties('made-over-https');
    expect(activeMessageCount).toBe(0);
  });

  test('a program unaware of emulators finds AMQP over TLS by its name alone', async () => {
    const { host, port } = jitney.address;
    const printed = await runTrusting(jitney, {
      authorityPath: join(directory.path, 'trusted.pem'),
      environment: { HOST: `${host}:${port}` },
      text: `
        import { AzureNamedKeyCredential } from '@azure/core-auth';
        import { ServiceBusAdministrationClient, ServiceBusClient } from '@azure/service-bus';
        const credential = new AzureNamedKeyCredential('RootManageSharedAccessKey', 'SAS_KEY_VALUE');
        const client = new ServiceBusClient(process.env.HOST, credential);
        await client.createSender('orders').sendMessages({ body: 'over TLS' });
        const receiver = client.createReceiver('orders', { receiveMode: 'receiveAndDelete' });
        const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 });
        await client.close();
        const admin = new ServiceBusAdministrationClient(process.env.HOST, credential);
        console.log(message.body, await admin.queueExists('orders'));
      `,
    });
    expect(printed).toBe('over TLS true');
  });

  test('whole batches pass a WebSocket unchanged, in order', async () => {
    await using client = connect(jitney.connectionString, {
      webSocketOptions: { webSocket: WebSocket, webSocketConstructorOptions: { ca } },
    });
    const bodies = Array.from({ length: 200 }, (_, index) => `${index} ${'x'.repeat(1000)}`);
    await sendBodies(client, 'orders', bodies);
    const receiver = client.createReceiver('orders', { receiveMode: 'receiveAndDelete' });
    const received: unknown[] = [];
    while (received.length < bodies.length) {
      received.push(...(await receiver.receiveMessages(100, { maxWaitTimeInMs: 2000 })).map(bodyOf));
    }
    expect(received).toEqual(bodies);
  });
});

test('the authority on disk is the same after a restart', async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = join(directory.path, 'data');
  const first = await Jitney.start({ dataDirectory });
  const ca = await fetchAuthority(first);
  await first.stop();
  await using second = await Jitney.start({ dataDirectory });
  expect(await fetchAuthority(second)).toBe(ca);
  const admin = new ServiceBusAdministrationClient(second.connectionString, { tlsOptions: { ca } });
  expect(await admin.queueExists('orders')).toBe(false);
});
