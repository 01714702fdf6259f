// `npm run demo`: a short tour of a queue's life with the official SDK, told as it happens.

import { styleText } from 'node:util';
import type { ServiceBusClient, ServiceBusReceivedMessage } from '@azure/service-bus';
import { Jitney } from './support/jitney.js';
import { connect, only, takeAll } from './support/service-bus.js';

const QUEUE = 'orders';
const MAX_DELIVERY_COUNT = 3;
const BATCH_COUNT = 100;
const WAIT = { maxWaitTimeInMs: 5000 };

process.exitCode = await main().catch((error: unknown) => {
  console.error(`\n  ${styled('red', 'The demo did not go as expected:')} ${describe(error)}\n`);
  return 1;
});

async function main(): Promise<number> {
  const startedAt = performance.now();
  console.log(`\n  ${styled('bold', 'Jitney: Azure Service Bus on your own machine')}`);
  console.log(`  ${styled('dim', 'Every line below is the official @azure/service-bus SDK at work.')}\n`);
  await using jitney = await Jitney.start({ queues: [`${QUEUE}?maxDeliveryCount=${MAX_DELIVERY_COUNT}`] });
  tell(
    'start',
    `up on ${jitney.address.host}:${jitney.address.port}, queue "${QUEUE}", in memory`,
    startedAt,
  );
  {
    await using client = connect(jitney.connectionString);
    await sendMessages(client);
    await receiveAndComplete(client);
    await abandonUntilDeadLettered(client);
    await lookIntoTheDeadLetterQueue(client);
  }
  const stoppingAt = performance.now();
  expectEqual((await jitney.stop()).code, 0, 'exit code of Jitney');
  tell('stop', 'Jitney said goodbye with exit code 0', stoppingAt);
  console.log(`\n  ${styled('green', '✓')} All as it would be in Azure, in ${sinceMs(startedAt)}.`);
  console.log(
    `  ${styled('dim', 'Your turn: npm start, and give your client the connection string it shows.')}\n`,
  );
  return 0;
}

async function sendMessages(client: ServiceBusClient): Promise<void> {
  const sender = client.createSender(QUEUE);
  const arrayAt = performance.now();
  await sender.sendMessages(['bread', 'butter', 'jam'].map((body) => ({ body, subject: 'breakfast' })));
  tell('send', '3 messages as an array', arrayAt);

  const batchAt = performance.now();
  const batch = await sender.createMessageBatch();
  for (let number = 1; number <= BATCH_COUNT; number++) {
    if (!batch.tryAddMessage({ body: { order: number }, subject: 'order' })) {
      throw new Error(`the batch was full after ${batch.count} messages`);
    }
  }
  await sender.sendMessages(batch);
  tell('send', `${batch.count} messages as one batch of ${batch.sizeInBytes} bytes`, batchAt);
  await sender.close();
}

async function receiveAndComplete(client: ServiceBusClient): Promise<void> {
  const startedAt = performance.now();
  const expectedCount = 3 + BATCH_COUNT - 1;
  const receiver = client.createReceiver(QUEUE);
  const received: ServiceBusReceivedMessage[] = [];
  while (received.length < expectedCount) {
    const messages = await receiver.receiveMessages(expectedCount - received.length, WAIT);
    expectEqual(messages.length > 0, true, `more than ${received.length} messages received`);
    await Promise.all(messages.map((message) => receiver.completeMessage(message)));
    received.push(...messages);
  }
  await receiver.close();
  const numbers = received.map((message) => Number(message.sequenceNumber));
  expectEqual(numbers.join(), numbers.map((_, index) => index + 1).join(), 'sequence numbers in order');
  tell(
    'receive',
    `${received.length} messages in order, number 1 to ${numbers.at(-1)}, each completed`,
    startedAt,
  );
}

async function abandonUntilDeadLettered(client: ServiceBusClient): Promise<void> {
  const receiver = client.createReceiver(QUEUE);
  for (let attempt = 1; attempt <= MAX_DELIVERY_COUNT; attempt++) {
    const attemptAt = performance.now();
    const message = only(await receiver.receiveMessages(1, WAIT));
    expectEqual(message.deliveryCount, attempt - 1, 'delivery count');
    await receiver.abandonMessage(message);
    tell(
      'abandon',
      `message ${message.sequenceNumber}, attempt ${attempt} of ${MAX_DELIVERY_COUNT}`,
      attemptAt,
    );
  }
  await receiver.close();
  expectEqual((await takeAll(client, QUEUE)).length, 0, 'messages left in the queue');
}

async function lookIntoTheDeadLetterQueue(client: ServiceBusClient): Promise<void> {
  const startedAt = performance.now();
  const receiver = client.createReceiver(QUEUE, { subQueueType: 'deadLetter' });
  const message = only(await receiver.receiveMessages(1, WAIT));
  expectEqual(message.deadLetterReason, 'MaxDeliveryCountExceeded', 'dead-letter reason');
  await receiver.completeMessage(message);
  await receiver.close();
  tell(
    'dead letter',
    `message ${message.sequenceNumber} with body ${JSON.stringify(message.body)} was put aside:`,
    startedAt,
  );
  note(`${message.deadLetterReason}: ${message.deadLetterErrorDescription}`);
  expectEqual(
    (await takeAll(client, QUEUE, 'deadLetter')).length,
    0,
    'messages left in the dead-letter queue',
  );
  note('Nothing is left: 0 messages in the queue, 0 in the dead-letter queue.');
}

function tell(what: string, sentence: string, startedAt: number): void {
  const time = styled('dim', sinceMs(startedAt).padStart(7));
  console.log(`  ${styled('cyan', what.padEnd(12))} ${time}   ${sentence}`);
}

function note(sentence: string): void {
  console.log(`  ${' '.repeat(12)} ${' '.repeat(7)}   ${styled('yellow', sentence)}`);
}

function sinceMs(startedAt: number): string {
  return `${Math.round(performance.now() - startedAt)} ms`;
}

function expectEqual(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected) {
    throw new Error(`${what}: expected ${expected}, but it is ${actual}`);
  }
}

function styled(format: Parameters<typeof styleText>[0], text: string): string {
  const isPlain = !process.stdout.isTTY || process.env.NO_COLOR !== undefined;
  return isPlain ? text : styleText(format, text);
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
