// orders-kit.test.mjs; run with: node --test
import { test } from 'node:test';
import { ServiceBusClient } from '@azure/service-bus';
import { emulatorForEachTest, expectEntity } from 'jitney/testing';

const bus = emulatorForEachTest({ queues: ['orders'], ServiceBusClient });

test('an order is there, and nothing else', async () => {
  await bus.client.createSender('orders').sendMessages({ body: { id: 7 }, subject: 'placed' });

  const orders = bus.emulator.queue('orders');
  await expectEntity(orders).toHaveMessages([{ subject: 'placed', body: { id: 7 } }]);
  await expectEntity(orders).toHaveMessages(1);
  await expectEntity(orders).not.toHaveDeadLetter();
});
