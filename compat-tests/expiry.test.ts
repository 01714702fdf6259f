// The time to live, in real time: who expires, when, and where one goes then.

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import {
  bodyOf,
  type ClosingClient,
  connect,
  only,
  receiveOne,
  sendBodies,
  takeAll,
} from './support/service-bus.js';

const SECOND = 1000;
const SHORT_LIFE_MS = 1500;
/** After this, whatever lived so short is gone. */
const PAST_IT_MS = SHORT_LIFE_MS + 500;

let jitney: Jitney;
let client: ClosingClient;

beforeAll(async () => {
  const dead = 'deadLetteringOnMessageExpiration=true';
  jitney = await Jitney.start({
    queues: [
      `put-aside?${dead}`,
      `by-default?defaultMessageTimeToLive=PT1S&${dead}`,
      'dropped',
      'capped?defaultMessageTimeToLive=PT1M',
      `held?${dead}`,
      `deferred?${dead}`,
    ],
  });
  client = connect(jitney.connectionString);
});

afterAll(async () => {
  await client.close();
  await jitney.stop();
});

const EXPIRED = {
  deadLetterReason: 'TTLExpiredException',
  deadLetterErrorDescription: 'The message expired and was dead lettered.',
};

describe.concurrent('expiry', () => {
  test('an expired message is dead-lettered where the queue says so, though nobody listens [TTL-01, TTL-08, TTL-09, DLQ-04]', async () => {
    const sender = client.createSender('put-aside');
    await sender.sendMessages([
      { body: 'short', timeToLive: SHORT_LIFE_MS, applicationProperties: { kind: 'milk' } },
      { body: 'long', timeToLive: 60 * SECOND },
      { body: 'for ever' },
    ]);
    await delay(PAST_IT_MS);

    const deadLetter = only(await takeAll(client, 'put-aside', 'deadLetter'));
    expect(deadLetter).toMatchObject({ body: 'short', deliveryCount: 0, state: 'active', ...EXPIRED });
    expect(deadLetter.applicationProperties).toMatchObject({ kind: 'milk' });
    expect((await takeAll(client, 'put-aside')).map(bodyOf)).toEqual(['long', 'for ever']);
  });

  test("the queue's default counts for a message that names no time to live [TTL-02]", async () => {
    await sendBodies(client, 'by-default', ['short']);
    await delay(PAST_IT_MS);
    expect(only(await takeAll(client, 'by-default', 'deadLetter'))).toMatchObject({
      body: 'short',
      ...EXPIRED,
    });
  });

  test('without dead-lettering an expired message is gone [TTL-05, TTL-08]', async () => {
    const sender = client.createSender('dropped');
    await sender.sendMessages({ body: 'short', timeToLive: SHORT_LIFE_MS });
    await delay(PAST_IT_MS);
    expect(await takeAll(client, 'dropped')).toEqual([]);
    expect(await takeAll(client, 'dropped', 'deadLetter')).toEqual([]);
  });

  test("a longer time to live is cut to the queue's default without a word, and a received message says when it expires [TTL-02, TTL-12]", async () => {
    const sender = client.createSender('capped');
    await sender.sendMessages([{ body: 'longer', timeToLive: 3600 * SECOND }, { body: 'none' }]);
    for (const message of await takeAll(client, 'capped')) {
      const enqueuedAt = message.enqueuedTimeUtc?.getTime() ?? 0;
      expect(message.expiresAtUtc?.getTime(), message.body).toBe(enqueuedAt + 60 * SECOND);
    }
  });

  test('a lock holds off expiry, which comes the moment the message is given back [TTL-06, TTL-07]', async () => {
    const receiver = client.createReceiver('held');
    const receiving = receiver.receiveMessages(2, { maxWaitTimeInMs: 5 * SECOND });
    await client.createSender('held').sendMessages([
      { body: 'completed', timeToLive: SHORT_LIFE_MS },
      { body: 'abandoned', timeToLive: SHORT_LIFE_MS },
    ]);
    const [completed, abandoned] = await receiving;
    if (completed === undefined || abandoned === undefined) throw new Error('two messages have come');
    await delay(PAST_IT_MS);
    await receiver.completeMessage(completed);
    expect(await takeAll(client, 'held', 'deadLetter')).toEqual([]);

    await receiver.abandonMessage(abandoned);
    expect(only(await takeAll(client, 'held', 'deadLetter'))).toMatchObject({
      body: 'abandoned',
      ...EXPIRED,
    });
    expect(await takeAll(client, 'held')).toEqual([]);
  });

  test('a deferred message expires when it is asked for, not before [TTL-10]', async () => {
    const receiver = client.createReceiver('deferred');
    const receiving = receiveOne(receiver);
    await client.createSender('deferred').sendMessages({ body: 'put aside', timeToLive: SHORT_LIFE_MS });
    const message = await receiving;
    await receiver.deferMessage(message);
    await delay(PAST_IT_MS);
    expect((await receiver.peekMessages(1)).map(({ state }) => state)).toEqual(['deferred']);

    const number = message.sequenceNumber;
    if (number === undefined) throw new Error('a received message has a sequence number');
    await expect(receiver.receiveDeferredMessages(number)).rejects.toMatchObject({ code: 'MessageNotFound' });
    expect(only(await takeAll(client, 'deferred', 'deadLetter'))).toMatchObject({
      body: 'put aside',
      ...EXPIRED,
    });
  });
});
