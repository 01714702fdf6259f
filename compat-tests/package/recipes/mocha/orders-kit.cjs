// orders-kit.cjs; run with: npx mocha orders-kit.cjs
const { emulatorForEachTest, expectEntity } = require('jitney/testing');

const bus = emulatorForEachTest({ queues: ['orders'] });

it('an order is there, and nothing else', async () => {
  await bus.client.createSender('orders').sendMessages({ body: { id: 7 }, subject: 'placed' });

  const orders = bus.emulator.queue('orders');
  await expectEntity(orders).toHaveMessages([{ subject: 'placed', body: { id: 7 } }]);
  await expectEntity(orders).toHaveMessages(1);
  await expectEntity(orders).not.toHaveDeadLetter();
});
