// The everyday programs of a Service Bus user, each in a few lines of our own, run by the official SDK against the built product.

import type { ServiceBusReceivedMessage } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from '../support/jitney.js';
import {
  type ClosingClient,
  connect,
  only,
  receiveOne,
  sendBodies,
  takeAll,
} from '../support/service-bus.js';
import { until } from '../support/until.js';

let jitney: Jitney;
let client: ClosingClient;

beforeAll(async () => {
  jitney = await Jitney.start({
    queues: [
      ...['arrivals', 'parcels', 'letters', 'stubborn?maxDeliveryCount=3', 'orders', 'repairs'],
      ...['timetable', 'reminders', 'recipe'],
    ],
  });
  client = connect(jitney.connectionString);
});

afterAll(async () => {
  await client.close();
  await jitney.stop();
});

describe.concurrent('programs', () => {
  test('an array, a batch and a single message arrive in the order they were sent [RCV-07, SEQ-02]', async () => {
    const sender = client.createSender('arrivals');
    await sender.sendMessages([{ body: 'bus 1' }, { body: 'bus 2' }]);
    const batch = await sender.createMessageBatch();
    expect(batch.tryAddMessage({ body: 'bus 3' })).toBe(true);
    expect(batch.tryAddMessage({ body: 'bus 4' })).toBe(true);
    await sender.sendMessages(batch);
    await sender.sendMessages({
      body: { bus: 5 },
      subject: 'Timetable',
      contentType: 'application/json',
      messageId: 'the-fifth',
      correlationId: 'line-7',
      applicationProperties: { late: true, minutes: 4 },
    });

    const messages = await takeAll(client, 'arrivals');

    expect(messages.map((message) => message.body)).toEqual(['bus 1', 'bus 2', 'bus 3', 'bus 4', { bus: 5 }]);
    expect(messages.map((message) => Number(message.sequenceNumber))).toEqual([1, 2, 3, 4, 5]);
    expect(messages[4]).toMatchObject({
      subject: 'Timetable',
      contentType: 'application/json',
      messageId: 'the-fifth',
      correlationId: 'line-7',
      applicationProperties: { late: true, minutes: 4 },
    });
  });

  test('a batch says when it is full, and the rest goes into the next one', async () => {
    const sender = client.createSender('parcels');
    const sixtyKilobytes = Buffer.alloc(60_000, 'p');
    let batch = await sender.createMessageBatch();
    let batchCount = 1;
    for (let parcel = 1; parcel <= 10; parcel++) {
      if (!batch.tryAddMessage({ body: sixtyKilobytes, messageId: `parcel ${parcel}` })) {
        await sender.sendMessages(batch);
        batch = await sender.createMessageBatch();
        batchCount++;
        batch.tryAddMessage({ body: sixtyKilobytes, messageId: `parcel ${parcel}` });
      }
    }
    await sender.sendMessages(batch);

    const received: unknown[] = [];
    const receiver = client.createReceiver('parcels');
    while (received.length < 10) {
      for (const message of await receiver.receiveMessages(10 - received.length, { maxWaitTimeInMs: 5000 })) {
        received.push(message.messageId);
        await receiver.completeMessage(message);
      }
    }

    expect(batchCount).toBe(3);
    expect(received).toEqual(Array.from({ length: 10 }, (_, index) => `parcel ${index + 1}`));
    expect(await takeAll(client, 'parcels')).toEqual([]);
  });

  test('a subscribed handler completes the messages it finishes, and those on which it throws come again [SET-03]', async () => {
    const bodies = Array.from({ length: 20 }, (_, index) => index);
    await sendBodies(client, 'letters', bodies);
    const deliveries: string[] = [];
    const receiver = client.createReceiver('letters');
    const subscription = receiver.subscribe(
      {
        processMessage: async (message) => {
          deliveries.push(`${message.body}/${message.deliveryCount}`);
          if (message.body === 7 && message.deliveryCount === 0) {
            throw new Error('the first attempt at letter 7 fails');
          }
        },
        processError: async () => {},
      },
      { maxConcurrentCalls: 4 },
    );
    await until('21 deliveries', () => deliveries.length === 21);
    await subscription.close();
    await receiver.close();

    expect(new Set(deliveries)).toEqual(new Set([...bodies.map((body) => `${body}/0`), '7/1']));
    expect(await takeAll(client, 'letters')).toEqual([]);
  });

  test('a message that is abandoned MaxDeliveryCount times is found in the dead-letter queue [DLV-06]', async () => {
    await sendBodies(client, 'stubborn', ['try me']);
    const receiver = client.createReceiver('stubborn');
    const deliveryCounts: (number | undefined)[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      const message = only(await receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 }));
      deliveryCounts.push(message.deliveryCount);
      await receiver.abandonMessage(message);
    }

    expect(deliveryCounts).toEqual([0, 1, 2]);
    expect(await takeAll(client, 'stubborn')).toEqual([]);
    expect(only(await takeAll(client, 'stubborn', 'deadLetter'))).toMatchObject({
      body: 'try me',
      deliveryCount: 3,
      deadLetterReason: 'MaxDeliveryCountExceeded',
      deadLetterErrorDescription: 'Message could not be consumed after 3 delivery attempts.',
    });
  });

  test('a message can be moved to the dead-letter queue with a reason, a description and properties [SET-05, DLQ-05]', async () => {
    await sendBodies(client, 'orders', [{ dish: 'soup', size: -1 }]);
    const receiver = client.createReceiver('orders');
    const order = only(await receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 }));
    await receiver.deadLetterMessage(order, {
      deadLetterReason: 'Negative size',
      deadLetterErrorDescription: 'Nobody eats less than nothing.',
      checkedBy: 'the kitchen',
    });

    expect(await takeAll(client, 'orders')).toEqual([]);
    expect(only(await takeAll(client, 'orders', 'deadLetter'))).toMatchObject({
      body: { dish: 'soup', size: -1 },
      deliveryCount: 0,
      deadLetterReason: 'Negative size',
      deadLetterErrorDescription: 'Nobody eats less than nothing.',
      applicationProperties: { checkedBy: 'the kitchen' },
    });
  });

  test('a dead-lettered message can be repaired, sent again and completed', async () => {
    await sendBodies(client, 'repairs', [{ wheels: 3 }]);
    const receiver = client.createReceiver('repairs');
    await receiver.deadLetterMessage(only(await receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 })));

    const deadLetterReceiver = client.createReceiver('repairs', { subQueueType: 'deadLetter' });
    const broken = only(await deadLetterReceiver.receiveMessages(1, { maxWaitTimeInMs: 5000 }));
    await client.createSender('repairs').sendMessages({ ...broken, body: { wheels: 4 } });
    await deadLetterReceiver.completeMessage(broken);

    expect(only(await takeAll(client, 'repairs'))).toMatchObject({
      body: { wheels: 4 },
      messageId: broken.messageId,
      deliveryCount: 0,
    });
    expect(await takeAll(client, 'repairs', 'deadLetter')).toEqual([]);
  });

  test('messages can be peeked ten at a time before a receiver takes them [PEEK-01, PEEK-04]', async () => {
    const bodies = Array.from({ length: 25 }, (_, index) => `bus ${index}`);
    await sendBodies(client, 'timetable', bodies);
    const browser = client.createReceiver('timetable');
    const pages = [
      await browser.peekMessages(10),
      await browser.peekMessages(10),
      await browser.peekMessages(10),
    ];

    expect(pages.map((page) => page.length)).toEqual([10, 10, 5]);
    expect(pages.flat().map(({ body }) => body)).toEqual(bodies);
    expect((await takeAll(client, 'timetable')).map(({ body }) => body)).toEqual(bodies);
  });

  test('reminders arrive when they are due, at a handler that was there before them [SCH-01, SCH-02]', async () => {
    const due = new Date(Date.now() + 2000);
    const messages = ['milk', 'bread'].map((body) => ({ body, subject: 'Shopping' }));
    await client.createSender('reminders').scheduleMessages(messages, due);
    const received: [unknown, number][] = [];
    const receiver = client.createReceiver('reminders');
    receiver.subscribe({
      processMessage: async ({ body }) => void received.push([body, Date.now()]),
      processError: async () => {},
    });
    await until('both reminders', () => received.length === 2);
    await receiver.close();

    expect(received.map(([body]) => body)).toEqual(['milk', 'bread']);
    expect(Math.min(...received.map(([, at]) => at))).toBeGreaterThanOrEqual(due.getTime());
    expect(await takeAll(client, 'reminders')).toEqual([]);
  });

  test('steps that arrive out of order are deferred, and done in order [DEF-01, DEF-02, DEF-05]', async () => {
    await sendBodies(client, 'recipe', [3, 1, 4, 2, 5]);
    const receiver = client.createReceiver('recipe');
    const aside = new Map<unknown, ServiceBusReceivedMessage['sequenceNumber']>();
    const done: unknown[] = [];
    for (let count = 0; count < 5; count++) {
      const step = await receiveOne(receiver);
      if (step.body === done.length + 1) {
        await receiver.completeMessage(step);
        done.push(step.body);
      } else {
        await receiver.deferMessage(step);
        aside.set(step.body, step.sequenceNumber);
      }
    }
    expect(done).toEqual([1, 2]);
    expect(await takeAll(client, 'recipe')).toEqual([]);

    while (done.length < 5) {
      const number = aside.get(done.length + 1);
      if (number === undefined) throw new Error(`step ${done.length + 1} was not put aside`);
      const step = only(await receiver.receiveDeferredMessages(number));
      await receiver.completeMessage(step);
      done.push(step.body);
    }
    expect(done).toEqual([1, 2, 3, 4, 5]);
    expect(await receiver.peekMessages(10)).toEqual([]);
  });
});
