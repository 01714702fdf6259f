// AMQP connections and links as the control interface shows and ends them, with the real rhea client.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectionsSchema, endedSchema, messagesSchema } from '../../../src/http/control/control-schemas.js';
import { next, rheaConnect, until } from '../../support/rhea-client.js';
import {
  CONTROL,
  type ControlUnderTest,
  JSON_TYPE,
  openControlUnderTest,
} from '../support/control-under-test.js';

let control: ControlUnderTest;

beforeEach(async () => {
  const context = { ...CONTROL };
  control = await openControlUnderTest({ queues: ['orders'] }, context);
  Object.assign(context, { connections: control.connections });
});
afterEach(async () => {
  expect(control.faults).toEqual([]);
  await control.stop();
});

const list = async () => (await control.get('connections', connectionsSchema)).connections;
const end = (what: 'connections' | 'links', body: object) => control.post(`${what}:end`, body, endedSchema);

/** A receiver with credit 5, of which one delivery is used and not settled, and a sender. */
async function connectClient() {
  const properties = { product: 'Tool', version: '1.2' };
  const connection = rheaConnect(control.connect(), { container_id: 'tool-1', properties });
  const sender = connection.open_sender('orders');
  await next(sender, 'sendable');
  sender.send({ body: 'a' });
  await next(sender, 'accepted');
  const receiver = connection.open_receiver({
    source: 'orders',
    credit_window: 0,
    autoaccept: false,
    name: 'r',
  });
  receiver.add_credit(5);
  await next(receiver, 'message');
  return { connection, sender, receiver };
}

it('connections are listed with their client and their links', async () => {
  await connectClient();
  const [connection, ...others] = await list();
  expect(others).toEqual([]);
  expect(connection).toMatchObject({
    containerId: 'tool-1',
    product: 'Tool/1.2',
    label: 'tool-1',
    transport: 'tcp',
    mechanism: 'ANONYMOUS',
    links: [
      { role: 'sender', path: 'orders', credit: 999, settleMode: 'mixed', linkId: expect.any(Number) },
      { role: 'receiver', path: 'orders', name: 'r', credit: 4, unsettledCount: 1, settleMode: 'mixed' },
    ],
  });
});

it('a link has the identifier that its program gives it, and events and dead letters name it', async () => {
  const properties = { 'user-agent': 'billing azsdk-js-azureservicebus/7.9.5 Node/v20' };
  const connection = rheaConnect(control.connect(), { properties });
  control.activity.turnOn();
  const sender = connection.open_sender({ target: 'orders', source: 'web-1' });
  await next(sender, 'sendable');
  sender.send({ body: 'a' });
  await next(sender, 'accepted');
  const receiver = connection.open_receiver({ source: 'orders', target: 'worker-1', autoaccept: false });
  const { delivery } = await next(receiver, 'message');
  delivery?.reject({ condition: 'com.microsoft:dead-letter' });
  const [listed] = await list();
  expect(listed).toMatchObject({
    label: 'billing',
    product: 'azsdk-js-azureservicebus/7.9.5',
    links: [{ identifier: 'web-1' }, { identifier: 'worker-1' }],
  });
  await until(
    () => [...control.activity.since(1)].some(({ kind }) => kind === 'dead-lettered'),
    'it is dead',
  );
  const identifiers = [...control.activity.since(1)].map(({ kind, client }) => [kind, client?.identifier]);
  expect(identifiers).toEqual(
    expect.arrayContaining([
      ['enqueued', 'web-1'],
      ['locked', 'worker-1'],
      ['dead-lettered', 'worker-1'],
    ]),
  );
  const { messages } = await control.get('messages?entity=orders/$DeadLetterQueue', messagesSchema);
  expect(messages).toMatchObject([{ lastHolder: 'billing, worker-1' }]);
});

describe('a client', () => {
  it('whose link is ended gets the reason, and its other links go on', async () => {
    const { receiver, sender } = await connectClient();
    const linkId = (await list())[0]?.links[1]?.linkId;
    const closed = next(receiver, 'receiver_error');
    expect(await end('links', { linkId })).toEqual({ ended: true });
    await closed;
    expect(receiver.error).toMatchObject({
      condition: 'amqp:link:detach-forced',
      description: expect.stringContaining(
        "'r' is force detached: it was ended through the control interface",
      ),
    });
    expect((await list())[0]?.links).toHaveLength(1);
    expect(await end('links', { linkId })).toEqual({ ended: false });
    sender.send({ body: 'b' });
    await next(sender, 'accepted');
  });

  it('whose connection is ended gets the reason', async () => {
    const { connection } = await connectClient();
    const connectionId = (await list())[0]?.connectionId;
    const closed = next(connection, 'connection_error');
    expect(await end('connections', { connectionId })).toEqual({ ended: true });
    await closed;
    expect(connection.error).toMatchObject({
      condition: 'amqp:connection:forced',
      description: expect.stringContaining('was ended through the control interface'),
    });
    expect(await list()).toEqual([]);
    expect(await end('connections', { connectionId })).toEqual({ ended: false });
  });

  it('that has gone is no longer listed, nor are links that it has detached', async () => {
    const { connection, receiver } = await connectClient();
    receiver.close();
    await next(receiver, 'receiver_close');
    expect((await list())[0]?.links).toHaveLength(1);
    connection.close();
    await until(() => control.connections.list().length === 0, 'the connection is gone');
  });
});

it.each([
  ['connections:end', '{}', 400],
  ['connections:end', '{"connectionId":"1"}', 400],
  ['connections:end', '{"connectionId":0}', 400],
  ['links:end', '{"linkId":1.5}', 400],
  ['links:end', '{"linkId":1,"x":1}', 400],
  ['links:end?entity=orders', '{"linkId":1}', 400],
])('%s with %s is refused', async (call, body, status) => {
  const refused = await control.refused(call, { method: 'POST', headers: JSON_TYPE, body });
  expect(refused.status).toBe(status);
});
