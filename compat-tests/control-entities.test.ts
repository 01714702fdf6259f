// Entities made over the control interface of the built product, and used by the SDK; and a program that names itself.

import { expect, test } from 'vitest';
import { connectionsSchema, historySchema } from '../src/http/control/control-schemas.js';
import { Jitney } from './support/jitney.js';
import { connect, receiveOne, sendBodies } from './support/service-bus.js';

test('what the control interface creates and changes is what the SDK finds', async () => {
  await using jitney = await Jitney.start({ queues: ['first'] });
  const { host, port } = jitney.address;
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`http://${host}:${port}/$jitney/v1/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect([path, response.status]).toEqual([path, 200]);
    return response.json();
  };
  await call('POST', 'entities', { type: 'queue', path: 'dead' });
  const properties = { maxDeliveryCount: 1, forwardDeadLetteredMessagesTo: 'dead' };
  await call('POST', 'entities', { type: 'topic', path: 'events' });
  await call('POST', 'entities', { type: 'subscription', path: 'events/Subscriptions/eu', properties });
  await call('PUT', 'rules?entity=events/Subscriptions/eu&rule=$Default', { filter: { subject: 'EU' } });
  await call('PUT', 'entity?entity=first', { properties: { lockDuration: 120_000 } });

  const names = { userAgentOptions: { userAgentPrefix: 'billing' } };
  await using client = connect(jitney.connectionString, names);
  await client
    .createSender('events')
    .sendMessages([{ body: 'no' }, { body: 'yes', subject: 'EU' }, { body: 'no', subject: 'US' }]);
  const receiver = client.createReceiver('events', 'eu', { identifier: 'worker-1' });
  const message = await receiveOne(receiver);
  expect(message.body).toBe('yes');
  const [connection] = connectionsSchema.parse(await call('GET', 'connections')).connections;
  expect(connection).toMatchObject({ address: '127.0.0.1', port: expect.any(Number) });
  expect(connection?.label).toBe(`billing :${connection?.port}`);
  await receiver.abandonMessage(message);
  expect((await receiveOne(client.createReceiver('dead'))).body).toBe('yes');

  await sendBodies(client, 'first', ['x']);
  const { lockedUntilUtc } = await receiveOne(client.createReceiver('first'));
  expect(Number(lockedUntilUtc) - Date.now()).toBeGreaterThan(90_000);
  const number = String(message.sequenceNumber);
  const history = await call('GET', `history?entity=events/Subscriptions/eu&sequenceNumber=${number}`);
  expect(historySchema.parse(history).events).toContainEqual(
    expect.objectContaining({
      kind: 'abandoned',
      client: expect.objectContaining({ label: connection?.label, identifier: 'worker-1' }),
    }),
  );
  expect(await call('DELETE', 'entity?entity=events')).toEqual({ deleted: 'events' });
});
