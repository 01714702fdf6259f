// What the options of a user do to a whole emulator: each is seen to reach the room that obeys it.

import type { Connection, Message } from 'rhea';
import { afterEach, expect, test } from 'vitest';
import type { MessageCounts } from '../../src/broker/contract/result.js';
import { openJournal } from '../../src/journal/open-journal.js';
import {
  type EmulatorUnderTest,
  openEmulatorUnderTest,
  type UnderTestOptions,
} from '../support/emulator-under-test.js';
import { makeTemporaryDirectory } from '../support/journal-places.js';
import { next, rheaConnect } from '../support/rhea-client.js';

const KILOBYTE = 1024;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

let emulator: EmulatorUnderTest;
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

async function open(queue: string, options: Omit<UnderTestOptions, 'queues'> = {}): Promise<Connection> {
  emulator = await openEmulatorUnderTest({ ...options, queues: [queue] });
  return rheaConnect(emulator.connect());
}

/** Resolves with the condition of the refusal, or with undefined when the message was accepted. */
async function send(
  connection: Connection,
  body: Buffer,
  properties: Pick<Message, 'group_id' | 'ttl'> = {},
): Promise<string | undefined> {
  const sender = connection.open_sender('orders');
  await next(sender, 'sendable');
  const answered = Promise.race([
    next(sender, 'accepted').then(() => undefined),
    next(sender, 'rejected').then(({ delivery }) => delivery?.remote_state?.error?.condition),
  ]);
  sender.send({ message_id: 'm', body, ...properties });
  const condition = await answered;
  sender.close();
  return condition;
}

/** The message a new receiver is given, if there is one for it; `close` ends its link. */
async function receive(
  connection: Connection,
): Promise<{ message: Message | undefined; close: () => Promise<unknown> }> {
  const receiver = connection.open_receiver({ source: 'orders', credit_window: 0, autoaccept: false });
  await next(receiver, 'receiver_open');
  const answered = Promise.race([next(receiver, 'message'), next(receiver, 'receiver_drained')]);
  receiver.add_credit(1);
  receiver.drain_credit();
  const { message } = await answered;
  const close = () => {
    receiver.close();
    return next(receiver, 'receiver_close');
  };
  return { message, close };
}

async function counts(): Promise<MessageCounts> {
  const result = await emulator.engine.ask({ kind: 'get-entity', entityPath: 'orders' });
  if (result.kind !== 'entity-info') throw new Error(`the queue answers ${result.kind}`);
  return result.entity.counts;
}

const EXPIRES_SOON = 'orders?defaultMessageTimeToLive=PT1S&deadLetteringOnMessageExpiration=true';

test('a message above the limit of the tier is refused, and with no limits it is accepted [LIM-01]', async () => {
  const large = Buffer.alloc(300 * KILOBYTE);
  expect(await send(await open('orders'), large)).toBe('amqp:link:message-size-exceeded');
  await emulator.stop();
  expect(await send(await open('orders', { tier: 'premium' }), large)).toBeUndefined();
  await emulator.stop();
  expect(await send(await open('orders', { limits: 'none' }), large)).toBeUndefined();
});

test('messages expire on time although no receiver listens [TTL-09]', async () => {
  const connection = await open(EXPIRES_SOON);
  await send(connection, Buffer.from('short-lived'));
  emulator.clock.advance(2 * SECOND);
  expect(await counts()).toMatchObject({ active: 0, deadLetter: 1 });
});

test('messages that expire only when somebody listens wait for a receiver [TTL-09]', async () => {
  const connection = await open(EXPIRES_SOON, { expirySweep: 'whenListening' });
  await send(connection, Buffer.from('short-lived'));
  emulator.clock.advance(2 * SECOND);
  expect(await counts()).toMatchObject({ active: 1, deadLetter: 0 });
  const { message } = await receive(connection);
  expect(message).toBeUndefined();
  expect(await counts()).toMatchObject({ active: 0, deadLetter: 1 });
});

test('the messages of a receiver that goes stay locked [LNK-01]', async () => {
  const connection = await open('orders');
  await send(connection, Buffer.from('held'));
  const first = await receive(connection);
  expect(first.message).toBeDefined();
  await first.close();
  expect((await receive(connection)).message).toBeUndefined();
});

test('the messages of a receiver that goes are free at once when it is so chosen [LNK-04]', async () => {
  const connection = await open('orders', { releaseLocksOnDetach: true });
  await send(connection, Buffer.from('held'));
  await (await receive(connection)).close();
  const { message } = await receive(connection);
  expect(message).toMatchObject({ message_id: 'm', delivery_count: 0 });
});

test('a configured queue that was deleted on idle is there again after the next start, and empty', async () => {
  const directory = await makeTemporaryDirectory();
  const start = async () =>
    open('orders?autoDeleteOnIdle=PT5M', { journal: await openJournal({ directory }) });
  await send(await start(), Buffer.from('forgotten'));
  emulator.clock.advance(5 * MINUTE);
  expect(await emulator.engine.ask({ kind: 'find-entity', entityPath: 'orders' })).toMatchObject({
    kind: 'failed',
    error: { reason: 'entity-not-found' },
  });
  await emulator.stop();
  await start();
  expect(await counts()).toMatchObject({ active: 0, deadLetter: 0 });
});

test('the tier Basic has no duplicate detection [DUP-01]', async () => {
  await open('orders', { tier: 'basic' });
  const starting = openEmulatorUnderTest({
    tier: 'basic',
    queues: ['orders?requiresDuplicateDetection=true'],
  });
  await expect(starting).rejects.toMatchObject({ reason: 'not-allowed' });
});

const EXPIRES_WITH_SESSION = 'orders?requiresSession=true&deadLetteringOnMessageExpiration=true';

async function sendTwoOfASession(connection: Connection): Promise<void> {
  await send(connection, Buffer.from('short-lived'), { group_id: 'basket', ttl: SECOND });
  await send(connection, Buffer.from('for ever'), { group_id: 'basket' });
}

test('where sessions are required, messages wait for a listener to expire, and then their session goes with them [SES-18]', async () => {
  const connection = await open(EXPIRES_WITH_SESSION);
  await sendTwoOfASession(connection);
  emulator.clock.advance(2 * SECOND);
  expect(await counts()).toMatchObject({ active: 2, deadLetter: 0 });
  const filter = { 'com.microsoft:session-filter': 'basket' };
  const receiver = connection.open_receiver({ source: { address: 'orders', filter }, credit_window: 0 });
  await next(receiver, 'receiver_open');
  receiver.add_credit(1);
  receiver.drain_credit();
  await next(receiver, 'receiver_drained');
  expect(await counts()).toMatchObject({ active: 0, deadLetter: 2 });
});

test('when it is so chosen, a message of a session expires by itself and on time [SES-18]', async () => {
  const connection = await open(EXPIRES_WITH_SESSION, { expireWholeSession: false });
  await sendTwoOfASession(connection);
  emulator.clock.advance(2 * SECOND);
  expect(await counts()).toMatchObject({ active: 1, deadLetter: 1 });
});

test('the tier Basic has no sessions [SES-01]', async () => {
  await open('orders', { tier: 'basic' });
  const starting = openEmulatorUnderTest({ tier: 'basic', queues: ['orders?requiresSession=true'] });
  await expect(starting).rejects.toMatchObject({ reason: 'not-allowed' });
});

/** Opens an anonymous connection, sends no token for so long, and then tries to open a link. */
async function afterWaiting(ms: number, options: Omit<UnderTestOptions, 'queues'>): Promise<string> {
  let tick: (nowMs: number) => void = () => {};
  const ticker = (listener: typeof tick) => {
    tick = listener;
    return () => {};
  };
  const connection = await open('orders', { ...options, ticker });
  await next(connection, 'connection_open');
  const closed = next(connection, 'connection_close').then(() => JSON.stringify(connection.error));
  for (let now = 0; now <= ms; now += SECOND) tick(now);
  const opened = next(connection.open_sender('orders'), 'sendable').then(() => 'a link');
  return Promise.race([closed, opened]);
}

const IN_AZURE = { idleTimeouts: 'azure' } as const;

test.each<[number, Omit<UnderTestOptions, 'queues'>, RegExp]>([
  [20, {}, /^a link$/],
  [19, IN_AZURE, /^a link$/],
  [20, IN_AZURE, /because no token was put to \$cbs within 20000 milliseconds/],
  [4, { authorizationTimeoutMs: 5000 }, /^a link$/],
  [5, { authorizationTimeoutMs: 5000 }, /because no token was put to \$cbs within 5000 milliseconds/],
  [59, { ...IN_AZURE, authorizationTimeoutMs: 'off' }, /^a link$/],
  [
    60,
    { ...IN_AZURE, authorizationTimeoutMs: 'off' },
    /did not have any active links in the past 60000 mill/,
  ],
])(
  'after %d s without a token and with %j, a client gets %s [LNK-07]',
  async (seconds, options, expected) => {
    expect(await afterWaiting(seconds * SECOND, options)).toMatch(expected);
  },
);
