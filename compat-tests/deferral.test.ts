// Deferred messages: out of the way until they are asked for by number, and then settled like any other.

import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import { type ClosingClient, connect, only, receiveOne, sendBodies, takeAll } from './support/service-bus.js';

const LOCK_MS = 5000;
const NOT_FOUND = { name: 'ServiceBusError', code: 'MessageNotFound', retryable: false };
const QUEUES = ['aside', 'taken', 'several', 'renewed', 'returned', 'again', 'rejected', 'dead', 'lapsed'];

let jitney: Jitney;
let client: ClosingClient;

beforeAll(async () => {
  jitney = await Jitney.start({
    queues: QUEUES.map((name) => `${name}?lockDuration=PT5S&maxDeliveryCount=4`),
  });
  client = connect(jitney.connectionString);
});

afterAll(async () => {
  await client.close();
  await jitney.stop();
});

/** Sends one message and puts it aside; tells by which number it is found again. */
async function deferOne(receiver: ServiceBusReceiver) {
  await sendBodies(client, receiver.entityPath, ['put aside']);
  const message = await receiveOne(receiver);
  await receiver.deferMessage(message);
  return numberIn(message);
}

function numberIn({ sequenceNumber }: ServiceBusReceivedMessage) {
  if (sequenceNumber === undefined) throw new Error('a received message has a sequence number');
  return sequenceNumber;
}

describe.concurrent('deferral', () => {
  test('a deferred message comes only to the one who asks for its number, and is gone when completed [DEF-01, DEF-02, DEF-03, DEF-05]', async () => {
    const receiver = client.createReceiver('aside');
    const number = await deferOne(receiver);
    expect(await takeAll(client, 'aside')).toEqual([]);

    const message = only(await receiver.receiveDeferredMessages(number));
    expect(message).toMatchObject({
      body: 'put aside',
      state: 'deferred',
      deliveryCount: 1,
      sequenceNumber: number,
    });
    expect(message.lockedUntilUtc?.getTime()).toBeGreaterThan(Date.now());
    await expect(receiver.receiveDeferredMessages(number)).rejects.toMatchObject(NOT_FOUND);
    await receiver.completeMessage(message);

    await expect(receiver.receiveDeferredMessages(number)).rejects.toMatchObject(NOT_FOUND);
    await expect(receiver.completeMessage(message)).rejects.toMatchObject({ code: 'MessageLockLost' });
  });

  test('receive-and-delete takes a deferred message for good [DEF-02]', async () => {
    const number = await deferOne(client.createReceiver('taken'));
    const taker = client.createReceiver('taken', { receiveMode: 'receiveAndDelete' });
    expect(only(await taker.receiveDeferredMessages(number))).toMatchObject({
      body: 'put aside',
      state: 'deferred',
    });
    await expect(taker.receiveDeferredMessages(number)).rejects.toMatchObject(NOT_FOUND);
  });

  test('several come in the order they are asked for, and none when one of them is missing [DEF-02, DEF-03]', async () => {
    const receiver = client.createReceiver('several');
    const first = await deferOne(receiver);
    const second = await deferOne(receiver);
    const neverGiven = second.add(1000);
    await expect(receiver.receiveDeferredMessages([first, neverGiven])).rejects.toMatchObject(NOT_FOUND);

    const messages = await receiver.receiveDeferredMessages([second, first]);
    expect(messages.map(numberIn)).toEqual([second, first]);
    await Promise.all(messages.map((message) => receiver.completeMessage(message)));
  });

  test('the lock of a deferred message can be renewed [RCV-08, DEF-05]', async () => {
    const receiver = client.createReceiver('renewed', { maxAutoLockRenewalDurationInMs: 0 });
    const message = only(await receiver.receiveDeferredMessages(await deferOne(receiver)));
    const firstEnd = message.lockedUntilUtc?.getTime() ?? 0;
    await delay(1000);
    expect((await receiver.renewMessageLock(message)).getTime()).toBeGreaterThanOrEqual(firstEnd + 1000);
    await receiver.completeMessage(message);
  });

  test('an abandoned one is deferred still, its delivery count raised and its properties changed [DEF-06, DLV-08, SET-07]', async () => {
    const receiver = client.createReceiver('returned');
    const number = await deferOne(receiver);
    const message = only(await receiver.receiveDeferredMessages(number));
    await receiver.abandonMessage(message, { attempt: 'first' });

    expect(await takeAll(client, 'returned')).toEqual([]);
    const again = only(await receiver.receiveDeferredMessages(number));
    expect(again).toMatchObject({
      state: 'deferred',
      deliveryCount: 2,
      applicationProperties: { attempt: 'first' },
    });
    expect(again.lockToken).not.toBe(message.lockToken);
    await receiver.completeMessage(again);
  });

  test('it can be deferred again, and deferring never dead-letters it [DEF-06, DLV-08]', async () => {
    const receiver = client.createReceiver('again');
    const number = await deferOne(receiver);
    for (let deliveryCount = 1; deliveryCount <= 5; deliveryCount++) {
      const message = only(await receiver.receiveDeferredMessages(number));
      expect(message).toMatchObject({ state: 'deferred', deliveryCount });
      await receiver.deferMessage(message);
    }
    const message = only(await receiver.receiveDeferredMessages(number));
    await receiver.abandonMessage(message);
    expect(only(await takeAll(client, 'again', 'deadLetter'))).toMatchObject({
      deadLetterReason: 'MaxDeliveryCountExceeded',
      state: 'active',
    });
  });

  test('it can be dead-lettered, its delivery count as it was [DEF-06, DLQ-05]', async () => {
    const receiver = client.createReceiver('rejected');
    const message = only(await receiver.receiveDeferredMessages(await deferOne(receiver)));
    await receiver.deadLetterMessage(message, {
      deadLetterReason: 'Too late',
      deadLetterErrorDescription: 'Nobody waits any longer.',
      checkedBy: 'the clerk',
    });
    expect(only(await takeAll(client, 'rejected', 'deadLetter'))).toMatchObject({
      body: 'put aside',
      state: 'active',
      deliveryCount: 1,
      deadLetterReason: 'Too late',
      deadLetterErrorDescription: 'Nobody waits any longer.',
      applicationProperties: { checkedBy: 'the clerk' },
    });
  });

  test('a message of a dead-letter queue can be deferred and fetched there, its delivery count as it was [DEF-09, DLV-07]', async () => {
    const receiver = client.createReceiver('dead');
    await sendBodies(client, 'dead', ['no good']);
    await receiver.deadLetterMessage(await receiveOne(receiver));
    const deadLetters = client.createReceiver('dead', { subQueueType: 'deadLetter' });
    const message = await receiveOne(deadLetters);
    await deadLetters.deferMessage(message);

    const number = numberIn(message);
    await expect(receiver.receiveDeferredMessages(number)).rejects.toMatchObject(NOT_FOUND);
    const deferred = only(await deadLetters.receiveDeferredMessages(number));
    expect(deferred).toMatchObject({ body: 'no good', state: 'deferred', deliveryCount: 0 });
    await deadLetters.completeMessage(deferred);
    expect(await takeAll(client, 'dead', 'deadLetter')).toEqual([]);
  });

  test('one whose lock expires is deferred still, its delivery count raised [DEF-06, DLV-02]', async () => {
    const receiver = client.createReceiver('lapsed', { maxAutoLockRenewalDurationInMs: 0 });
    const number = await deferOne(receiver);
    const message = only(await receiver.receiveDeferredMessages(number));
    await delay(LOCK_MS + 500);

    await expect(receiver.completeMessage(message)).rejects.toMatchObject({ code: 'MessageLockLost' });
    expect(await takeAll(client, 'lapsed')).toEqual([]);
    const again = only(await receiver.receiveDeferredMessages(number));
    expect(again).toMatchObject({ state: 'deferred', deliveryCount: 2 });
    await receiver.completeMessage(again);
  });
});
