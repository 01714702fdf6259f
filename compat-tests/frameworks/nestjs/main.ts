// An application with the module of this folder: sends a message through the injected client, and receives it.

import 'reflect-metadata';
import { ServiceBusClient } from '@azure/service-bus';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ServiceBusModule } from './service-bus.module.js';

@Module({ imports: [ServiceBusModule] })
class Application {}

async function main() {
  const application = await NestFactory.createApplicationContext(Application, { logger: ['error'] });
  const client = application.get(ServiceBusClient);
  await client.createSender('queue.1').sendMessages({ body: 'hello' });
  const receiver = client.createReceiver('queue.1', { receiveMode: 'receiveAndDelete' });
  const [message] = await receiver.receiveMessages(1);
  console.log(message?.body);
  await application.close();
}

main();
