// orders-kit.test.js; run with: npx jest
const { emulatorForEachTest } = require('jitney/jest');

const bus = emulatorForEachTest({ queues: ['orders'] });

test('an order is there, and nothing else', async () => {
  await bus.client.createSender('orders').sendMessages({ body: { id: 7 }, subject: 'placed' });

  const orders = bus.emulator.queue('orders');
  await expect(orders).toHaveMessages([{ subject: 'placed', body: { id: 7 } }]);
  await expect(orders).toHaveMessages(1);
  await expect(orders).not.toHaveDeadLetter();
});
