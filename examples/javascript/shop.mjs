// A small shop on Azure Service Bus.
import { ServiceBusClient } from '@azure/service-bus';

// region: place
/** Puts orders into the queue, each as JSON: an id, and whether it is paid. */
export async function placeOrders(client, orders) {
  const sender = client.createSender('orders');
  await sender.sendMessages(orders.map((order) => ({ body: order, contentType: 'application/json' })));
  await sender.close();
}
// endregion

// region: receive
/** Waits for the next message. */
async function receive(receiver) {
  const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 10_000 });
  if (message === undefined) throw new Error(`${receiver.entityPath}: no message has come in 10 seconds`);
  return message;
}
// endregion

// region: process
/** Makes an event of each order. One without an id becomes a dead letter. */
export async function processOrders(client, count) {
  const receiver = client.createReceiver('orders');
  const sender = client.createSender('order-events');
  for (let taken = 0; taken < count; taken++) {
    const message = await receive(receiver);
    const { id, paid } = message.body;
    if (id === undefined) {
      await receiver.deadLetterMessage(message, {
        deadLetterReason: 'unreadable',
        deadLetterErrorDescription: 'the order has no id',
      });
      console.log('an order is dead-lettered');
      continue;
    }
    await sender.sendMessages({ body: { id }, subject: paid ? 'paid' : 'unpaid' });
    await receiver.completeMessage(message);
    console.log(`order ${id} is processed`);
  }
  await sender.close();
  await receiver.close();
}
// endregion

// region: mend
/** Looks at a dead letter, and places its order again, now with an id. */
export async function mendOrder(client, id) {
  const receiver = client.createReceiver('orders', { subQueueType: 'deadLetter' });
  const message = await receive(receiver);
  console.log(`dead letter: ${message.deadLetterReason}, ${message.deadLetterErrorDescription}`);
  await placeOrders(client, [{ ...message.body, id }]);
  await receiver.completeMessage(message);
  await receiver.close();
  console.log(`order ${id} is placed again`);
}
// endregion

// region: events
/** Takes events from a subscription. */
export async function readEvents(client, subscription, count) {
  const receiver = client.createReceiver('order-events', subscription);
  const events = [];
  while (events.length < count) {
    const message = await receive(receiver);
    events.push(`order ${message.body.id} is ${message.subject}`);
    await receiver.completeMessage(message);
  }
  await receiver.close();
  return events;
}
// endregion

// region: session
/** Sends each step into the session of its customer. */
export async function sendSteps(client, steps) {
  const sender = client.createSender('customers');
  await sender.sendMessages(steps.map(([customer, step]) => ({ body: step, sessionId: customer })));
  await sender.close();
}

/** Takes the steps of one customer. Nobody else gets any of them meanwhile. */
export async function serveCustomer(client, customer, count) {
  const receiver = await client.acceptSession('customers', customer);
  const steps = [];
  while (steps.length < count) {
    const message = await receive(receiver);
    steps.push(message.body);
    await receiver.completeMessage(message);
  }
  await receiver.close();
  return steps;
}
// endregion

async function main() {
  const client = new ServiceBusClient(process.env.SERVICEBUS_CONNECTION_STRING);
  await placeOrders(client, [{ id: 1, paid: true }, { id: 2, paid: false }, { paid: true }]);
  await processOrders(client, 3);
  await mendOrder(client, 3);
  await processOrders(client, 1);
  for (const event of await readEvents(client, 'audit', 3)) console.log(`audit: ${event}`);
  for (const event of await readEvents(client, 'mail', 2)) console.log(`mail: ${event}`);
  await sendSteps(client, [
    ['anna', 'registers'],
    ['ben', 'registers'],
    ['anna', 'orders'],
    ['anna', 'pays'],
  ]);
  for (const step of await serveCustomer(client, 'anna', 3)) console.log(`anna ${step}`);
  for (const step of await serveCustomer(client, 'ben', 1)) console.log(`ben ${step}`);
  await client.close();
}

if (process.argv[1] === import.meta.filename) await main();
