// Sessions as a receiver knows them: accepted by id or as they come, held by one at a time, in order, given up or lost.

import { setTimeout as delay } from 'node:timers/promises';
import type {
  ProcessErrorArgs,
  ServiceBusReceivedMessage,
  ServiceBusSessionReceiver,
} from '@azure/service-bus';
import { ServiceBusClient as PreviewClient } from 'service-bus-beta';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import {
  bodyOf,
  type ClosingClient,
  connect,
  only,
  receiveAll,
  receiveOne,
  sendBodies,
  takeAll,
} from './support/service-bus.js';
import { until } from './support/until.js';

const LOCK_MS = 2000;
const LASTING = [
  'by-id',
  'waiting',
  'in-vain',
  'longest',
  'ordered',
  'held',
  'parallel',
  'left',
  'gone',
  'nameless',
];
const SHORT = ['renewed', 'self-renewed', 'lapsing', 'stubborn', 'deleted'];
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

  test('one who waits in vain for a session is told so in time, and holds none that comes later [SES-09, X6]', async () => {
    const startedAt = performance.now();
    await expect(impatient.acceptNextSession('in-vain')).rejects.toMatchObject({ code: 'ServiceTimeout' });
    expect(performance.now() - startedAt).toBeLessThan(5000);
    await send('in-vain', 'late', ['still free']);
    const receiver = await accept('in-vain', 'late');
    expect((await receiveOne(receiver)).body).toBe('still free');
    await receiver.close();
  });

  test('the next session is the one whose message has waited longest, those held left out [SES-08, X4]', async () => {
    for (const sessionId of ['c', 'a', 'b']) await send('longest', sessionId, ['x']);
    const receivers: ServiceBusSessionReceiver[] = [];
    for (let count = 0; count < 3; count++) receivers.push(await client.acceptNextSession('longest'));
    expect(receivers.map(({ sessionId }) => sessionId)).toEqual(['c', 'a', 'b']);
    await expect(impatient.acceptNextSession('longest')).rejects.toMatchObject({ code: 'ServiceTimeout' });
    for (const receiver of receivers) await receiver.close();
  });

  test('the messages of a session come in order, and an abandoned one comes next [SES-05, X7]', async () => {
    await send('ordered', 'mine', [1, 2]);
    await send('ordered', 'other', ['not mine']);
    await send('ordered', 'mine', [3, 4]);
    const receiver = await accept('ordered', 'mine');
    const [first, second] = await receiveAll(receiver, 2);
    if (!first || !second) throw new Error('two have come');
    await receiver.completeMessage(first);
    await receiver.abandonMessage(second);
    const rest = await receiveAll(receiver, 3);
    expect(rest.map(({ body, deliveryCount }) => [body, deliveryCount])).toEqual([
      [2, 1],
      [3, 0],
      [4, 0],
    ]);
    for (const message of rest) await receiver.completeMessage(message);
    await receiver.close();
  });

  test('a held session is refused to everybody else until it is given up [SES-04, SES-06, X5, X12]', async () => {
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

  test('sessions are worked off beside each other by subscribed receivers, each in its order [SES-04, SES-05]', async () => {
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

  test('a receiver that is closed leaves its session and what it had at once, and nothing is counted [SES-14, X12]', async () => {
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

  test('a client that goes away leaves its session [SES-14, LNK-05, X12]', async () => {
    await send('gone', 'mine', ['kept']);
    const leaving = connect(jitney.connectionString);
    await receiveOne(await leaving.acceptSession('gone', 'mine'));
    await leaving.close();
    const receiver = await accept('gone', 'mine');
    const message = await receiveOne(receiver);
    expect([message.body, message.deliveryCount]).toEqual(['kept', 0]);
    await receiver.close();
  });

  test('a renewed session lasts a lock duration from then [SES-11, X9]', async () => {
    await send('renewed', 'mine', ['slow']);
    const receiver = await accept('renewed', 'mine');
    const message = await receiveOne(receiver);
    await delay(LOCK_MS * 0.6);
    const askedAt = Date.now();
    const lockedUntil = await receiver.renewSessionLock();
    expect(lockedUntil.getTime()).toBeGreaterThanOrEqual(askedAt + LOCK_MS);
    expect(lockedUntil.getTime()).toBeLessThanOrEqual(Date.now() + LOCK_MS);
    expect(receiver.sessionLockedUntilUtc).toEqual(lockedUntil);
    await delay(LOCK_MS * 0.6);
    await receiver.completeMessage(message);
    await receiver.close();
  });

  test('the SDK keeps a session by renewing it [SES-11]', async () => {
    await send('self-renewed', 'mine', ['slower']);
    const receiver = await client.acceptSession('self-renewed', 'mine');
    const message = await receiveOne(receiver);
    await delay(LOCK_MS * 1.75);
    await receiver.completeMessage(message);
    await receiver.close();
  });

  test('a session whose lock ends is lost at once: processError hears it, nothing can be done with it, and its messages are counted [SES-12, SES-13, X11, X13]', async () => {
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

  test('a message that is abandoned and lost too often goes to the dead-letter queue, and the session goes on [DLV-06, SES-13]', async () => {
    await send('stubborn', 'mine', ['bad', 'good']);
    const patient = await accept('stubborn', 'mine');
    for (let attempt = 0; attempt < 2; attempt++) await patient.abandonMessage(await receiveOne(patient));
    await receiveOne(patient);
    await until('the lock to end', () => patient.isClosed, LOCK_MS + 1000);

    const next = await accept('stubborn', 'mine');
    expect((await receiveOne(next)).body).toBe('good');
    await next.close();
    expect(only(await takeAll(client, 'stubborn', 'deadLetter'))).toMatchObject({
      body: 'bad',
      deliveryCount: 3,
      sessionId: 'mine',
      deadLetterReason: 'MaxDeliveryCountExceeded',
    });
  });

  test('receive-and-delete takes the messages of a session in order and for good [RCV-02, SES-05]', async () => {
    await send('deleted', 'mine', [1, 2, 3]);
    const receiver = await client.acceptSession('deleted', 'mine', { receiveMode: 'receiveAndDelete' });
    expect((await receiver.receiveMessages(3)).map(bodyOf)).toEqual([1, 2, 3]);
    await receiver.close();
    const next = await accept('deleted', 'mine');
    expect(await next.receiveMessages(1, { maxWaitTimeInMs: A_WHILE_MS })).toEqual([]);
    await next.close();
  });

  test('the empty text is a session id like any other [SES-02]', async () => {
    const preview = new PreviewClient(jitney.connectionString);
    await send('nameless', '', ['for nobody']);
    const byId = await preview.acceptSession('nameless', '', NO_RENEWAL);
    expect([byId.sessionId, (await byId.receiveMessages(1))[0]?.body]).toEqual(['', 'for nobody']);
    await byId.close();
    const next = await preview.acceptNextSession('nameless');
    expect(next.sessionId).toBe('');
    await preview.close();
  });
});
