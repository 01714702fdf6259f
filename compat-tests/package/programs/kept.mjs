// Sends a message to an emulator in this process that keeps it in a directory, and receives it.

import { ServiceBusClient } from '@azure/service-bus';
import { startEmulator } from 'jitney';

const emulator = await startEmulator({ queues: ['orders'], dataDirectory: 'data' });
const client = new ServiceBusClient(emulator.connectionString);
await client.createSender('orders').sendMessages({ body: 'kept' });
const [message] = await client.createReceiver('orders').receiveMessages(1);
console.log(`received ${message.body}`);
await client.close();
await emulator.stop();
