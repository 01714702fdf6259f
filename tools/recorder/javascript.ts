// One short scenario of @azure/service-bus for each thing it does, on the entities of the other languages' scenarios.

import assert from 'node:assert';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceBusClient, ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus';
import { connect } from '../../compat-tests/support/service-bus.js';

const { version } = createRequire(import.meta.url)('@azure/service-bus/package.json') as { version: string };
export const JAVASCRIPT_LIBRARY = `@azure/service-bus ${version} (npm)`;

const QUEUE = 'plain';
const SESSION_QUEUE = 'sessions';
const TOPIC = 'events';
const SCHEDULED_AHEAD_MS = 1500;
const NOTHING_COMES_MS = 300;
const SHORT_LOCK_MS = 2000;

/** Each on a connection of its own, as the programs of the other languages have it. */
const SCENARIOS: readonly ((client: ServiceBusClient) => Promise<void>)[] = [
  sendAndComplete,
  receiveAndDelete,
  settle,
  defer,
  schedule,
  renewAndPeek,
  useSession,
  useTopic,
  changeRules,
  failToFind,
  loseLocks,
];

export async function runJavaScript(connectionString: string): Promise<void> {
  for (const scenario of SCENARIOS) {
    await using client = connect(connectionString);
    await scenario(client);
  }
}

async function sendAndComplete(client: ServiceBusClient): Promise<void> {
  const sender = client.createSender(QUEUE);
  await sender.sendMessages({
    body: { text: 'hello', numbers: [1, 2.5, -3] },
    messageId: 'first',
    subject: 'greeting',
    contentType: 'application/json',
    correlationId: 'correlated',
    to: 'someone',
    replyTo: 'answers',
    timeToLive: 3_600_000,
    applicationProperties: { text: 'grün', whole: 7, half: 1.5, yes: true, when: new Date(0), nothing: null },
  });
  const batch = await sender.createMessageBatch();
  for (const messageId of ['second', 'third']) batch.tryAddMessage({ body: 'batched', messageId });
  await sender.sendMessages(batch);
  const receiver = client.createReceiver(QUEUE);
  for (const message of await receive(receiver, 3)) await receiver.completeMessage(message);
}

async function receiveAndDelete(client: ServiceBusClient): Promise<void> {
  await client.createSender(QUEUE).sendMessages([{ body: 'one' }, { body: Buffer.from('two') }]);
  const receiver = client.createReceiver(QUEUE, { receiveMode: 'receiveAndDelete' });
  await receive(receiver, 2);
  await receiver.receiveMessages(1, { maxWaitTimeInMs: NOTHING_COMES_MS });
}

async function settle(client: ServiceBusClient): Promise<void> {
  await client.createSender(QUEUE).sendMessages({ body: 'work', messageId: 'settled' });
  const receiver = client.createReceiver(QUEUE);
  await receiver.abandonMessage(await receiveOne(receiver), { attempt: 1 });
  await receiver.deadLetterMessage(await receiveOne(receiver), {
    deadLetterReason: 'broken',
    deadLetterErrorDescription: 'it does not work',
  });
  const dead = client.createReceiver(QUEUE, { subQueueType: 'deadLetter' });
  await dead.completeMessage(await receiveOne(dead));
}

/** Deferred messages have no link: they are settled by management requests. */
async function defer(client: ServiceBusClient): Promise<void> {
  await client.createSender(QUEUE).sendMessages([{ body: 'later' }, { body: 'much later' }]);
  const receiver = client.createReceiver(QUEUE);
  const messages = await receive(receiver, 2);
  for (const message of messages) await receiver.deferMessage(message);
  const numbers = messages.flatMap(({ sequenceNumber }) => sequenceNumber ?? []);
  const [first, second] = await receiver.receiveDeferredMessages(numbers);
  if (first === undefined || second === undefined) throw new Error('a deferred message is not there');
  await receiver.abandonMessage(first);
  await receiver.deadLetterMessage(second);
  const [again] = await receiver.receiveDeferredMessages(numbers[0] ?? []);
  if (again === undefined) throw new Error('the abandoned message is not there');
  await receiver.completeMessage(again);
}

async function schedule(client: ServiceBusClient): Promise<void> {
  const sender = client.createSender(QUEUE);
  const due = new Date(Date.now() + SCHEDULED_AHEAD_MS);
  const numbers = await sender.scheduleMessages([{ body: 'stays' }, { body: 'goes' }], due);
  await sender.cancelScheduledMessages(numbers[1] ?? []);
  const receiver = client.createReceiver(QUEUE);
  await receiver.completeMessage(await receiveOne(receiver));
}

async function renewAndPeek(client: ServiceBusClient): Promise<void> {
  await client.createSender(QUEUE).sendMessages([{ body: 'one' }, { body: 'two' }]);
  const receiver = client.createReceiver(QUEUE);
  await receiver.peekMessages(5);
  const messages = await receive(receiver, 2);
  await delay(5);
  for (const message of messages) {
    await receiver.renewMessageLock(message);
    await receiver.completeMessage(message);
  }
}

async function useSession(client: ServiceBusClient): Promise<void> {
  await client.createSender(SESSION_QUEUE).sendMessages({ body: 'in order', sessionId: 'customer' });
  const receiver = await client.acceptSession(SESSION_QUEUE, 'customer');
  await receiver.setSessionState(Buffer.from('half done'));
  await receiver.getSessionState();
  await receiver.renewSessionLock();
  await receiver.completeMessage(await receiveOne(receiver));
  await receiver.close();
  await client.createSender(SESSION_QUEUE).sendMessages({ body: 'next', sessionId: 'another' });
  const next = await client.acceptNextSession(SESSION_QUEUE);
  await next.completeMessage(await receiveOne(next));
}

async function useTopic(client: ServiceBusClient): Promise<void> {
  await client.createSender(TOPIC).sendMessages({ body: 'event', subject: 'red', sessionId: 'customer' });
  for (const subscription of ['all', 'red']) {
    const receiver = client.createReceiver(TOPIC, subscription);
    await receiver.completeMessage(await receiveOne(receiver));
  }
}

async function changeRules(client: ServiceBusClient): Promise<void> {
  const manager = client.createRuleManager(TOPIC, 'all');
  await manager.createRule('by-number', { sqlExpression: 'number > 5' });
  await manager.createRule('by-id', { correlationId: 'one', applicationProperties: { colour: 'red' } });
  for await (const _ of manager.listRules()) {
    // The listing is what is recorded.
  }
  for (const rule of ['by-number', 'by-id']) await manager.deleteRule(rule);
}

async function failToFind(client: ServiceBusClient): Promise<void> {
  const code = 'MessagingEntityNotFound';
  await assert.rejects(client.createSender('missing').sendMessages({ body: 'lost' }), { code });
  await assert.rejects(client.createReceiver('missing').receiveMessages(1), { code });
}

async function loseLocks(client: ServiceBusClient): Promise<void> {
  await client.createSender('short').sendMessages({ body: 'slow' });
  await client.createSender('short-sessions').sendMessages({ body: 'slow', sessionId: 'customer' });
  const unrenewed = { maxAutoLockRenewalDurationInMs: 0 };
  const receiver = client.createReceiver('short', unrenewed);
  const message = await receiveOne(receiver);
  const session = await client.acceptSession('short-sessions', 'customer', unrenewed);
  await delay(SHORT_LOCK_MS + 300);
  await assert.rejects(receiver.completeMessage(message), { code: 'MessageLockLost' });
  await assert.rejects(session.setSessionState('late'), { code: 'SessionLockLost' });
}

async function receiveOne(receiver: ServiceBusReceiver): Promise<ServiceBusReceivedMessage> {
  const [message] = await receive(receiver, 1);
  if (message === undefined) throw new Error('no message came');
  return message;
}

/** Exactly so many messages, however many calls it takes. */
async function receive(receiver: ServiceBusReceiver, count: number): Promise<ServiceBusReceivedMessage[]> {
  const messages: ServiceBusReceivedMessage[] = [];
  while (messages.length < count) {
    messages.push(...(await receiver.receiveMessages(count - messages.length)));
  }
  return messages;
}
