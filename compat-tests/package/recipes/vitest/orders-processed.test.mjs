// orders-processed.test.mjs; run with: npx vitest run
import { ServiceBusClient } from '@azure/service-bus';
import { startEmulator } from 'jitney';
import { afterAll, beforeAll, expect, test } from 'vitest';

let emulator;
let client;
beforeAll(async () => {
  emulator = await startEmulator({ queues: ['orders'], topics: ['notices/mail'] });
  client = new ServiceBusClient(emulator.connectionString);
});
afterAll(async () => {
  await client?.close();
  await emulator?.stop();
});

/** The program under test: a notice for each order, and a dead letter for each one without an id. */
function processOrders() {
  const receiver = client.createReceiver('orders');
  const notices = client.createSender('notices');
  receiver.subscribe({
    async processMessage(message) {
      const { id } = message.body;
      if (id === undefined) await receiver.deadLetterMessage(message, { deadLetterReason: 'unreadable' });
      else await notices.sendMessages({ body: `order ${id}`, subject: 'placed' });
    },
    async processError({ error }) {
      console.error(error);
    },
  });
}

test('each order becomes a notice, or a dead letter', async () => {
  const orders = emulator.queue('orders');
  processOrders();
  await client.createSender('orders').sendMessages([{ body: { id: 7 } }, { body: {} }, { body: { id: 8 } }]);

  const notices = await emulator.subscription('notices', 'mail').waitFor(2);
  expect(notices.map(({ body }) => body)).toEqual(['order 7', 'order 8']);

  await emulator.idle();
  expect(await orders.deadLetters()).toMatchObject([{ body: {}, deadLetterReason: 'unreadable' }]);
  expect(await orders.counts()).toMatchObject({ active: 0, locked: 0, deadLetter: 1 });
});
