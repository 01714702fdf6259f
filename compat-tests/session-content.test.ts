// What belongs to a session beside its order: its state and deferred messages; and a send without a session id.

import type { ServiceBusSessionReceiver } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import { type ClosingClient, connect, only, receiveAll, sendBodies } from './support/service-bus.js';

const SESSIONS = 'requiresSession=true';
const QUEUES = ['states', 'deferred', 'refusing'];
const KILOBYTE = 1024;
const NOT_ALLOWED = { name: 'ServiceBusError', code: 'GeneralError', retryable: false };

let jitney: Jitney;
let client: ClosingClient;

beforeAll(async () => {
  jitney = await Jitney.start({
    queues: [...QUEUES.map((name) => `${name}?${SESSIONS}`)],
  });
  client = connect(jitney.connectionString);
});

afterAll(async () => {
  await client.close();
  await jitney.stop();
});

function send(queue: string, sessionId: string, bodies: readonly unknown[]): Promise<void> {
  return sendBodies(client, queue, bodies, { sessionId });
}

/** Holds the session for as long as `use` takes. */
async function inSession<Value>(
  queue: string,
  sessionId: string,
  use: (receiver: ServiceBusSessionReceiver) => Promise<Value>,
  from: ClosingClient = client,
): Promise<Value> {
  const receiver = await from.acceptSession(queue, sessionId);
  try {
    return await use(receiver);
  } finally {
    await receiver.close();
  }
}

describe.concurrent('sessions', () => {
  test('session state is null at first, outlives its receiver and all messages, and can be cleared [SES-15, X10, X16]', async () => {
    const cart = { items: ['milk', 'bread'] };
    await inSession('states', 'alice', async (receiver) => {
      expect(await receiver.getSessionState()).toBeNull();
      await receiver.setSessionState(cart);
      expect(await receiver.getSessionState()).toEqual(cart);
    });
    await inSession('states', 'bob', async (receiver) => {
      expect(await receiver.getSessionState()).toBeNull();
    });
    await inSession('states', 'alice', async (receiver) => {
      expect(await receiver.getSessionState()).toEqual(cart);
      await receiver.setSessionState(Buffer.from([0, 255, 1]));
      expect(await receiver.getSessionState()).toEqual(Buffer.from([0, 255, 1]));
      await receiver.setSessionState(null);
      expect(await receiver.getSessionState()).toBeNull();
    });
  });

  test('state that is larger than a message is refused, and the former one stays [SES-16, LIM-16]', async () => {
    await inSession('states', 'large', async (receiver) => {
      await receiver.setSessionState('small');
      const large = Buffer.alloc(300 * KILOBYTE);
      await expect(receiver.setSessionState(large)).rejects.toMatchObject({ code: 'MessageSizeExceeded' });
      expect(await receiver.getSessionState()).toBe('small');
    });
  });

  test('deferred messages of a session are received by its holder, and by no other client [DEF-07]', async () => {
    await send('deferred', 'mine', ['aside', 'next']);
    const sequenceNumber = await inSession('deferred', 'mine', async (receiver) => {
      const [aside, next] = await receiveAll(receiver, 2);
      if (!aside?.sequenceNumber || !next) throw new Error('two have come');
      await receiver.deferMessage(aside);
      await receiver.completeMessage(next);
      return aside.sequenceNumber;
    });
    await inSession('deferred', 'other', async (receiver) => {
      const receiving = receiver.receiveDeferredMessages(sequenceNumber);
      await expect(receiving).rejects.toMatchObject({ code: 'MessageNotFound' });
    });
    await expect(client.createReceiver('deferred').receiveDeferredMessages(sequenceNumber)).rejects.toThrow();
    await inSession('deferred', 'mine', async (receiver) => {
      const message = only(await receiver.receiveDeferredMessages(sequenceNumber));
      expect([message.body, message.deliveryCount]).toEqual(['aside', 1]);
      await receiver.completeMessage(message);
      expect(await receiver.peekMessages(10)).toEqual([]);
    });
  });

  test('a message without a session id is refused, and the error says what is wrong [SND-06]', async () => {
    const sending = client.createSender('refusing').sendMessages({ body: 'of nobody' });
    await expect(sending).rejects.toMatchObject({
      ...NOT_ALLOWED,
      message: expect.stringMatching(/SessionId was not set/),
    });
  });
});
