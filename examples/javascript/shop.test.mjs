// The tests of the shop: each has an emulator of its own.
import { fileURLToPath } from 'node:url';
import { emulatorTest } from 'jitney/vitest';
import { expect } from 'vitest';
import { mendOrder, placeOrders, processOrders, readEvents, sendSteps, serveCustomer } from './shop.mjs';

const test = emulatorTest({ configFile: fileURLToPath(new URL('../Config.json', import.meta.url)) });

// region: test
test('all events reach audit, and those of paid orders reach mail', async ({ client, emulator }) => {
  await placeOrders(client, [
    { id: 1, paid: true },
    { id: 2, paid: false },
    { id: 3, paid: true },
  ]);
  await processOrders(client, 3);
  const events = ['order 1 is paid', 'order 2 is unpaid', 'order 3 is paid'];
  expect(await readEvents(client, 'audit', 3)).toEqual(events);
  const mail = emulator.subscription('order-events', 'mail');
  await expect(mail).toHaveMessages(2);
  await expect(mail).toHaveMessages([{ body: { id: 1 } }, { body: { id: 3 } }]);
});
// endregion

// region: dead-letter test
test('an order without an id is dead-lettered, mended and processed', async ({ client, emulator }) => {
  const orders = emulator.queue('orders');
  await placeOrders(client, [{ paid: true }]);
  await processOrders(client, 1);
  await expect(orders).toHaveDeadLetter({ reason: 'unreadable', description: 'the order has no id' });

  await mendOrder(client, 3);
  await expect(orders).not.toHaveDeadLetter();
  await processOrders(client, 1);
  const mail = emulator.subscription('order-events', 'mail');
  await expect(mail).toHaveMessages([{ body: { id: 3 }, subject: 'paid' }]);
});
// endregion

test('the steps of a customer come in order', async ({ client }) => {
  await sendSteps(client, [
    ['anna', 'registers'],
    ['ben', 'registers'],
    ['anna', 'orders'],
    ['anna', 'pays'],
  ]);
  expect(await serveCustomer(client, 'anna', 3)).toEqual(['registers', 'orders', 'pays']);
  expect(await serveCustomer(client, 'ben', 1)).toEqual(['registers']);
});
