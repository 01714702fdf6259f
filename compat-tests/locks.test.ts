// Message locks in real time: renewed by hand, renewed by the SDK, and left to expire.

import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceBusReceivedMessage } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import { type ClosingClient, connect, only, sendBodies, takeAll } from './support/service-bus.js';
import { until } from './support/until.js';

/** Shorter than any that the service allows: the SDK renews such a lock as well. */
const LOCK_MS = 2000;
const NO_AUTOMATIC_RENEWAL = { maxAutoLockRenewalDurationInMs: 0 };

let jitney: Jitney;
let client: ClosingClient;

beforeAll(async () => {
  const names = ['by-hand', 'by-the-sdk', 'forgotten', 'settled-later'];
  jitney = await Jitney.start({ queues: names.map((name) => `${name}?lockDuration=PT2S`) });
  client = connect(jitney.connectionString);
});

afterAll(async () => {
  await client.close();
  await jitney.stop();
});

describe.concurrent('message locks', () => {
  test('a lock that is renewed by hand holds for another lock duration from now [RCV-08]', async () => {
    await sendBodies(client, 'by-hand', ['hold me']);
    const receiver = client.createReceiver('by-hand', NO_AUTOMATIC_RENEWAL);
    const message = only(await receiver.receiveMessages(1));
    const firstEnd = message.lockedUntilUtc?.getTime() ?? 0;
    await delay(LOCK_MS / 2);
    const renewedEnd = (await receiver.renewMessageLock(message)).getTime();

    expect(renewedEnd - firstEnd).toBeGreaterThanOrEqual(LOCK_MS / 2 - 50);
    expect(renewedEnd - firstEnd).toBeLessThan(LOCK_MS);
    await delay(firstEnd - Date.now() + 200);
    await receiver.completeMessage(message);
    expect(await takeAll(client, 'by-hand')).toEqual([]);
  });

  test('a handler may take longer than the lock, because the SDK renews it', async () => {
    await sendBodies(client, 'by-the-sdk', ['slow work']);
    const receiver = client.createReceiver('by-the-sdk');
    const deliveries: (number | undefined)[] = [];
    const errors: unknown[] = [];
    let isDone = false;
    receiver.subscribe({
      processMessage: async (message) => {
        deliveries.push(message.deliveryCount);
        await delay(LOCK_MS * 1.75);
        isDone = true;
      },
      processError: async (args) => void errors.push(args.error),
    });
    await until('the slow handler', () => isDone);
    await receiver.close();

    expect(deliveries).toEqual([0]);
    expect(errors).toEqual([]);
    expect(await takeAll(client, 'by-the-sdk')).toEqual([]);
  });

  test('a lock that is not renewed expires: the message returns with delivery count 1 [RCV-05, RCV-06, DLV-02, SET-06]', async () => {
    await sendBodies(client, 'forgotten', ['first', 'second']);
    const forgetful = client.createReceiver('forgotten', NO_AUTOMATIC_RENEWAL);
    const late = only(await forgetful.receiveMessages(1));
    const attentive = client.createReceiver('forgotten', NO_AUTOMATIC_RENEWAL);
    const second = only(await attentive.receiveMessages(1));
    const again = only(await attentive.receiveMessages(1, { maxWaitTimeInMs: LOCK_MS + 3000 }));

    expect(second.body).toBe('second');
    expect(again).toMatchObject({ body: 'first', deliveryCount: 1, sequenceNumber: late.sequenceNumber });
    expect(again.lockToken).not.toBe(late.lockToken);
    await expect(forgetful.completeMessage(late)).rejects.toMatchObject({ code: 'MessageLockLost' });
    await expect(forgetful.renewMessageLock(late)).rejects.toMatchObject({ code: 'MessageLockLost' });
    await attentive.completeMessage(again);
  });

  test('a message can be settled after its subscription has been closed [SET-08]', async () => {
    await sendBodies(client, 'settled-later', ['complete me', 'abandon me']);
    const receiver = client.createReceiver('settled-later');
    const held: ServiceBusReceivedMessage[] = [];
    const subscription = receiver.subscribe(
      { processMessage: async (message) => void held.push(message), processError: async () => {} },
      { autoCompleteMessages: false, maxConcurrentCalls: 2 },
    );
    await until('two deliveries', () => held.length === 2);
    await subscription.close();
    for (const message of held) {
      await (message.body === 'complete me'
        ? receiver.completeMessage(message)
        : receiver.abandonMessage(message));
    }

    expect(only(await takeAll(client, 'settled-later'))).toMatchObject({
      body: 'abandon me',
      deliveryCount: 1,
    });
  });
});
