// What users write with sessions, each program in a few lines of our own, run by the official SDK against the built product.

import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isServiceBusError, type ServiceBusSessionReceiver } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from '../support/jitney.js';
import { RunningProcess } from '../support/running-process.js';
import { type ClosingClient, connect, receiveOne, sendBodies } from '../support/service-bus.js';
import { until } from '../support/until.js';

const QUEUES = ['scientists', 'baskets', 'rounds', 'steps', 'crashes'];
const HOLD_AND_WAIT = `
  import { ServiceBusClient } from '@azure/service-bus';
  const client = new ServiceBusClient(process.env.SERVICEBUS_CONNECTION_STRING);
  const receiver = await client.acceptSession('crashes', 'mine');
  const [message] = await receiver.receiveMessages(1);
  console.log('holds', receiver.sessionId, 'with', message.body);
  setInterval(() => {}, 1000);`;

let jitney: Jitney;
let client: ClosingClient;

beforeAll(async () => {
  jitney = await Jitney.start({ queues: QUEUES.map((queue) => `${queue}?requiresSession=true`) });
  client = connect(jitney.connectionString);
});

afterAll(async () => {
  await client.close();
  await jitney.stop();
});

function send(queue: string, sessionId: string, bodies: readonly unknown[]): Promise<void> {
  return sendBodies(client, queue, bodies, { sessionId });
}

describe.concurrent('programs with sessions', () => {
  test('a subscribed handler processes one session after the other and completes the messages it finishes [SES-05]', async () => {
    const inOrder = ['first', 'second', 'third', 'fourth', 'fifth'];
    for (const sessionId of ['session-1', 'session-2']) await send('scientists', sessionId, inOrder);
    for (const sessionId of ['session-1', 'session-2']) {
      const receiver = await client.acceptSession('scientists', sessionId);
      const received: unknown[] = [];
      receiver.subscribe({
        processMessage: async (message) => void received.push(message.body),
        processError: async () => {},
      });
      await until('five messages', () => received.length === inOrder.length);
      await receiver.close();
      expect(received).toEqual(inOrder);
    }
    expect(await client.createReceiver('scientists').peekMessages(1)).toEqual([]);
  });

  test('a shopping basket is kept as session state from event to event, with its session closed in between [SES-15]', async () => {
    await send('baskets', 'alice', ['milk', 'bread', 'checkout']);
    await send('baskets', 'bob', ['pencil', 'paper']);
    const baskets: unknown[] = [];
    for (const customer of ['alice', 'bob', 'alice', 'bob', 'alice']) {
      baskets.push([customer, await processOne(customer)]);
    }
    expect(baskets).toEqual([
      ['alice', ['milk']],
      ['bob', ['pencil']],
      ['alice', ['milk', 'bread']],
      ['bob', ['pencil', 'paper']],
      ['alice', null],
    ]);
  });

  test('eight receivers share twenty sessions, each taking the next one when its own is quiet [SES-07, SES-08]', async () => {
    const sessionIds = Array.from({ length: 20 }, (_, index) => `session ${index}`);
    for (const sessionId of sessionIds) await send('rounds', sessionId, [1, 2, 3]);
    const received = new Map<string, unknown[]>(sessionIds.map((sessionId) => [sessionId, []]));
    await using impatient = connect(jitney.connectionString, {
      retryOptions: { timeoutInMs: 1500, maxRetries: 0 },
    });
    await Promise.all(Array.from({ length: 8 }, () => goRound(impatient, received)));
    expect([...received.values()]).toEqual(sessionIds.map(() => [1, 2, 3]));
  });

  test('a workflow whose worker stops half-way continues at another worker where its state says [SES-14, SES-15]', async () => {
    await send('steps', 'order 7', ['pack', 'label', 'ship']);
    const done: string[] = [];
    const stopping = connect(jitney.connectionString);
    await takeSteps(await stopping.acceptNextSession('steps'), { done, stopAfter: 2 });
    await stopping.close();
    await takeSteps(await client.acceptNextSession('steps'), { done, stopAfter: 3 });
    expect(done).toEqual(['1 pack', '2 label', '3 ship']);
  });

  test('the session of a worker that is killed is free at once, and nothing is counted [SES-14, LNK-05, X12]', async () => {
    await send('crashes', 'mine', ['kept']);
    const worker = new RunningProcess(['--input-type=module', '--eval', HOLD_AND_WAIT], {
      env: { SERVICEBUS_CONNECTION_STRING: jitney.connectionString },
      workingDirectory: fileURLToPath(new URL('.', import.meta.url)),
    });
    await worker.printed('holds mine with kept', 20_000);
    await expect(client.acceptSession('crashes', 'mine')).rejects.toMatchObject({
      code: 'SessionCannotBeLocked',
    });
    worker.signal('SIGKILL');
    const receiver = await client.acceptNextSession('crashes');
    const message = await receiveOne(receiver);
    expect([receiver.sessionId, message.body, message.deliveryCount]).toEqual(['mine', 'kept', 0]);
    await receiver.close();
  });
});

/** The basket after the customer's next event; null after the checkout. */
async function processOne(customer: string): Promise<unknown> {
  const receiver = await client.acceptSession('baskets', customer);
  const event = await receiveOne(receiver);
  const basket = (await receiver.getSessionState()) ?? [];
  await receiver.setSessionState(event.body === 'checkout' ? null : [...basket, event.body]);
  await receiver.completeMessage(event);
  const after = await receiver.getSessionState();
  await receiver.close();
  return after;
}

/** Until no session is left to take. */
async function goRound(from: ClosingClient, received: ReadonlyMap<string, unknown[]>): Promise<void> {
  for (;;) {
    let receiver: ServiceBusSessionReceiver;
    try {
      receiver = await from.acceptNextSession('rounds');
    } catch (error) {
      if (isServiceBusError(error) && error.code === 'ServiceTimeout') return;
      throw error;
    }
    let lastAt = Date.now();
    receiver.subscribe({
      processMessage: async ({ body, sessionId = '' }) => {
        received.get(sessionId)?.push(body);
        lastAt = Date.now();
      },
      processError: async () => {},
    });
    while (Date.now() - lastAt < 200) await delay(20);
    await receiver.close();
  }
}

/** The state counts the steps that are done. */
async function takeSteps(
  receiver: ServiceBusSessionReceiver,
  { done, stopAfter }: { readonly done: string[]; readonly stopAfter: number },
): Promise<void> {
  for (;;) {
    const doneCount: number = (await receiver.getSessionState()) ?? 0;
    if (doneCount === stopAfter) return;
    const step = await receiveOne(receiver);
    done.push(`${doneCount + 1} ${step.body}`);
    await receiver.setSessionState(doneCount + 1);
    await receiver.completeMessage(step);
  }
}
