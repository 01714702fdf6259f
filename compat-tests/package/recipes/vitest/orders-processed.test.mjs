// orders-processed.test.mjs; run with: npx vitest run
import { ServiceBusClient } from '@azure/service-bus';
import { startEmulator } from 'jitney';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let emulator;
let client;
beforeAll(async () => {
  emulator = await startEmulator({ queues: ['orders', 'bills'] });
  client = new ServiceBusClient(emulator.connectionString);
  billOrders(client);
});
beforeEach(() => emulator.reset());
afterAll(async () => {
  await client?.close();
  await emulator?.stop();
});

test('each order gets a bill', async () => {
  await emulator.queue('orders').send([{ body: 7 }, { body: 8 }]);
  const bills = await emulator.queue('bills').waitFor(2);
  expect(bills.map(({ body }) => body)).toEqual(['order 7', 'order 8']);

  await emulator.idle();
  expect(await emulator.queue('orders').counts()).toMatchObject({ active: 0, locked: 0 });
});

/** The program under test. */
function billOrders(client) {
  const bills = client.createSender('bills');
  client.createReceiver('orders').subscribe({
    processMessage: ({ body }) => bills.sendMessages({ body: `order ${body}` }),
    processError: async ({ error }) => console.error(error),
  });
}
