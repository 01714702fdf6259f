// What runs in the browser: sends a message and receives it, as a page of a user would.

import { ServiceBusClient } from '@azure/service-bus';

/** The body that came back. */
async function sendAndReceive(connectionString: string, body: string): Promise<unknown> {
  const client = new ServiceBusClient(connectionString);
  await client.createSender('orders').sendMessages({ body });
  const receiver = client.createReceiver('orders');
  const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 10_000 });
  if (message !== undefined) await receiver.completeMessage(message);
  await client.close();
  return message?.body;
}

Object.assign(globalThis, { sendAndReceive });
