// orders.cjs; run with: npx mocha orders.cjs
const assert = require('node:assert/strict');
const { ServiceBusClient } = require('@azure/service-bus');
const { startEmulator } = require('jitney');

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

it('an order comes out as it went in', async () => {
  await client.createSender('orders').sendMessages({ body: { id: 7 } });
  const receiver = client.createReceiver('orders', { receiveMode: 'receiveAndDelete' });
  const [message] = await receiver.receiveMessages(1);
  assert.deepEqual(message.body, { id: 7 });
});
