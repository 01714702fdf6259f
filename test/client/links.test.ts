// Links of the client to a service that ends them: what is known of the messages that were under way.

import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import rhea, { type Connection, type Container, type EventContext, type Receiver, type Session } from 'rhea';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hasNoOutcome } from '../../src/client/client-error.js';
import { FailureSignal } from '../../src/client/link-end.js';
import { MessageReceiver, type ReceiverOptions } from '../../src/client/message-receiver.js';
import { MessageSender } from '../../src/client/message-sender.js';
import { JitneyError } from '../../src/jitney-error.js';

const CONTEXT = { address: 'amqp://localhost:5672', path: 'orders', keyName: 'Root' };
const REASON = { condition: 'amqp:link:detach-forced', description: 'The link was ended by hand.' };

let service: Container;
let server: Server;
let connection: Connection;
let session: Session;
let lost: FailureSignal;

beforeEach(async () => {
  service = rhea.create_container({ id: 'service' });
  for (const event of ['disconnected', 'connection_error', 'session_error', 'receiver_error']) {
    service.on(event, () => {});
  }
  server = service.listen({ port: 0, host: '127.0.0.1' }) as Server;
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = rhea.create_container({ id: 'client' });
  for (const event of ['disconnected', 'session_error', 'sender_error', 'receiver_error'])
    client.on(event, () => {});
  connection = client.connect({ port, host: '127.0.0.1', reconnect: false });
  session = connection.create_session();
  session.begin();
  lost = new FailureSignal();
});
afterEach(() => {
  connection.close();
  server.close();
});

/** Opens a sender, sends three messages, and returns what became of each when the service has all and does as told. */
async function sendThree(
  act: (link: Receiver, taken: readonly EventContext[], sent: readonly Promise<unknown>[]) => unknown,
): Promise<unknown[]> {
  const taken: EventContext[] = [];
  service.on('receiver_open', ({ receiver }: EventContext) => {
    receiver?.set_target({ address: 'orders' });
  });
  service.on('message', (context: EventContext) => {
    taken.push(context);
    if (taken.length === 3 && context.receiver !== undefined) act(context.receiver, taken, sent);
  });
  service.options.receiver_options = { autoaccept: false, credit_window: 10 };
  const sender = await MessageSender.open(session, 'orders', { lost, context: CONTEXT });
  const content = Buffer.from('005377a10161', 'hex');
  const sent = [1, 2, 3].map(() => sender.send(content));
  const outcomes = await Promise.allSettled(sent);
  return outcomes.map((one) => (one.status === 'fulfilled' ? 'accepted' : one.reason));
}

test.each([
  ['link', (link: Receiver) => link.close(REASON)],
  ['AMQP session', (link: Receiver) => link.session.close(REASON)],
])('when the %s ends, messages under way are accepted, or their outcome is not known', async (_, end) => {
  const [first, ...others] = await sendThree(async (link, taken, sent) => {
    taken[0]?.delivery?.accept();
    // rhea tells of an end before an outcome if it reads both at once.
    await sent[0];
    end(link);
  });
  expect(first).toBe('accepted');
  expect(others).toHaveLength(2);
  for (const error of others) {
    expect(error).toMatchObject({ kind: 'link-ended', code: 'JIT6012' });
    expect(hasNoOutcome(error)).toBe(true);
    expect(String(error)).toContain('The link was ended by hand.');
  }
});

test('a message that the service rejects is refused, and no other', async () => {
  const [first, second, third] = await sendThree(async (_, taken) => {
    taken[1]?.delivery?.reject({ condition: 'amqp:internal-error', description: 'Full.' });
    // rhea writes neighbouring outcomes of one turn as one, even if they differ.
    await setImmediate();
    taken[0]?.delivery?.accept();
    await setImmediate();
    taken[2]?.delivery?.accept();
  });
  expect([first, third]).toEqual(['accepted', 'accepted']);
  expect(second).toMatchObject({ kind: 'refused' });
  expect(hasNoOutcome(second)).toBe(false);
});

/** Opens a receiver of an entity with three messages. */
function openReceiver(mode: ReceiverOptions['mode']): Promise<MessageReceiver> {
  service.on('sender_open', ({ sender }: EventContext) => sender?.set_source({ address: 'orders' }));
  service.once('sendable', ({ sender }: EventContext) => {
    for (const body of ['a', 'b', 'c']) sender?.send({ body });
  });
  service.on('sender_draining', ({ sender }: EventContext) => sender?.set_drained(true));
  return MessageReceiver.open(session, 'orders', { lost, context: CONTEXT, mode, session: undefined });
}

test('a completion under way when the link ends is not called refused', async () => {
  const receiver = await openReceiver('peek-lock');
  service.once('accepted', ({ sender }: EventContext) => sender?.close(REASON));
  for await (const message of receiver.receive(1, 60_000, new AbortController().signal)) {
    await expect(receiver.complete(message)).rejects.toMatchObject({ kind: 'link-ended' });
  }
  expect.assertions(1);
});

test('messages without a lock that have arrived are still yielded when the connection is lost', async () => {
  service.options.sender_options = { snd_settle_mode: 1 };
  const receiver = await openReceiver('receive-and-delete');
  let count = 0;
  const receiveAll = async () => {
    for await (const _ of receiver.receive(10, 60_000, new AbortController().signal)) {
      count += 1;
      if (count > 1) continue;
      // An answer to a later request: the messages before it have arrived.
      const later = connection.create_session();
      later.begin();
      await once(later, 'session_open');
      lost.fail(new JitneyError('connection-lost', 'The connection is lost'));
      await setImmediate();
    }
  };
  await expect(receiveAll()).rejects.toMatchObject({ kind: 'connection-lost' });
  expect(count).toBe(3);
});
