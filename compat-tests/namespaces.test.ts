// The official SDK in several namespaces of one process at once, over TCP, WebSocket and HTTP; a crash keeps all of them.

import { ServiceBusAdministrationClient } from 'service-bus-beta';
import { expect, test } from 'vitest';
import WebSocket from 'ws';
import { Jitney } from './support/jitney.js';
import { connect, only, sendBodies, takeAll } from './support/service-bus.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const POLICY = 'SharedAccessKeyName=RootManageSharedAccessKey';
const POLICIES = ['boss=Manage:of-all', 'boss@strict=Manage:of-strict'];
const OVER_WEB_SOCKET = {
  webSocketOptions: { webSocket: WebSocket, webSocketConstructorOptions: { rejectUnauthorized: false } },
};
const ONCE = { retryOptions: { maxRetries: 0 } };

function within(connectionString: string, namespace: string): string {
  return connectionString.replace(POLICY, `${POLICY}@${namespace}`);
}

test('nothing crosses between namespaces, and kill -9 keeps all that are named', async () => {
  await using directory = await temporaryDirectory();
  const start = (...extraArguments: string[]) =>
    Jitney.start({ queues: ['orders'], dataDirectory: directory.path, extraArguments });
  await using first = await start('--namespaces', 'one,two');
  const { connectionString } = first;
  {
    await using one = connect(within(connectionString, 'one'));
    await using two = connect(within(connectionString, 'two'), OVER_WEB_SOCKET);
    await using unnamed = connect(connectionString);
    const clients = [one, two, unnamed];
    await Promise.all(clients.map((client, index) => sendBodies(client, 'orders', [index])));
    const taken = await Promise.all(clients.map((client) => takeAll(client, 'orders')));
    expect(taken.map((messages) => only(messages).body)).toEqual([0, 1, 2]);
    await sendBodies(one, 'orders', ['kept in one']);
  }
  const administer = (namespace: string) =>
    new ServiceBusAdministrationClient(within(connectionString, namespace), ONCE);
  await administer('two').createQueue('only-in-two');
  expect(await administer('one').queueExists('only-in-two')).toBe(false);
  await first.killNine();

  await using second = await start();
  await using one = connect(within(second.connectionString, 'one'));
  await using two = connect(within(second.connectionString, 'two'));
  expect(only(await takeAll(one, 'orders')).body).toBe('kept in one');
  await sendBodies(two, 'only-in-two', ['still there']);
  expect(only(await takeAll(two, 'only-in-two')).body).toBe('still there');
});

test('with --auth strict each namespace has its own keys, and the SDK tells of one that is not there', async () => {
  const policies = POLICIES.flatMap((policy) => ['--policy', policy]);
  const extraArguments = ['--auth', 'strict', '--namespaces', 'strict', ...policies];
  await using jitney = await Jitney.start({ queues: ['orders'], extraArguments });
  const { host, port } = jitney.address;
  const sendAs = async (keyName: string, key: string) => {
    const string = `Endpoint=sb://${host}:${port};SharedAccessKeyName=${keyName};SharedAccessKey=${key};UseDevelopmentEmulator=true`;
    await using client = connect(string, ONCE);
    await sendBodies(client, 'orders', ['one']);
  };
  await sendAs('boss', 'of-all');
  await sendAs('boss@strict', 'of-strict');
  for (const [keyName, key] of [
    ['boss', 'of-strict'],
    ['boss@strict', 'of-all'],
  ] as const) {
    await expect(sendAs(keyName, key)).rejects.toMatchObject({ code: 'UnauthorizedAccess' });
  }
  await expect(sendAs('boss@missing', 'of-all')).rejects.toMatchObject({
    code: 'UnauthorizedAccess',
    message: expect.stringContaining("There is no namespace 'missing'; there are 'default', 'strict'."),
  });
});
