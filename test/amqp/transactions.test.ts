// Transactions as clients speak of them: control links, and what a declare and a discharge are answered.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { numberOf } from '../support/frame-channel.js';
import { array, bin, type Encoded, str, sym, TRUE } from '../support/frame-encoder.js';
import { senderFields } from '../support/frame-fields.js';
import { openClient } from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import { dataSection, propertiesSection, section } from '../support/frame-message.js';
import { notation } from '../support/frame-notation.js';
import { LinkClient, outcome } from '../support/link-client.js';

const UNKNOWN = Buffer.alloc(16, 7);

let emulator: EmulatorUnderTest;
let client: LinkClient;

beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: ['q', 'other'] });
  client = await LinkClient.open(emulator.connect());
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

describe('a control link', () => {
  test.each([
    ['.NET and Java name no capabilities', composite('coordinator'), 'coordinator[]'],
    [
      'Qpid JMS and proton name one',
      composite('coordinator', { capabilities: sym('amqp:local-transactions') }),
      "coordinator['amqp:local-transactions]",
    ],
    [
      'its descriptor may be a symbol',
      composite('coordinator', {}, { descriptor: 'symbol' }),
      'coordinator[]',
    ],
    [
      'what is not there is not promised',
      composite('coordinator', {
        capabilities: array([sym('amqp:local-transactions'), sym('amqp:distributed-transactions')]),
      }),
      "coordinator[array ['amqp:local-transactions, 'amqp:multi-txns-per-ssn, 'amqp:multi-ssns-per-txn]]",
    ],
  ])('has a coordinator in its answer, and credit at once: %s [TXN-01]', async (_name, target, answered) => {
    const attach = await client.openControl({ target });
    expect(notation(attach.field('target'))).toBe(answered);
  });

  test('declares and discharges, its descriptors numbers or symbols [TXN-01]', async () => {
    await client.openControl();
    for (const descriptor of ['ulong', 'symbol'] as const) {
      const id = await client.declare(100, { descriptor });
      expect(id.length).toBeLessThanOrEqual(32);
      const fields = { transactionId: bin(id) };
      const answer = await client.control(composite('discharge', fields, { descriptor }));
      expect(outcome(answer)).toBe('accepted[]');
    }
  });

  test('is one of several of a session, each with several transactions [TXN-01]', async () => {
    await client.openControl({ handle: 100 });
    await client.openControl({ handle: 101 });
    const ids = [await client.declare(100), await client.declare(101), await client.declare(101)];
    expect(new Set(ids.map((id) => id.toString('hex'))).size).toBe(3);
    await client.detach(100);
    const [first, second, third] = ids as [Buffer, Buffer, Buffer];
    expect(await client.commit(first, 101)).toMatch(/^rejected.*'amqp:transaction:unknown-id/);
    expect(await client.commit(second, 101)).toBe('accepted[]');
    expect(await client.rollBack(third, 101)).toBe('accepted[]');
  });

  test('answers a declare that is written right behind a discharge, as Qpid JMS has it [TXN-01]', async () => {
    await client.openControl();
    const id = await client.declare();
    const committed = client.commit(id);
    const next = await client.declare();
    expect(await committed).toBe('accepted[]');
    expect(await client.rollBack(next)).toBe('accepted[]');
  });

  test('is given new credit before the old is used up', async () => {
    await client.openControl();
    const body = section('value', composite('discharge', { transactionId: bin(UNKNOWN) }));
    let last = 0;
    for (let count = 0; count < 600; count++) last = client.write(100, body);
    await client.answerTo(last);
    await client.session.take('flow', (flow) => (numberOf(flow, 'linkCredit') ?? 0) > 400);
  });

  test('is detached when a message to it is sent settled', async () => {
    await client.openControl();
    const id = await client.declare();
    client.write(100, section('value', composite('declare')), { settled: true });
    expect(await client.detached()).toMatchObject({ condition: 'amqp:not-allowed' });
    await client.openControl({ handle: 101 });
    expect(await client.commit(id, 101)).toMatch(/^rejected.*'amqp:transaction:unknown-id/);
  });

  test('has the coordinator as its target; nothing is received from one', async () => {
    client.session.send('attach', {
      ...senderFields(0),
      role: TRUE,
      source: composite('coordinator'),
      target: composite('target'),
    });
    expect(await client.detached()).toMatchObject({ condition: 'amqp:not-allowed' });
  });
});

describe('a message to the coordinator that it cannot take is rejected, and the link goes on', () => {
  const value = (encoded: Encoded) => section('value', encoded);
  test.each([
    ['no declare or discharge', value(composite('accepted')), "'amqp:invalid-field"],
    ['a text', value(str('declare')), "'amqp:decode-error"],
    ['no value', dataSection('declare'), "'amqp:invalid-field"],
    ['no body', propertiesSection({ messageId: str('1') }), "'amqp:invalid-field"],
    ['no message', Buffer.from('declare'), "'amqp:decode-error"],
    ['a discharge without an id', value(composite('discharge')), "'amqp:invalid-field"],
    [
      'an id that is a text',
      value(composite('discharge', { transactionId: str('1') })),
      "'amqp:invalid-field",
    ],
    ['part of another', value(composite('declare', { globalId: bin(UNKNOWN) })), "'amqp:not-implemented"],
    ['large', value(bin(Buffer.alloc(20_000))), "'amqp:link:message-size-exceeded"],
    [
      'about an unknown transaction',
      value(composite('discharge', { transactionId: bin(UNKNOWN) })),
      "'amqp:transaction:unknown-id",
    ],
    [
      'about an id of no length',
      value(composite('discharge', { transactionId: bin(Buffer.alloc(0)) })),
      "'amqp:transaction:unknown-id",
    ],
  ])('%s', async (_name, message, condition) => {
    await client.openControl();
    const state = outcome(await client.answerTo(client.write(100, message)));
    expect(state).toMatch(/^rejected\[error\[/);
    expect(state).toContain(condition);
    expect(await client.commit(await client.declare())).toBe('accepted[]');
  });
});

describe('a transaction', () => {
  test('is known on its connection alone [TXN-01]', async () => {
    await client.openControl();
    const id = await client.declare();
    const stranger = await LinkClient.open(emulator.connect());
    await stranger.openControl();
    expect(await stranger.commit(id)).toMatch(/^rejected.*'amqp:transaction:unknown-id/);
    expect(await client.commit(id)).toBe('accepted[]');
    expect(await client.commit(id)).toMatch(/^rejected.*'amqp:transaction:unknown-id/);
  });

  test('of an earlier run is unknown, although the numbers start again [TXN-01]', async () => {
    await client.openControl();
    const id = await client.declare();
    const later = await openEmulatorUnderTest({ queues: ['q'] });
    const again = await LinkClient.open(later.connect());
    await again.openControl();
    await again.declare();
    expect(await again.commit(id)).toMatch(/^rejected.*'amqp:transaction:unknown-id/);
    await later.stop();
  });

  test('may be used and discharged on other AMQP sessions of the connection [TXN-01]', async () => {
    const connection = await openClient(emulator.connect());
    const controller = await LinkClient.begin(connection, 0);
    const sender = await LinkClient.begin(connection, 1);
    await controller.openControl();
    await sender.openSender(0, 'q');
    const id = await controller.declare();
    const state = `transactional-state[binary ${id.toString('hex')}, accepted[]]`;
    expect(await sender.send(0, 'one', id)).toBe(state);
    expect(await controller.commit(id)).toBe('accepted[]');
    await sender.openReceiver(1, 'q');
    expect((await sender.receive(1)).text).toBe('one');
  });
});

describe('a transaction is rolled back [TXN-04]', () => {
  test.each([
    ['by a discharge that fails', async (id: Buffer) => void (await client.rollBack(id))],
    ['when its control link is detached', () => client.detach(100)],
    [
      'when the AMQP session of its control link ends',
      async () => {
        client.session.send('end', {});
        await client.session.take('end');
      },
    ],
  ])('%s', async (_name, rollBack) => {
    await rollBack(await sent());
    await expectNothingIn('q');
  });

  test('when its connection is lost', async () => {
    const duplex = emulator.connect();
    client = await LinkClient.open(duplex);
    await sent();
    duplex.destroy();
    await expectNothingIn('q');
  });

  test('when its control link has gone before it was declared', async () => {
    await client.openControl();
    client.write(100, section('value', composite('declare')));
    await client.detach(100);
    await client.openControl({ handle: 101 });
    expect(await client.commit(await client.declare(101), 101)).toBe('accepted[]');
  });

  /** In a transaction that is left open. */
  async function sent(): Promise<Buffer> {
    await client.openControl();
    await client.openSender(0, 'q');
    const id = await client.declare();
    await client.send(0, 'one', id);
    return id;
  }

  async function expectNothingIn(queue: string): Promise<void> {
    const other = await LinkClient.open(emulator.connect());
    await other.openReceiver(0, queue);
    other.credit(0);
    await other.session.expectNothing();
  }
});
