// orders-kit.test.mjs; run with: npx vitest run
import { emulatorTest } from 'jitney/vitest';
import { expect } from 'vitest';

const test = emulatorTest({ queues: ['orders'], topics: ['notices/mail'] });

test('each order becomes a notice, or a dead letter', async ({ emulator, client }) => {
  processOrders(client);
  const orders = emulator.queue('orders');
  await orders.send([{ body: { id: 7 } }, { body: {} }]);

  const mail = emulator.subscription('notices', 'mail');
  await expect(mail).toHaveMessages([{ body: 'order 7' }], { timeoutMs: 5000 });
  await expect(orders).toHaveDeadLetter({ reason: 'unreadable', body: {} });
  await expect(orders).toHaveBeenCompleted({ body: { id: 7 } });
  await expect(orders).toBeEmpty();
});

/** The program under test. */
function processOrders(client) {
  const receiver = client.createReceiver('orders');
  const notices = client.createSender('notices');
  receiver.subscribe({
    async processMessage(message) {
      const { id } = message.body;
      if (id === undefined) await receiver.deadLetterMessage(message, { deadLetterReason: 'unreadable' });
      else await notices.sendMessages({ body: `order ${id}` });
    },
    async processError({ error }) {
      console.error(error);
    },
  });
}
