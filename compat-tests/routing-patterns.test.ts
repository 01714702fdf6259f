// The four patterns of request and reply that messages are routed by: to one, to many, over one channel, and both at once.

import type { ServiceBusReceivedMessage, ServiceBusSender } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Emulator } from '../src/emulator.js';
import { importBuiltPackage } from './support/built-package.js';
import {
  bodyOf,
  type ClosingClient,
  connect,
  receiveAll,
  receiveOne,
  takeAll,
} from './support/service-bus.js';

let emulator: Emulator;
let client: ClosingClient;

beforeAll(async () => {
  const { startEmulator } = await importBuiltPackage();
  emulator = await startEmulator({
    queues: [
      'questions',
      'answers-of-one',
      'bids',
      'multiplexed?requiresSession=true',
      'shared-replies?requiresSession=true',
    ],
    topics: [
      'calls/north+south+east',
      {
        name: 'shared-calls',
        subscriptions: ['weather', 'prices'].map((name) => ({
          name,
          filter: { applicationProperties: { service: name } },
        })),
      },
    ],
  });
  client = connect(emulator.connectionString);
});

afterAll(async () => {
  await client.close();
  await emulator.stop();
});

/** As the article asks: to where the request says, with the request's id, and in the session that it names. */
async function reply(request: ServiceBusReceivedMessage, body: unknown): Promise<void> {
  const { messageId: correlationId, replyTo, replyToSessionId: sessionId } = request;
  if (replyTo === undefined || correlationId === undefined) throw new Error('no way to answer');
  const sender = client.createSender(replyTo);
  await sender.sendMessages({ body, correlationId, ...(sessionId !== undefined && { sessionId }) });
  await sender.close();
}

async function sendEach(sender: ServiceBusSender, count: number, sessionId: string): Promise<void> {
  for (let n = 0; n < count; n++) await sender.sendMessages({ body: n, sessionId });
}

describe.concurrent('routing', () => {
  test('request/reply: the answer goes to the queue that the request names, with its id [S4-20]', async () => {
    const messageId = 'question 1';
    await client.createSender('questions').sendMessages({ body: 6, messageId, replyTo: 'answers-of-one' });

    const service = client.createReceiver('questions');
    const question = await receiveOne(service);
    await reply(question, question.body * 7);
    await service.completeMessage(question);

    const [answer] = await takeAll(client, 'answers-of-one');
    expect(answer).toMatchObject({ body: 42, correlationId: messageId });
  });

  test('multicast request/reply: one call to a topic is answered by every subscriber [TOP-01, S4-20]', async () => {
    const messageId = 'call for bids';
    await client
      .createSender('calls')
      .sendMessages({ body: 'what would you pay?', messageId, replyTo: 'bids' });

    const subscribers = ['north', 'south', 'east'];
    for (const name of subscribers) {
      const receiver = client.createReceiver('calls', name);
      const call = await receiveOne(receiver);
      await reply(call, `${name} bids`);
      await receiver.completeMessage(call);
    }

    const bids = await takeAll(client, 'bids');
    expect(bids.map(bodyOf)).toEqual(subscribers.map((name) => `${name} bids`));
    expect(bids.map(({ correlationId }) => correlationId)).toEqual(subscribers.map(() => messageId));
  });

  test('multiplexing: streams share one queue, and each is received alone and in order [SES-05, S4-20]', async () => {
    const streams = ['a', 'b', 'c'];
    const sender = client.createSender('multiplexed');
    await Promise.all(streams.map((stream) => sendEach(sender, 10, stream)));

    for (const stream of streams) {
      const receiver = await client.acceptSession('multiplexed', stream);
      const messages = await receiveAll(receiver, 10);
      expect(messages.map(bodyOf)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(new Set(messages.map(({ sessionId }) => sessionId))).toEqual(new Set([stream]));
      for (const message of messages) await receiver.completeMessage(message);
      await receiver.close();
    }
  });

  test('multiplexed request/reply: requesters of several services share one reply queue, each waits in its own session [SES-06, S4-20]', async () => {
    const requesters = ['r1', 'r2', 'r3'];
    const waiting = await Promise.all(requesters.map((name) => client.acceptSession('shared-replies', name)));
    const sender = client.createSender('shared-calls');
    for (const requester of requesters) {
      for (const service of ['weather', 'prices']) {
        await sender.sendMessages({
          body: requester,
          messageId: `${service} for ${requester}`,
          applicationProperties: { service },
          replyTo: 'shared-replies',
          replyToSessionId: requester,
        });
      }
    }
    for (const service of ['weather', 'prices']) {
      const receiver = client.createReceiver('shared-calls', service);
      for (const request of await receiveAll(receiver, requesters.length)) {
        await reply(request, `${service} to ${request.body}`);
        await receiver.completeMessage(request);
      }
    }

    for (const [index, receiver] of waiting.entries()) {
      const name = requesters[index];
      const answers = await receiveAll(receiver, 2);
      expect(answers.map(({ body, correlationId }) => [body, correlationId])).toEqual([
        [`weather to ${name}`, `weather for ${name}`],
        [`prices to ${name}`, `prices for ${name}`],
      ]);
      for (const answer of answers) await receiver.completeMessage(answer);
      await receiver.close();
    }
    expect(await client.createReceiver('shared-replies').peekMessages(1)).toEqual([]);
  });
});
