// Transactions across entities: AMQP sessions on which a control link came first, and senders that name where to transfer to.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import type { Frame } from '../support/frame-channel.js';
import { str, uint } from '../support/frame-encoder.js';
import { conditionOf } from '../support/frame-fields.js';
import { openClient } from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import { entryOf } from '../support/frame-message.js';
import { notation } from '../support/frame-notation.js';
import { inTransaction, LinkClient } from '../support/link-client.js';
import { ManagementClient } from './management/management-client.js';
import { peekBody } from './management/request-bodies.js';

const DESTINATION = 'com.microsoft:transfer-destination-address';
const SPANS = /^Local transactions cannot span multiple top-level entities such as queue or topic\. /;
const OPTIONS = {
  queues: ['a', 'b', 'c'],
  topics: [{ name: 't', subscriptions: ['s', 'r'] }],
};

let emulator: EmulatorUnderTest;
let client: LinkClient;

beforeEach(async () => {
  emulator = await openEmulatorUnderTest(OPTIONS);
  client = await LinkClient.open(emulator.connect());
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

/** Undefined: it is open. */
async function refusal(attach: Frame): Promise<string | undefined> {
  if (attach.field('source')?.type !== 'null') return undefined;
  const { condition, description } = await client.detached();
  expect(condition).toBe('amqp:not-allowed');
  return description;
}

describe('on an AMQP session with a control link first', () => {
  beforeEach(async () => {
    await client.openControl();
  });

  test('a client receives from the first entity only, and sends to any [TXN-10]', async () => {
    await client.openControl({ handle: 101 });
    expect(await refusal(await client.openReceiver(0, 'a'))).toBeUndefined();
    await client.openSender(1, 'b');
    await client.openSender(2, 't');
    expect(await refusal(await client.openReceiver(3, 'b'))).toMatch(SPANS);
    expect(await refusal(await client.openReceiver(4, 't/Subscriptions/s'))).toMatch(SPANS);
  });

  test('a sender comes first as well as a receiver [TXN-10]', async () => {
    await client.openSender(0, 'b');
    expect(await refusal(await client.openReceiver(1, 'a'))).toMatch(SPANS);
    expect(await refusal(await client.openReceiver(2, 'B/$DeadLetterQueue'))).toBeUndefined();
  });

  test('a topic is one entity with its subscriptions [TXN-10]', async () => {
    expect(await refusal(await client.openReceiver(0, 't/Subscriptions/s'))).toBeUndefined();
    expect(await refusal(await client.openReceiver(1, 't/Subscriptions/r'))).toBeUndefined();
    await client.openSender(2, 't');
    expect(await refusal(await client.openReceiver(3, 'a'))).toMatch(SPANS);
  });

  test('a missing entity does not count as the first [TXN-10]', async () => {
    await client.openReceiver(0, 'missing');
    await client.detached();
    expect(await refusal(await client.openReceiver(1, 'a'))).toBeUndefined();
  });

  test('$management of any entity may be used, and does not count as one [TXN-10]', async () => {
    for (const [index, path] of ['b', 'c'].entries()) {
      const manager = await ManagementClient.open(client.session, path, { handle: 10 + 2 * index });
      expect(await manager.ask('peek-message', peekBody())).toMatchObject({ status: 'int 204' });
    }
    expect(await refusal(await client.openReceiver(0, 'a'))).toBeUndefined();
  });

  test('a client receives, settles and sends a reply elsewhere in one transaction [TXN-10]', async () => {
    await client.openSender(0, 'a');
    await client.openReceiver(1, 'a');
    await client.openSender(2, 'b');
    await client.openSender(3, 't');
    await client.send(0, 'order');
    const order = await client.receive(1);
    const id = await client.declare();
    const accepted = `transactional-state[binary ${id.toString('hex')}, accepted[]]`;
    expect(await client.send(2, 'bill', id)).toBe(accepted);
    expect(await client.send(3, 'news', id)).toBe(accepted);
    await client.settle(order, inTransaction(id, composite('accepted')));
    expect(await client.commit(id)).toBe('accepted[]');
    const other = await LinkClient.open(emulator.connect());
    await other.openReceiver(0, 'b');
    expect((await other.receive(0)).text).toBe('bill');
    await other.openReceiver(1, 't/Subscriptions/s');
    expect((await other.receive(1)).text).toBe('news');
  });
});

describe('a transaction does not cross entities', () => {
  test('on a session whose first link is of an entity [TXN-03]', async () => {
    await client.openReceiver(0, 'a');
    await client.openControl();
    expect(await refusal(await client.openReceiver(1, 'b'))).toBeUndefined();
    await client.openSender(2, 'a');
    await client.openSender(3, 'b');
    const id = await client.declare();
    await client.send(2, 'one', id);
    expect(await client.send(3, 'two', id)).toMatch(
      /^rejected\[error\['amqp:not-allowed, "Local transactions/,
    );
  });

  test('on another session of the connection [TXN-10]', async () => {
    const connection = await openClient(emulator.connect());
    const first = await LinkClient.begin(connection, 0);
    await first.openControl();
    await first.openReceiver(0, 'a');
    client = await LinkClient.begin(connection, 1);
    expect(await refusal(await client.openReceiver(0, 'b'))).toBeUndefined();
  });

  test('without limits [TXN-10]', async () => {
    const unlimited = await openEmulatorUnderTest({ ...OPTIONS, limits: 'none' });
    client = await LinkClient.open(unlimited.connect());
    await client.openControl();
    for (const [handle, path] of ['a', 'b'].entries()) {
      expect(await refusal(await client.openReceiver(handle, path))).toBeUndefined();
    }
    await unlimited.stop();
  });
});

describe('a sender that names where to transfer to', () => {
  test('gets its destination back, and its messages appear only there [TXN-10]', async () => {
    const attach = await client.openSender(0, 'a', { [DESTINATION]: str('b') });
    expect(notation(entryOf(attach.field('properties'), DESTINATION))).toBe('"b"');
    expect(await client.send(0, 'one')).toBe('accepted[]');
    await client.openReceiver(1, 'b');
    expect((await client.receive(1)).text).toBe('one');
    await client.openReceiver(2, 'a');
    client.credit(2);
    await client.session.expectNothing(['flow', 'transfer']);
  });

  test('takes part in a transaction of its own entity [TXN-10]', async () => {
    await client.openSender(0, 'a', { [DESTINATION]: str('t') });
    await client.openSender(1, 'a');
    await client.openControl();
    const id = await client.declare();
    await client.send(0, 'news', id);
    await client.send(1, 'order', id);
    expect(await client.commit(id)).toBe('accepted[]');
    await client.openReceiver(2, 't/Subscriptions/s');
    expect((await client.receive(2)).text).toBe('news');
  });

  test.each([
    ['that is not there', str('missing'), 'amqp:not-found'],
    ['that is no name', uint(1), 'com.microsoft:argument-error'],
    ['that is no entity', str('a/$management'), 'com.microsoft:argument-error'],
    ['of more than 2,048 characters', str('a'.repeat(2049)), 'com.microsoft:argument-error'],
  ])('is refused with one %s [TXN-10]', async (_name, destination, condition) => {
    await client.openSender(0, 'a', { [DESTINATION]: destination });
    expect(conditionOf(await client.session.take('detach'))).toBe(condition);
  });
});
