// Sessions as a receiver sees them: accepted by id or the next one, held by one receiver at a time, given up or lost.

import { setTimeout as delay } from 'node:timers/promises';
import type {
  ProcessErrorArgs,
  ServiceBusReceivedMessage,
  ServiceBusSessionReceiver,
} from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import {
  type ClosingClient,
  connect,
  only,
  receiveAll,
  receiveOne,
  sendBodies,
} from './support/service-bus.js';
import { until } from './support/until.js';

const LOCK_MS = 2000;
const LASTING = ['by-id', 'waiting', 'in-vain', 'held', 'parallel', 'left'];
const SHORT = ['self-renewed', 'lapsing'];
/** Each test looks after its locks itself. */
const NO_RENEWAL = { maxAutoLockRenewalDurationInMs: 0 };
const CANNOT_BE_LOCKED = { name: 'ServiceBusError', code: 'SessionCannotBeLocked' };
const LOCK_LOST = { name: 'ServiceBusError', code: 'SessionLockLost' };
/** Long enough to see that something does not happen. */
const A_WHILE_MS = 300;

let jitney: Jitney;
let client: ClosingClient;
/** Gives up on a session after a second and a half, and does not try again. */
let impatient: ClosingClient;

beforeAll(async () => {
  jitney = await Jitney.start({
    queues: [
      ...LASTING.map((name) => `${name}?requiresSession=true`),
      ...SHORT.map((name) => `${name}?requiresSession=true&lockDuration=PT2S&maxDeliveryCount=3`),
    ],
  });
  client = connect(jitney.connectionString);
  impatient = connect(jitney.connectionString, { retryOptions: { timeoutInMs: 1500, maxRetries: 0 } });
});

afterAll(async () => {
  await Promise.all([client.close(), impatient.close()]);
  await jitney.stop();
});

function send(queue: string, sessionId: string, bodies: readonly unknown[]): Promise<void> {
  return sendBodies(client, queue, bodies, { sessionId });
}

function accept(queue: string, sessionId: string): Promise<ServiceBusSessionReceiver> {
  return client.acceptSession(queue, sessionId, NO_RENEWAL);
}

describe.concurrent('sessions', () => {
  test('a session is accepted by its id before it has messages, for a lock duration [SES-06, SES-10, X3, X8]', async () => {
    const receiver = await accept('by-id', 'to come');
    expect(receiver.sessionId).toBe('to come');
    const lockMs = receiver.sessionLockedUntilUtc.getTime() - Date.now();
    expect(lockMs).toBeGreaterThan(50_000);
    expect(lockMs).toBeLessThanOrEqual(60_000);

    const coming = receiver.receiveMessages(1);
    await send('by-id', 'another', ['not this']);
    await send('by-id', 'to come', ['this']);
    const message = only(await coming);
    expect([message.body, message.sessionId]).toEqual(['this', 'to come']);
    await receiver.completeMessage(message);
    await receiver.close();
  });

  test('accepting the next session waits for one that has messages [SES-07, X1]', async () => {
    let isAccepted = false;
    const accepting = client.acceptNextSession('waiting').finally(() => {
      isAccepted = true;
    });
    await delay(A_WHILE_MS);
    expect(isAccepted).toBe(false);
    await send('waiting', 'new', ['welcome']);
    const receiver = await accepting;
    expect(receiver.sessionId).toBe('new');
    expect((await receiveOne(receiver)).body).toBe('welcome');
    await receiver.close();
  });

  test('a client that waits in vain for a session gets an error in time, and holds no later session [SES-09, X6]', async () => {
    const startedAt = performance.now();
    await expect(impatient.acceptNextSession('in-vain')).rejects.toMatchObject({ code: 'ServiceTimeout' });
    expect(performance.now() - startedAt).toBeLessThan(5000);
    await send('in-vain', 'late', ['still free']);
    const receiver = await accept('in-vain', 'late');
    expect((await receiveOne(receiver)).body).toBe('still free');
    await receiver.close();
  });

  test('a held session is refused to all others until it is given up [SES-04, SES-06, X5, X12]', async () => {
    await send('held', 'wanted', ['x']);
    const holder = await accept('held', 'wanted');
    await using stranger = connect(jitney.connectionString);
    await expect(client.acceptSession('held', 'wanted')).rejects.toMatchObject(CANNOT_BE_LOCKED);
    await expect(stranger.acceptSession('held', 'wanted')).rejects.toMatchObject(CANNOT_BE_LOCKED);
    expect((await receiveOne(holder)).body).toBe('x');
    await holder.close();
    const next = await stranger.acceptSession('held', 'wanted');
    expect((await receiveOne(next)).body).toBe('x');
  });

  test('subscribed receivers process sessions in parallel, each in its order [SES-04, SES-05]', async () => {
    const bodies = [0, 1, 2, 3, 4];
    const seen = new Map<string, unknown[]>();
    for (const sessionId of ['left', 'right']) await send('parallel', sessionId, bodies);
    for (const sessionId of ['left', 'right']) {
      seen.set(sessionId, []);
      (await accept('parallel', sessionId)).subscribe({
        processMessage: async (message) => void seen.get(sessionId)?.push(message.body),
        processError: async () => {},
      });
    }
    await until('ten deliveries', () => [...seen.values()].flat().length === 10);
    expect([...seen.values()]).toEqual([bodies, bodies]);
  });

  test('a receiver that is closed frees its session and messages at once, and nothing is counted [SES-14, X12]', async () => {
    await send('left', 'mine', ['one', 'two']);
    const first = await accept('left', 'mine');
    await receiveAll(first, 2);
    await first.close();
    const second = await accept('left', 'mine');
    const messages = await receiveAll(second, 2);
    expect(messages.map(({ body, deliveryCount }) => [body, deliveryCount])).toEqual([
      ['one', 0],
      ['two', 0],
    ]);
    await second.close();
  });

  test('the SDK keeps a session by renewing it [SES-11]', async () => {
    await send('self-renewed', 'mine', ['slower']);
    const receiver = await client.acceptSession('self-renewed', 'mine');
    const message = await receiveOne(receiver);
    await delay(LOCK_MS * 1.75);
    await receiver.completeMessage(message);
    await receiver.close();
  });

  test('a session whose lock ends is lost at once: processError gets the error, the receiver is useless, and its messages are counted [SES-12, SES-13, X11, X13]', async () => {
    await send('lapsing', 'mine', ['held too long', 'not delivered']);
    const receiver = await accept('lapsing', 'mine');
    const errors: ProcessErrorArgs[] = [];
    const held: ServiceBusReceivedMessage[] = [];
    receiver.subscribe(
      {
        processMessage: async (message) => {
          held.push(message);
          await until('the lock to be lost', () => errors.length > 0);
        },
        processError: async (args) => void errors.push(args),
      },
      { autoCompleteMessages: false },
    );
    await until('the lock to be lost', () => errors.length > 0, LOCK_MS + 1000);
    expect(Date.now()).toBeGreaterThanOrEqual(receiver.sessionLockedUntilUtc.getTime());
    expect(errors[0]).toMatchObject({ error: LOCK_LOST, errorSource: 'receive' });
    await expect(receiver.completeMessage(only(held))).rejects.toMatchObject(LOCK_LOST);
    await expect(receiver.renewSessionLock()).rejects.toMatchObject(LOCK_LOST);
    await expect(receiver.getSessionState()).rejects.toMatchObject(LOCK_LOST);
    await expect(receiver.receiveMessages(1)).rejects.toMatchObject(LOCK_LOST);

    const next = await accept('lapsing', 'mine');
    const messages = await receiveAll(next, 2);
    expect(messages.map(({ body, deliveryCount }) => [body, deliveryCount])).toEqual([
      ['held too long', 1],
      ['not delivered', 0],
    ]);
    await next.close();
  });
});
