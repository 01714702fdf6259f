// orders.test.mjs; run with: npx vitest run
import { ServiceBusClient } from '@azure/service-bus';
import { startEmulator } from 'jitney';
import { afterAll, beforeAll, expect, test } from 'vitest';

let emulator;
let client;
beforeAll(async () => {
  emulator = await startEmulator({ queues: ['orders'] });
  client = new ServiceBusClient(emulator.connectionString);
});
afterAll(async () => {
  await client?.close();
  await emulator?.stop();
});

test('an order comes out as it went in', async () => {
  await client.createSender('orders').sendMessages({ body: { id: 7 } });
  const receiver = client.createReceiver('orders', { receiveMode: 'receiveAndDelete' });
  const [message] = await receiver.receiveMessages(1);
  expect(message.body).toEqual({ id: 7 });
});
