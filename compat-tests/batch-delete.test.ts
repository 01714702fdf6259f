// Batch delete and purge, which only the preview of the SDK has: messages go in bulk, unread.

import { setTimeout as delay } from 'node:timers/promises';
import {
  ServiceBusClient as PreviewClient,
  type ServiceBusReceiver as PreviewReceiver,
} from 'service-bus-beta';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import {
  bodyOf,
  type ClosingClient,
  connect,
  numberOf,
  receiveOne,
  sendBodies,
  takeAll,
} from './support/service-bus.js';

const QUEUES = ['by-time', 'by-count', 'purged', 'locked', 'aside', 'rejected', 'empty'];
/** The cutoff is a time in milliseconds: what was sent in the same one is on neither side of it. */
const A_MOMENT_MS = 20;

let jitney: Jitney;
let client: ClosingClient;
let preview: PreviewClient;

beforeAll(async () => {
  jitney = await Jitney.start({ queues: QUEUES });
  client = connect(jitney.connectionString);
  preview = new PreviewClient(jitney.connectionString);
});

afterAll(async () => {
  await Promise.all([client.close(), preview.close()]);
  await jitney.stop();
});

async function fill(queue: string, count: number): Promise<void> {
  await sendBodies(
    client,
    queue,
    Array.from({ length: count }, (_, index) => index),
  );
  await delay(A_MOMENT_MS);
}

function previewReceiver(queue: string): PreviewReceiver {
  return preview.createReceiver(queue);
}

describe.concurrent('batch delete', () => {
  test('messages enqueued before a time are deleted, later ones stay [DEL-01]', async () => {
    await fill('by-time', 10);
    const beforeEnqueueTime = new Date();
    await delay(A_MOMENT_MS);
    await sendBodies(client, 'by-time', ['late', 'later']);

    const deletedCount = await previewReceiver('by-time').deleteMessages({
      maxMessageCount: 100,
      beforeEnqueueTime,
    });

    expect(deletedCount).toBe(10);
    expect((await takeAll(client, 'by-time')).map(bodyOf)).toEqual(['late', 'later']);
  });

  test('one call deletes the oldest messages, at most 500 of them in the standard tier [DEL-01, LIM-17]', async () => {
    await fill('by-count', 600);
    const receiver = previewReceiver('by-count');

    expect(await receiver.deleteMessages({ maxMessageCount: 7 })).toBe(7);
    expect(await receiver.deleteMessages({ maxMessageCount: 4000 })).toBe(500);
    const left = await takeAll(client, 'by-count');
    expect(left.map(numberOf)).toEqual(Array.from({ length: 93 }, (_, index) => 508 + index));
  });

  test('a purge of 1,200 messages leaves none [DEL-02]', async () => {
    await fill('purged', 1200);
    expect(await previewReceiver('purged').purgeMessages()).toBe(1200);
    expect(await takeAll(client, 'purged')).toEqual([]);
  });

  test('a locked message is left alone, and its lock holds [DEL-01]', async () => {
    await fill('locked', 5);
    const holder = client.createReceiver('locked');
    const held = await receiveOne(holder);

    expect(await previewReceiver('locked').purgeMessages()).toBe(4);
    await holder.abandonMessage(held);
    const back = await receiveOne(holder);
    expect([back.body, back.deliveryCount]).toEqual([0, 1]);
    await holder.completeMessage(back);
  });

  test('a purge takes deferred messages along, scheduled ones stay [DEL-02]', async () => {
    await fill('aside', 2);
    const receiver = client.createReceiver('aside');
    const deferred = await receiveOne(receiver);
    await receiver.deferMessage(deferred);
    const inAnHour = new Date(Date.now() + 3_600_000);
    const [scheduled] = await client.createSender('aside').scheduleMessages([{ body: 'to come' }], inAnHour);
    await delay(A_MOMENT_MS);

    expect(await previewReceiver('aside').purgeMessages()).toBe(2);
    const left = await receiver.peekMessages(10);
    expect(left.map(({ sequenceNumber, state }) => [sequenceNumber, state])).toEqual([
      [scheduled, 'scheduled'],
    ]);
  });

  test('a dead-letter queue can be purged, and its queue is not touched [DEL-01]', async () => {
    await fill('rejected', 4);
    const receiver = client.createReceiver('rejected');
    for (const message of await receiver.receiveMessages(3, { maxWaitTimeInMs: 5000 })) {
      await receiver.deadLetterMessage(message);
    }
    const deadLetters = preview.createReceiver('rejected', { subQueueType: 'deadLetter' });

    expect(await deadLetters.purgeMessages()).toBe(3);
    expect(await takeAll(client, 'rejected', 'deadLetter')).toEqual([]);
    expect((await takeAll(client, 'rejected')).map(bodyOf)).toEqual([3]);
  });

  test('where nothing is, nothing is deleted [DEL-01]', async () => {
    const receiver = previewReceiver('empty');
    expect(await receiver.deleteMessages({ maxMessageCount: 10 })).toBe(0);
    expect(await receiver.purgeMessages()).toBe(0);
  });
});
