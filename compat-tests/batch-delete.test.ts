// Batch delete and purge, which only the preview of the SDK has: messages go in bulk, unread.

import { setTimeout as delay } from 'node:timers/promises';
import {
  ServiceBusClient as PreviewClient,
  type ServiceBusReceiver as PreviewReceiver,
} from 'service-bus-beta';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import { bodyOf, type ClosingClient, connect, sendBodies, takeAll } from './support/service-bus.js';

const QUEUES = ['by-time', 'purged', 'empty'];
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

  test('a purge of 1,200 messages leaves none [DEL-02]', async () => {
    await fill('purged', 1200);
    expect(await previewReceiver('purged').purgeMessages()).toBe(1200);
    expect(await takeAll(client, 'purged')).toEqual([]);
  });

  test('an empty queue deletes nothing [DEL-01]', async () => {
    const receiver = previewReceiver('empty');
    expect(await receiver.deleteMessages({ maxMessageCount: 10 })).toBe(0);
    expect(await receiver.purgeMessages()).toBe(0);
  });
});
