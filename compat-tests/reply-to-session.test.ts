// Request and reply over two queues: the replies of many requesters share one queue, each requester's in a session of its own.

import type { ServiceBusReceivedMessage, ServiceBusSessionReceiver } from '@azure/service-bus';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import { type ClosingClient, connect, receiveAll } from './support/service-bus.js';

const REQUESTS = 'requests';
const REPLIES = 'replies';
const QUESTIONS = [1, 2, 3, 4, 5];

let jitney: Jitney;
let service: ClosingClient;

beforeAll(async () => {
  jitney = await Jitney.start({ queues: [REQUESTS, `${REPLIES}?requiresSession=true`] });
  service = connect(jitney.connectionString);
});

afterAll(async () => {
  await service.close();
  await jitney.stop();
});

/** Answers each question with its square, to wherever the question says. */
function serve(): void {
  const replies = service.createSender(REPLIES);
  service.createReceiver(REQUESTS).subscribe(
    {
      processMessage: async ({ body, messageId, replyTo, replyToSessionId }) => {
        if (replyTo !== REPLIES || !replyToSessionId || !messageId) throw new Error('no way to answer');
        await replies.sendMessages({
          body: body ** 2,
          correlationId: messageId,
          sessionId: replyToSessionId,
        });
      },
      processError: async () => {},
    },
    { maxConcurrentCalls: 4 },
  );
}

/** Opens its session before it has asked anything, so that no answer can be missed. */
async function ask(name: string, questions: readonly number[]): Promise<ServiceBusReceivedMessage[]> {
  await using client = connect(jitney.connectionString);
  const answers: ServiceBusSessionReceiver = await client.acceptSession(REPLIES, name);
  const sender = client.createSender(REQUESTS);
  for (const question of questions) {
    const messageId = `${name} asks ${question}`;
    await sender.sendMessages({ body: question, messageId, replyTo: REPLIES, replyToSessionId: name });
  }
  const received = await receiveAll(answers, questions.length);
  for (const message of received) await answers.completeMessage(message);
  return received;
}

test('two requesters share one reply queue by replyToSessionId, and each gets only its own answers [SES-06, S4-20]', async () => {
  serve();
  const names = ['north', 'south'];
  const answered = await Promise.all(names.map((name) => ask(name, QUESTIONS)));

  for (const [index, name] of names.entries()) {
    const answers = answered[index]?.map(({ correlationId, body }) => [correlationId, body]) ?? [];
    expect(new Map(answers as [string, number][])).toEqual(
      new Map(QUESTIONS.map((question) => [`${name} asks ${question}`, question ** 2])),
    );
    expect(answered[index]).toHaveLength(QUESTIONS.length);
  }
  expect(await service.createReceiver(REPLIES).peekMessages(1)).toEqual([]);
});
