// Requests to `$management` in a transaction: .NET names it with almost every one, Java with some.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import type { ReceivedDelivery } from '../support/frame-channel.js';
import { list, str } from '../support/frame-encoder.js';
import { openClient } from '../support/frame-links.js';
import { notation } from '../support/frame-notation.js';
import { inTransaction, LinkClient, outcome } from '../support/link-client.js';
import { type Body, ManagementClient, messagesIn, type Reply } from './management/management-client.js';
import { item, longs, peekBody, scheduledMessage, uuids } from './management/request-bodies.js';
import { receivedOf } from './management/surroundings.js';

const SENDER = 0;
const RECEIVER = 1;
const UNKNOWN = Buffer.alloc(16, 7);
const DOOMED = /^rejected\[error\['amqp:transaction:rollback/;
const OK = { status: 'int 200' };

let emulator: EmulatorUnderTest;
let client: LinkClient;
/** On an AMQP session of its own, as in .NET's plain form. */
let manager: ManagementClient;
let id: Buffer;

beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: ['q?lockDuration=PT30S'] });
  const connection = await openClient(emulator.connect());
  client = await LinkClient.begin(connection, 0);
  const { session: channel } = await LinkClient.begin(connection, 1);
  manager = await ManagementClient.open(channel, 'q');
  await client.openControl();
  await client.openSender(SENDER, 'q');
  await client.openReceiver(RECEIVER, 'q');
  id = await client.declare();
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

/** Settled, as .NET and Java send their requests. */
function ask(operation: string, body: Body, transactionId = id): Promise<Reply> {
  manager.transfer(manager.message(operation, body), { state: inTransaction(transactionId) });
  return manager.takeReply();
}

/** How many messages a browser sees. */
async function count(): Promise<number> {
  const reply = await manager.ask('peek-message', peekBody());
  return reply.status === 'int 204' ? 0 : messagesIn(reply).length;
}

/** Of one message, in a minute. */
function schedule(): Body {
  return { messages: list([item(scheduledMessage('later', emulator.clock.now() + 60_000))]) };
}

function completion(delivery: ReceivedDelivery): Body {
  return { 'lock-tokens': uuids(receivedOf(delivery).token), 'disposition-status': str('completed') };
}

describe('a request in a transaction', () => {
  test('schedules messages: their numbers are answered at once, and the commit stores them [TXN-02, SCH-04]', async () => {
    const reply = await ask('schedule-message', schedule());
    expect(reply).toMatchObject(OK);
    expect(notation(reply.body)).toBe('{"sequence-numbers": array [long 1]}');
    expect(await count()).toBe(0);
    await client.commit(id);
    expect(await manager.ask('cancel-scheduled-message', { 'sequence-numbers': longs(1) })).toMatchObject(OK);
  });

  test('cancels a scheduled message, unless it is rolled back [TXN-02]', async () => {
    await manager.ask('schedule-message', schedule());
    const cancellation = { 'sequence-numbers': longs(1) };
    expect(await ask('cancel-scheduled-message', cancellation)).toMatchObject(OK);
    await client.rollBack(id);
    expect(await count()).toBe(1);
    const again = await client.declare();
    expect(await ask('cancel-scheduled-message', cancellation, again)).toMatchObject(OK);
    expect(await count()).toBe(1);
    await client.commit(again);
    expect(await count()).toBe(0);
  });

  test('settles by token, and may do so again after a roll back [TXN-02, TXN-05]', async () => {
    await client.send(SENDER, 'one');
    const body = completion(await client.receive(RECEIVER));
    expect(await ask('update-disposition', body)).toMatchObject(OK);
    await client.rollBack(id);
    expect(await ask('update-disposition', body, await client.declare())).toMatchObject(OK);
    expect(await manager.ask('update-disposition', body)).not.toMatchObject(OK);
  });

  test('that is sent unsettled is accepted in the transaction', async () => {
    const message = manager.message('peek-message', peekBody());
    manager.transfer(message, { isSettled: false, state: inTransaction(id) });
    const word = outcome(await manager.session.take('disposition'));
    expect(word).toBe(`transactional-state[binary ${id.toString('hex')}, accepted[]]`);
  });
});

describe('a request that is refused in a transaction is answered as any other', () => {
  test.each([
    ['by the broker', 'cancel-scheduled-message', { 'sequence-numbers': longs(9) }, 'int 404'],
    ['for its body', 'update-disposition', { 'lock-tokens': str('x') }, 'int 400'],
    ['for what it asks', 'make-coffee', {}, 'int 501'],
  ])('and the commit fails: %s [TXN-04]', async (_name, operation, body, status) => {
    await client.send(SENDER, 'one', id);
    expect(await ask(operation, body)).toMatchObject({ status });
    expect(await client.commit(id)).toMatch(DOOMED);
    expect(await count()).toBe(0);
  });

  test('and dooms nothing when its transaction is unknown [TXN-01]', async () => {
    expect(await ask('cancel-scheduled-message', { 'sequence-numbers': longs(9) }, UNKNOWN)).toMatchObject({
      status: 'int 400',
      condition: "'amqp:transaction:unknown-id",
    });
    expect(await client.commit(id)).toBe('accepted[]');
  });
});
