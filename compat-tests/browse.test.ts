// Browsing: everything that is in a queue can be seen, in order and in any state, and is none the worse for it.

import type { ServiceBusReceivedMessage } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import {
  bodyOf,
  type ClosingClient,
  connect,
  numberOf,
  receiveOne,
  sendBodies,
} from './support/service-bus.js';

/** What programs ask for when they want everything. */
const LARGEST_COUNT = 2 ** 31 - 1;
const HOUR = 3_600_000;

let jitney: Jitney;
let client: ClosingClient;

beforeAll(async () => {
  jitney = await Jitney.start({ queues: ['states', 'pages', 'large', 'empty'] });
  client = connect(jitney.connectionString);
});

afterAll(async () => {
  await client.close();
  await jitney.stop();
});

function shown({ body, state, deliveryCount }: ServiceBusReceivedMessage): unknown[] {
  return [body, state, deliveryCount];
}

/** As the SDK wants it back. */
function numberIn(message: ServiceBusReceivedMessage | undefined) {
  if (message?.sequenceNumber === undefined) throw new Error('a message with a number has come');
  return message.sequenceNumber;
}

describe.concurrent('browsing', () => {
  test('active, locked, deferred and scheduled messages are shown in order, completed and cancelled ones not [PEEK-01, PEEK-03, PEEK-05]', async () => {
    await sendBodies(client, 'states', ['completed', 'deferred', 'locked', 'active']);
    const receiver = client.createReceiver('states');
    const [completed, deferred] = await receiver.receiveMessages(2, { maxWaitTimeInMs: 5000 });
    if (completed === undefined || deferred === undefined) throw new Error('two messages have come');
    await receiver.completeMessage(completed);
    await receiver.deferMessage(deferred);
    const locked = await receiveOne(receiver);
    const sender = client.createSender('states');
    const inAnHour = new Date(Date.now() + HOUR);
    const numbers = await sender.scheduleMessages([{ body: 'cancelled' }, { body: 'scheduled' }], inAnHour);
    await sender.cancelScheduledMessages(numbers.slice(0, 1));

    const peeked = await client.createReceiver('states').peekMessages(100);

    expect(peeked.map(shown)).toEqual([
      ['deferred', 'deferred', 1],
      ['locked', 'active', 0],
      ['active', 'active', 0],
      ['scheduled', 'scheduled', 0],
    ]);
    expect(peeked.map(numberOf)).toEqual([2, 3, 4, 6]);
    expect(peeked.map(({ lockToken }) => lockToken)).toEqual(peeked.map(() => undefined));
    await receiver.completeMessage(locked);
  });

  test('a receiver continues where it stopped, or starts at any number [PEEK-01]', async () => {
    await sendBodies(client, 'pages', ['a', 'b', 'c', 'd', 'e']);
    const browser = client.createReceiver('pages');
    expect((await browser.peekMessages(2)).map(bodyOf)).toEqual(['a', 'b']);
    const [third] = await browser.peekMessages(1);
    expect(third?.body).toBe('c');
    expect((await browser.peekMessages(10)).map(bodyOf)).toEqual(['d', 'e']);
    expect(await browser.peekMessages(10)).toEqual([]);

    const again = await browser.peekMessages(2, { fromSequenceNumber: numberIn(third) });
    expect(again.map(bodyOf)).toEqual(['c', 'd']);
  });

  test('a peek for everything returns as much as one answer holds, and the rest when it is repeated [PEEK-02]', async () => {
    const sender = client.createSender('large');
    const body = Buffer.alloc(60_000, 'x');
    for (let count = 0; count < 12; count++) await sender.sendMessages({ body, messageId: String(count) });
    const browser = client.createReceiver('large');
    const counts: number[] = [];
    const seen: unknown[] = [];
    for (;;) {
      const messages = await browser.peekMessages(LARGEST_COUNT);
      if (messages.length === 0) break;
      counts.push(messages.length);
      seen.push(...messages.map(({ messageId }) => messageId));
    }
    expect(seen).toEqual(Array.from({ length: 12 }, (_, index) => String(index)));
    expect(Math.max(...counts), 'one answer is not everything').toBeLessThan(12);
  });

  test('a peek of an empty queue finds nothing [PEEK-02]', async () => {
    expect(await client.createReceiver('empty').peekMessages(10)).toEqual([]);
  });
});
