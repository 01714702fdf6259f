// Sends to and receives from a Jitney in a container, in its first namespace and in another one.

import { ServiceBusClient } from '@azure/service-bus';
import { JitneyContainer } from 'jitney/testcontainers';

const config = JSON.stringify({
  UserConfig: { Namespaces: [{ Name: 'sbemulatorns', Queues: [{ Name: 'orders' }] }] },
});
const container = await new JitneyContainer('jitney')
  .acceptLicense()
  .withConfig(config)
  .withEnvironment({ JITNEY_NAMESPACES: 'auto' })
  .start();
for (const connectionString of [container.getConnectionString(), container.getConnectionString('tests-1')]) {
  const client = new ServiceBusClient(connectionString);
  await client.createSender('orders').sendMessages({ body: 'hello' });
  const messages = await client.createReceiver('orders').peekMessages(10);
  console.log(messages.map(({ body }) => body).join());
  await client.close();
}
await container.stop();
