// Sends a message to the emulator that the environment names, and receives it.

import { ServiceBusClient } from '@azure/service-bus';

const client = new ServiceBusClient(process.env.SERVICEBUS_CONNECTION_STRING);
await client.createSender('orders').sendMessages({ body: 'from a client' });
const [message] = await client.createReceiver('orders').receiveMessages(1);
console.log(`received ${message.body}`);
await client.close();
