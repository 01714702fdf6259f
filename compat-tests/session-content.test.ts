// What belongs to a session beside its order: state, browsing, deferred and scheduled messages, dead letters, expiry; and who is refused.

import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceBusSessionReceiver } from '@azure/service-bus';
import { ServiceBusClient as PreviewClient } from 'service-bus-beta';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import {
  bodyOf,
  type ClosingClient,
  connect,
  only,
  receiveAll,
  receiveOne,
  sendBodies,
  takeAll,
} from './support/service-bus.js';
import { temporaryDirectory } from './support/temporary-directory.js';
import { until } from './support/until.js';

const SESSIONS = 'requiresSession=true';
const QUEUES = ['states', 'browsed', 'deferred', 'scheduled', 'rejected', 'refusing', 'bulk'];
const EXPIRING = `${SESSIONS}&deadLetteringOnMessageExpiration=true`;
const KILOBYTE = 1024;
const NOT_ALLOWED = { name: 'ServiceBusError', code: 'GeneralError', retryable: false };
const SHORT_LIFE_MS = 500;

let jitney: Jitney;
let client: ClosingClient;

beforeAll(async () => {
  jitney = await Jitney.start({
    queues: [...QUEUES.map((name) => `${name}?${SESSIONS}`), `expiring?${EXPIRING}`, 'plain'],
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

  test('state that is larger than a message may be is refused, and the former one stays [SES-16, LIM-16]', async () => {
    await inSession('states', 'large', async (receiver) => {
      await receiver.setSessionState('small');
      const large = Buffer.alloc(300 * KILOBYTE);
      await expect(receiver.setSessionState(large)).rejects.toMatchObject({ code: 'MessageSizeExceeded' });
      expect(await receiver.getSessionState()).toBe('small');
    });
  });

  test('state, messages and their session are there after a restart, and nobody holds them [SES-15, LNK-06, X17]', async () => {
    await using directory = await temporaryDirectory();
    const start = () => Jitney.start({ queues: [`kept?${SESSIONS}`], dataDirectory: directory.path });
    {
      await using before = await start();
      await using first = connect(before.connectionString);
      await sendBodies(first, 'kept', ['one', 'two'], { sessionId: 'alice' });
      const holder = await first.acceptSession('kept', 'alice');
      await holder.setSessionState({ step: 1 });
      await receiveOne(holder);
      await before.killNine();
    }
    await using after = await start();
    await using second = connect(after.connectionString);
    const receiver = await second.acceptNextSession('kept');
    expect([receiver.sessionId, await receiver.getSessionState()]).toEqual(['alice', { step: 1 }]);
    const messages = await receiveAll(receiver, 2);
    expect(messages.map(({ body, deliveryCount }) => [body, deliveryCount])).toEqual([
      ['one', 0],
      ['two', 0],
    ]);
  });

  test('a session is browsed by itself, and all of them together without a session [PEEK-08]', async () => {
    for (const [sessionId, body] of Object.entries({ a: 1, b: 2 })) await send('browsed', sessionId, [body]);
    await send('browsed', 'a', [3]);
    await inSession('browsed', 'a', async (receiver) => {
      expect((await receiver.peekMessages(10)).map(bodyOf)).toEqual([1, 3]);
    });
    // A client goes on with its peeks where the last one of the queue ended, whosever it was.
    await using another = connect(jitney.connectionString);
    const everything = await another.createReceiver('browsed').peekMessages(10);
    expect(everything.map(({ body, sessionId }) => [body, sessionId])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'a'],
    ]);
  });

  test('deferred messages of a session are received by who holds it, and by nobody else [DEF-07]', async () => {
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

  test('a scheduled message joins its session when it is due, and makes the session available [SES-07, SCH-10]', async () => {
    const sender = client.createSender('scheduled');
    const dueAt = new Date(Date.now() + 1500);
    await sender.scheduleMessages([{ body: 'on time', sessionId: 'mine' }], dueAt);
    await expect(sender.scheduleMessages([{ body: 'of nobody' }], dueAt)).rejects.toMatchObject(NOT_ALLOWED);
    await inSession('scheduled', 'mine', async (receiver) => {
      expect((await receiver.peekMessages(1))[0]?.state).toBe('scheduled');
    });
    const receiver = await client.acceptNextSession('scheduled');
    expect(Date.now()).toBeGreaterThanOrEqual(dueAt.getTime());
    expect([receiver.sessionId, (await receiveOne(receiver)).body]).toEqual(['mine', 'on time']);
    await receiver.close();
  });

  test('a message of a session is dead-lettered with its session id, and a plain receiver reads it [DLQ-03, SET-05]', async () => {
    await send('rejected', 'mine', ['no good', 'good']);
    await inSession('rejected', 'mine', async (receiver) => {
      await receiver.deadLetterMessage(await receiveOne(receiver), {
        deadLetterReason: 'Spoilt',
        deadLetterErrorDescription: 'Two days too old.',
      });
      expect((await receiveOne(receiver)).body).toBe('good');
    });
    const receiver = client.createReceiver('rejected', { subQueueType: 'deadLetter' });
    const message = await receiveOne(receiver);
    expect(message).toMatchObject({ body: 'no good', sessionId: 'mine', deadLetterReason: 'Spoilt' });
    await receiver.renewMessageLock(message);
    await receiver.completeMessage(message);
  });

  test('the oldest messages of a session are deleted in bulk by who holds it [DEL-01, DEL-02]', async () => {
    const bodies = Array.from({ length: 10 }, (_, index) => index);
    for (const sessionId of ['mine', 'other']) await send('bulk', sessionId, bodies);
    await delay(20); // The cutoff is a time in milliseconds.
    const preview = new PreviewClient(jitney.connectionString);
    const receiver = await preview.acceptSession('bulk', 'mine');
    expect(await receiver.deleteMessages({ maxMessageCount: 4 })).toBe(4);
    expect((await receiver.peekMessages(10)).map(({ body }) => body)).toEqual([4, 5, 6, 7, 8, 9]);
    expect(await receiver.purgeMessages()).toBe(6);
    await preview.close();
    const left = await client.createReceiver('bulk').peekMessages(20);
    expect(left.map(({ sessionId }) => sessionId)).toEqual(bodies.map(() => 'other'));
  });

  test('with a listener, one expired message takes its session along [SES-18, X15]', async () => {
    const sender = client.createSender('expiring');
    await sender.sendMessages({ body: 'short', sessionId: 'mine', timeToLive: SHORT_LIFE_MS });
    await sender.sendMessages({ body: 'long', sessionId: 'mine' });
    await sender.sendMessages({ body: 'of another', sessionId: 'other' });
    await delay(SHORT_LIFE_MS + 100);
    expect((await client.createReceiver('expiring').peekMessages(10)).map(bodyOf)).toContain('short');
    const deadLetters = client.createReceiver('expiring', { subQueueType: 'deadLetter' });
    await inSession('expiring', 'other', async (receiver) => {
      expect((await receiveOne(receiver)).body).toBe('of another');
      const gone = await receiveAll(deadLetters, 2);
      expect(gone.map(bodyOf)).toEqual(['short', 'long']);
      for (const message of gone) await deadLetters.completeMessage(message);
    });
  });

  test('a message without a session id is refused, and what is wrong with it is said [SND-06]', async () => {
    const sending = client.createSender('refusing').sendMessages({ body: 'of nobody' });
    await expect(sending).rejects.toMatchObject({
      ...NOT_ALLOWED,
      message: expect.stringMatching(/SessionId was not set/),
    });
  });

  test('a receiver without a session is refused where sessions are required, and one with a session where they are not [RCV-10]', async () => {
    await expect(client.createReceiver('refusing').receiveMessages(1)).rejects.toMatchObject(NOT_ALLOWED);
    const errors: unknown[] = [];
    const subscribed = client.createReceiver('refusing');
    subscribed.subscribe({
      processMessage: async () => {},
      processError: async ({ error }) => void errors.push(error),
    });
    await until('an error', () => errors.length > 0);
    await subscribed.close();
    expect(errors[0]).toMatchObject(NOT_ALLOWED);

    await expect(client.acceptNextSession('plain')).rejects.toMatchObject(NOT_ALLOWED);
    await expect(client.acceptSession('plain', 'any')).rejects.toThrow();
  });

  test('where sessions are not required, a session id is carried along and means nothing [SND-07]', async () => {
    await send('plain', 'ignored', ['x']);
    expect(only(await takeAll(client, 'plain'))).toMatchObject({ body: 'x', sessionId: 'ignored' });
  });
});
