// Ten tests of a shop on bad days and in the weeks to come: they add faults and move the clock.
import { ServiceBusClient } from '@azure/service-bus';
import { startEmulator } from 'jitney';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sendSteps } from './shop.mjs';

// The shop.

const place = (client, order, more = {}) =>
  client.createSender('orders').sendMessages({ messageId: order.id, body: order, ...more });

/** Pays each order once, whatever comes twice. */
class Payments {
  paid = new Map();

  async handle(message) {
    const { id, total } = message.body;
    if (total <= 0) throw new Error('nothing to pay');
    if (!this.paid.has(id)) this.paid.set(id, total);
  }
}

/** Takes what waits, and gives back what its handler cannot do. */
async function work(client, handler, count = 1) {
  const receiver = client.createReceiver('orders');
  for (const message of await receiver.receiveMessages(count)) {
    try {
      await handler.handle(message);
      await receiver.completeMessage(message);
    } catch (error) {
      if (error.code !== 'MessageLockLost') await receiver.abandonMessage(message);
    }
  }
  await receiver.close();
}

/** Takes steps of a customer. The state of the session says which are done. */
async function takeSteps(client, customer, count) {
  const receiver = await client.acceptSession('customers', customer);
  const done = (await receiver.getSessionState()) ?? [];
  for (const message of await receiver.receiveMessages(count)) {
    done.push(message.body);
    await receiver.setSessionState(done);
    await receiver.completeMessage(message);
  }
  await receiver.close();
  return done;
}

// Its tests.

let emulator;
let client;
beforeAll(async () => {
  emulator = await startEmulator({
    clock: 'virtual',
    queues: [
      {
        name: 'orders',
        maxDeliveryCount: 3,
        deadLetteringOnMessageExpiration: true,
        requiresDuplicateDetection: true,
      },
      { name: 'customers', requiresSession: true },
    ],
  });
  const retryOptions = { maxRetries: 3, retryDelayInMs: 1, timeoutInMs: 2000 };
  client = new ServiceBusClient(emulator.connectionString, { retryOptions });
});
beforeEach(() => emulator.reset({ all: true }));
afterAll(async () => {
  await client?.close();
  await emulator?.stop();
});
const orders = () => emulator.queue('orders');

test('an order is placed although the server is busy twice', async () => {
  const busy = emulator.faults.add({ on: 'send', error: 'server-busy', times: 2 });
  await place(client, { id: 'a', total: 10 });
  expect(busy.firedCount).toBe(2);
  expect(await orders().counts()).toMatchObject({ active: 1 });
});

test('an order whose acknowledgement is lost is placed once', async () => {
  emulator.faults.add({ on: 'send', loseAnswer: true, times: 1 });
  await place(client, { id: 'a', total: 10 });
  expect(await orders().counts()).toMatchObject({ active: 1 });
});

test('an order that is placed anew after the window of duplicates is another one', async () => {
  await place(client, { id: 'a', total: 10 });
  await emulator.clock.advance('PT11M');
  await place(client, { id: 'a', total: 10 });
  expect(await orders().counts()).toMatchObject({ active: 2 });
});

test('an order that cannot be paid is dead-lettered after three tries, and says so', async () => {
  await place(client, { id: 'a', total: 0 });
  for (let tries = 0; tries < 3; tries++) await work(client, new Payments());
  const [dead] = await orders().deadLetters();
  expect(dead).toMatchObject({ deadLetterReason: 'MaxDeliveryCountExceeded', body: { id: 'a', total: 0 } });
});

test('an order is paid once, although its completion is lost and it comes again', async () => {
  const payments = new Payments();
  emulator.faults.add({ on: 'receive', deliverTwice: true, times: 1 });
  await place(client, { id: 'a', total: 10 });
  await work(client, payments);
  await work(client, payments);
  expect([...payments.paid]).toEqual([['a', 10]]);
  expect(await orders().counts()).toMatchObject({ active: 0, deadLetter: 0 });
});

test('an order whose lock ends while it is paid is paid by the next worker, once', async () => {
  const payments = new Payments();
  emulator.faults.add({ on: 'receive', endLock: true, times: 1 });
  await place(client, { id: 'a', total: 10 });
  await work(client, payments);
  await work(client, payments);
  expect(payments.paid.size).toBe(1);
  expect(await orders().counts()).toMatchObject({ active: 0, locked: 0 });
});

test('a payment that is due tomorrow is taken tomorrow, and not before', async () => {
  const payments = new Payments();
  await place(
    client,
    { id: 'a', total: 10 },
    { scheduledEnqueueTimeUtc: new Date(Date.now() + 24 * 3_600_000) },
  );
  await emulator.clock.advance('PT23H');
  expect(await orders().counts()).toMatchObject({ active: 0, scheduled: 1 });
  await emulator.clock.advance('PT1H');
  await work(client, payments);
  expect(payments.paid.size).toBe(1);
});

test('an offer that nobody takes for a week is dead-lettered', async () => {
  await place(client, { id: 'offer', total: 5 }, { timeToLive: 7 * 24 * 3_600_000 });
  await emulator.clock.advance('P7D');
  expect(await orders().deadLetters()).toMatchObject([{ deadLetterReason: 'TTLExpiredException' }]);
});

test('a shop that sends too fast gets all orders through', async () => {
  const throttle = emulator.faults.add({ on: 'send', error: 'server-busy', above: 5, times: 3 });
  await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((id) => place(client, { id: String(id), total: id })));
  expect(throttle.firedCount).toBe(3);
  expect(await orders().counts()).toMatchObject({ active: 8 });
});

test('a customer is served from where it was, although the next worker finds the server busy', async () => {
  await sendSteps(client, [
    ['anna', 'registers'],
    ['anna', 'orders'],
    ['anna', 'pays'],
  ]);
  expect(await takeSteps(client, 'anna', 1)).toEqual(['registers']);
  const busy = emulator.faults.add({
    on: ['get-session-state', 'set-session-state'],
    error: 'server-busy',
    times: 2,
  });
  expect(await takeSteps(client, 'anna', 2)).toEqual(['registers', 'orders', 'pays']);
  expect(busy.firedCount).toBe(2);
});
