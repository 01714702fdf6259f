// The endpoint in conversation with the real rhea client: connections, sessions and links that come and go, and messages both ways.

import { createHash } from 'node:crypto';
import rhea, { type Connection, type Receiver, type Sender } from 'rhea';
import { afterEach, describe, expect, test } from 'vitest';
import { amqpSessionOf } from '../../support/amqp-session-of.js';
import { type EndpointUnderTest, openEndpoint } from '../../support/endpoint-under-test.js';
import { next, rheaConnect, turns, until } from '../../support/rhea-client.js';

let endpoint: EndpointUnderTest;
afterEach(() => {
  expect(endpoint.faults).toEqual([]);
});

function connect(options: Record<string, unknown> = {}): Connection {
  return rheaConnect(endpoint.client, options);
}

async function openSender(connection: Connection): Promise<Sender> {
  const sender = connection.open_sender('q');
  await next(sender, 'sendable');
  return sender;
}

function openReceiver(connection: Connection, options: Record<string, unknown> = {}): Receiver {
  return connection.open_receiver({ source: 'q', credit_window: 0, autoaccept: false, ...options } as never);
}

const encode = (body: unknown): Buffer => rhea.message.encode({ body });

describe('a connection with rhea', () => {
  test('is opened and closed by the client, and the links hear of it', async () => {
    endpoint = openEndpoint();
    const connection = connect();
    await openSender(connection);
    connection.close();
    await next(connection, 'connection_close');
    await until(() => endpoint.isClosed, 'the pipe is closed');
    expect(endpoint.owner.ends).toEqual([{ error: undefined, fault: undefined }]);
    expect(endpoint.owner.senders[0]?.detachedCount).toBe(1);
  });

  test('is closed by us with a reason', async () => {
    endpoint = openEndpoint();
    const connection = connect();
    await openSender(connection);
    endpoint.connection.close({ condition: 'amqp:connection:forced', description: 'Time to go.' });
    const context = await next(connection, 'connection_close');
    expect(context.connection.error).toMatchObject({
      condition: 'amqp:connection:forced',
      description: 'Time to go.',
    });
    await until(() => endpoint.isClosed, 'the pipe is closed');
    expect(endpoint.owner.senders[0]?.detachedCount).toBe(1);
  });

  test('has its sessions ended by either side', async () => {
    endpoint = openEndpoint();
    const connection = connect();
    const first = connection.create_session();
    first.begin();
    const sender = first.open_sender('q');
    await next(sender, 'sendable');
    first.close();
    await next(first, 'session_close');
    expect(endpoint.owner.senders[0]?.detachedCount).toBe(1);

    const second = connection.create_session();
    second.begin();
    await next(second.open_sender('q'), 'sendable');
    amqpSessionOf(endpoint.owner.senders[1]?.link).end({
      condition: 'amqp:internal-error',
      description: 'Oh.',
    });
    await next(second, 'session_error');
    expect(endpoint.owner.senders[1]?.detachedCount).toBe(1);
    await next(connection.open_sender('q'), 'sendable');
    connection.close();
  });

  test('has its links detached by either side', async () => {
    endpoint = openEndpoint();
    const connection = connect();
    const sender = await openSender(connection);
    sender.close();
    await next(sender, 'sender_close');
    expect(endpoint.owner.senders[0]?.detachedCount).toBe(1);

    const receiver = openReceiver(connection);
    await next(receiver, 'receiver_open');
    const ours = endpoint.owner.receivers[0];
    ours?.link.detach({ condition: 'amqp:link:detach-forced', description: 'Moved.' });
    await next(receiver, 'receiver_error');
    expect(receiver.error).toMatchObject({ condition: 'amqp:link:detach-forced', description: 'Moved.' });
    await until(() => ours?.detachedCount === 1, 'the owner heard of the end');
    connection.close();
  });

  test('has a refused link answered with a reason', async () => {
    endpoint = openEndpoint({
      onAttached: (link) => link.refuse({ condition: 'amqp:not-found', description: 'There is no q.' }),
    });
    const connection = connect();
    const receiver = openReceiver(connection);
    await next(receiver, 'receiver_error');
    expect(receiver.error).toMatchObject({ condition: 'amqp:not-found', description: 'There is no q.' });
    expect(receiver.source).toMatchObject({ value: null });
    connection.close();
  });
});

describe('messages with rhea', () => {
  test('3,000 come on one link while the first is never settled', async () => {
    endpoint = openEndpoint();
    const connection = connect({ session_buffer_size: 16_384 });
    const receiver = openReceiver(connection, { autosettle: false });
    const bodies: unknown[] = [];
    receiver.on('message', ({ message, delivery }) => {
      bodies.push(message?.body);
      if (bodies.length > 1) delivery?.accept();
    });
    receiver.add_credit(3_000);
    await next(receiver, 'receiver_open');
    const ours = endpoint.owner.receivers[0];
    for (let index = 0; index < 3_000; index++) ours?.send(encode(index));
    await until(() => bodies.length === 3_000, 'all messages came');
    await until(() => ours?.words.length === 2_999, 'all but the first are settled');
    expect(bodies).toEqual(Array.from({ length: 3_000 }, (_, index) => index));
    expect(amqpSessionOf(ours?.link).outgoing.unsettledIds.length).toBe(1);
    connection.close();
  });

  test('64 links share a session, and one without credit holds up none of the others', async () => {
    endpoint = openEndpoint();
    const connection = connect();
    const counts = Array.from({ length: 64 }, () => 0);
    const receivers = counts.map((_, index) => {
      const receiver = openReceiver(connection);
      receiver.on('message', () => {
        counts[index] = (counts[index] ?? 0) + 1;
      });
      if (index > 0) receiver.add_credit(5);
      return receiver;
    });
    await until(() => endpoint.owner.receivers.length === 64, 'all are attached');
    for (const ours of endpoint.owner.receivers) for (let body = 0; body < 5; body++) ours.send(encode(body));
    await until(() => counts.slice(1).every((count) => count === 5), 'the 63 with credit have theirs');
    expect(counts[0]).toBe(0);
    receivers[0]?.add_credit(5);
    await until(() => counts[0] === 5, 'the last has its messages too');
    connection.close();
  });

  test('of 1 MB pass in many frames both ways, byte for byte', async () => {
    endpoint = openEndpoint({ maxMessageSize: 2_000_000 });
    const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => (index * 7) % 253));
    const connection = connect({ max_frame_size: 4096 });
    const sender = await openSender(connection);
    sender.send({ body: rhea.message.data_section(bytes) });
    await next(sender, 'accepted');
    const payload = endpoint.owner.senders[0]?.deliveries[0]?.payload ?? Buffer.alloc(0);
    expect(digest(rhea.message.decode(payload).body.content)).toBe(digest(bytes));

    const receiver = openReceiver(connection);
    receiver.add_credit(1);
    await next(receiver, 'receiver_open');
    endpoint.owner.receivers[0]?.send(payload.subarray(0, 10), payload.subarray(10));
    const { message } = await next(receiver, 'message');
    expect(digest(message?.body.content)).toBe(digest(bytes));
    connection.close();
  });

  test('larger than the link allows are recognised, and the next ones pass', async () => {
    endpoint = openEndpoint({
      maxMessageSize: 100_000,
      outcomeOf: ({ isTooLarge }) =>
        isTooLarge
          ? {
              kind: 'rejected',
              error: { condition: 'amqp:link:message-size-exceeded', description: 'Too large.' },
            }
          : { kind: 'accepted' },
    });
    const connection = connect();
    const sender = await openSender(connection);
    expect(sender.max_message_size).toBe(100_000);
    sender.send({ body: rhea.message.data_section(Buffer.alloc(150_000)) });
    await next(sender, 'rejected');
    sender.send({ body: 'small' });
    await next(sender, 'accepted');
    const [large, small] = endpoint.owner.senders[0]?.deliveries ?? [];
    expect(large).toMatchObject({ isTooLarge: true, payload: Buffer.alloc(0) });
    expect(small).toMatchObject({ isTooLarge: false });
    expect(endpoint.connection.held.unfinished).toBe(0);
    connection.close();
  });

  test('are drained at once, with credit left over and with none', async () => {
    endpoint = openEndpoint();
    const connection = connect();
    const receiver = openReceiver(connection);
    let count = 0;
    receiver.on('message', () => count++);
    receiver.add_credit(5);
    await next(receiver, 'receiver_open');
    endpoint.owner.receivers[0]?.send(encode('one'));
    receiver.drain_credit();
    await next(receiver, 'receiver_drained');
    expect(count).toBe(1);
    receiver.drain_credit();
    await next(receiver, 'receiver_drained');
    endpoint.owner.receivers[0]?.send(encode('two'));
    await turns();
    expect(count).toBe(1);
    receiver.add_credit(1);
    await until(() => count === 2, 'credit after a drain counts again');
    connection.close();
  });

  test('with every outcome are settled by both sides', async () => {
    const kinds = ['accepted', 'released', 'rejected', 'modified'] as const;
    endpoint = openEndpoint();
    const connection = connect();
    const receiver = openReceiver(connection, { rcv_settle_mode: 1, autosettle: false });
    receiver.on('message', ({ message, delivery }) => {
      if (message?.body === 'accepted') delivery?.accept();
      if (message?.body === 'released') delivery?.release();
      if (message?.body === 'rejected') delivery?.reject({ condition: 'a:condition', description: 'why' });
      if (message?.body === 'modified') delivery?.modified({ delivery_failed: true });
    });
    let settledCount = 0;
    receiver.on('settled', () => settledCount++);
    receiver.add_credit(4);
    await next(receiver, 'receiver_open');
    const ours = endpoint.owner.receivers[0];
    // One at a time: rhea 3.0.5 gives two neighbours that are settled at once the outcome of the first.
    for (const [index, kind] of kinds.entries()) {
      ours?.send(encode(kind));
      await until(() => settledCount === index + 1, 'rhea heard that it is settled');
    }
    expect(ours?.words.map(({ state }) => state?.kind)).toEqual(kinds);
    expect(amqpSessionOf(ours?.link).outgoing.unsettledIds.length).toBe(0);
    connection.close();
  });
});

function digest(bytes: Buffer | undefined): string {
  return createHash('sha256')
    .update(bytes ?? 'nothing')
    .digest('hex');
}
