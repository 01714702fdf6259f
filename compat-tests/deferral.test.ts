// Deferred messages: out of the way until they are asked for by number, and then settled like any other.

import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import { type ClosingClient, connect, only, receiveOne, sendBodies, takeAll } from './support/service-bus.js';

const NOT_FOUND = { name: 'ServiceBusError', code: 'MessageNotFound', retryable: false };
const QUEUES = ['aside', 'several'];

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
  test('a deferred message is received only by its number, and is gone when completed [DEF-01, DEF-02, DEF-03, DEF-05]', async () => {
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

  test('several messages come in the order of the request, and none if one is missing [DEF-02, DEF-03]', async () => {
    const receiver = client.createReceiver('several');
    const first = await deferOne(receiver);
    const second = await deferOne(receiver);
    const neverGiven = second.add(1000);
    await expect(receiver.receiveDeferredMessages([first, neverGiven])).rejects.toMatchObject(NOT_FOUND);

    const messages = await receiver.receiveDeferredMessages([second, first]);
    expect(messages.map(numberIn)).toEqual([second, first]);
    await Promise.all(messages.map((message) => receiver.completeMessage(message)));
  });
});
