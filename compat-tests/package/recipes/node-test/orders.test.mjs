// orders.test.mjs; run with: node --test
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ServiceBusClient } from '@azure/service-bus';
import { startEmulator } from 'jitney';

let emulator;
let client;
before(async () => {
  emulator = await startEmulator({ queues: ['orders'] });
  client = new ServiceBusClient(emulator.connectionString);
});
after(async () => {
  await client?.close();
  await emulator?.stop();
});

test('an order comes out as it went in', async () => {
  await client.createSender('orders').sendMessages({ body: { id: 7 } });
  const receiver = client.createReceiver('orders', { receiveMode: 'receiveAndDelete' });
  const [message] = await receiver.receiveMessages(1);
  assert.deepEqual(message.body, { id: 7 });
});
