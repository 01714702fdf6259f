// Plain WebSockets, as a browser or a program without the SDK uses them: rhea's own client on ws://.

import rhea, { type Connection, type ConnectionOptions, type EventContext } from 'rhea';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { Jitney } from './support/jitney.js';
import { connect, receiveOne, sendBodies } from './support/service-bus.js';

let jitney: Jitney;

beforeAll(async () => {
  jitney = await Jitney.start({ queues: ['orders', 'large'] });
});

afterAll(async () => {
  await jitney.stop();
});

function connectRhea(subprotocol: string): Connection {
  const { host, port } = jitney.address;
  const dial = rhea.websocket_connect(WebSocket as unknown as Parameters<typeof rhea.websocket_connect>[0]);
  const details = dial(
    `ws://${host}:${port}/$servicebus/websocket`,
    subprotocol as never,
    undefined as never,
  );
  const options = { connection_details: details, reconnect: false, username: 'plain' };
  return rhea.create_container().connect(options as unknown as ConnectionOptions);
}

function next(emitter: NodeJS.EventEmitter, event: string): Promise<EventContext> {
  return new Promise((resolve) => emitter.once(event, resolve));
}

test.each(['AMQPWSB10', 'amqp'])(
  'rhea sends and receives over ws:// with the subprotocol %s',
  async (name) => {
    const connection = connectRhea(name);
    const sender = connection.open_sender('orders');
    await next(sender, 'sendable');
    sender.send({ body: `by ${name}` });
    await next(sender, 'accepted');
    const { message } = await next(connection.open_receiver('orders'), 'message');
    expect(message?.body).toBe(`by ${name}`);
    connection.close();
    await next(connection, 'connection_close');
  },
);

test('messages over ws:// are received by the SDK, and those of the SDK over ws://', async () => {
  await using client = connect(jitney.connectionString);
  const connection = connectRhea('AMQPWSB10');
  const sender = connection.open_sender('large');
  await next(sender, 'sendable');
  const body = Buffer.alloc(200_000, 5);
  sender.send({ body: rhea.message.data_section(body), message_id: 'large' });
  await next(sender, 'accepted');
  const receiver = client.createReceiver('large', { receiveMode: 'receiveAndDelete' });
  expect(body.equals((await receiveOne(receiver)).body)).toBe(true);
  await sendBodies(client, 'large', [body]);
  const { message } = await next(connection.open_receiver('large'), 'message');
  expect(body.equals(message?.body.content)).toBe(true);
  connection.close();
  await next(connection, 'connection_close');
});
