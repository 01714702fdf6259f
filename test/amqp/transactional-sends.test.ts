// Messages sent in a transaction, frame by frame: what their senders are told, and when others see them.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { bin, FALSE, TRUE, uint } from '../support/frame-encoder.js';
import { composite, type Fields } from '../support/frame-lists.js';
import { dataSection } from '../support/frame-message.js';
import { inTransaction, LinkClient, outcome } from '../support/link-client.js';

const SENDER = 0;
const RECEIVER = 1;
const OTHER = 2;
const UNKNOWN = Buffer.alloc(16, 7);
const DOOMED = /^rejected\[error\['amqp:transaction:rollback/;

let emulator: EmulatorUnderTest;
let client: LinkClient;
let id: Buffer;

beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: ['q', 'other'] });
  client = await LinkClient.open(emulator.connect());
  await client.openSender(SENDER, 'q');
  await client.openControl();
  id = await client.declare();
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

const acceptedIn = (transactionId: Buffer) =>
  `transactional-state[binary ${transactionId.toString('hex')}, accepted[]]`;

describe('a message sent in a transaction', () => {
  test.each(['ulong', 'symbol'] as const)(
    'is accepted in it, whichever way its state is described: %s [TXN-04]',
    async (descriptor) => {
      const state = inTransaction(id, undefined, { descriptor });
      const answer = await client.answerTo(client.write(SENDER, dataSection('one'), { state }));
      expect(outcome(answer)).toBe(acceptedIn(id));
    },
  );

  test('is whole after the commit, although the memory of its read has been used for others', async () => {
    const text = 'a large message; '.repeat(2000);
    await client.openReceiver(RECEIVER, 'q');
    await client.send(SENDER, text, id);
    await client.send(SENDER, 'beside it');
    expect((await client.receive(RECEIVER)).text).toBe('beside it');
    client.credit(RECEIVER);
    expect(await client.commit(id)).toBe('accepted[]');
    expect((await client.session.takeDelivery()).payload.includes(text)).toBe(true);
  });

  test('is not visible before the commit, and is visible before the commit is answered [TXN-07]', async () => {
    await client.openReceiver(RECEIVER, 'q');
    await client.send(SENDER, 'in it', id);
    await client.send(SENDER, 'beside it');
    expect((await client.receive(RECEIVER)).text).toBe('beside it');
    client.credit(RECEIVER);
    await client.session.expectNothing();
    expect(await client.commit(id)).toBe('accepted[]');
    await client.session.take('transfer');
  });

  test.each([
    ['the first alone, as .NET says it', [true, false, false]],
    ['each, as proton says it', [true, true, true]],
    ['a later one', [false, true, false]],
  ])('belongs to it by any of its transfers: %s [TXN-02]', async (_name, saysIt) => {
    const message = dataSection('in pieces');
    for (const [index, says] of saysIt.entries()) {
      const payload = message.subarray(index * 5, index === 2 ? undefined : index * 5 + 5);
      client.session.send('transfer', piece(index, says ? id : undefined), { payload });
    }
    expect(outcome(await client.answerTo(0))).toBe(acceptedIn(id));
  });

  test('cannot belong to two: the link is detached', async () => {
    const other = await client.declare();
    client.session.send('transfer', piece(0, id), { payload: dataSection('x') });
    client.session.send('transfer', piece(1, other), { payload: dataSection('y') });
    expect(await client.detached()).toMatchObject({ condition: 'amqp:not-allowed' });
  });

  function piece(index: number, transactionId: Buffer | undefined): Fields<'transfer'> {
    return {
      handle: uint(SENDER),
      ...(index === 0 ? { deliveryId: uint(0), deliveryTag: bin(Buffer.of(1)), messageFormat: uint(0) } : {}),
      more: index < 2 ? TRUE : FALSE,
      ...(transactionId === undefined ? {} : { state: inTransaction(transactionId) }),
    };
  }
});

describe('a message that is refused in a transaction', () => {
  test('is rejected plainly, and the commit fails, whose sender may not have waited [TXN-04]', async () => {
    await client.openSender(OTHER, 'other');
    await client.send(SENDER, 'one', id);
    expect(await client.send(OTHER, 'two', id)).toMatch(/^rejected\[error\['amqp:not-allowed/);
    expect(await client.commit(id)).toMatch(DOOMED);
    await client.openReceiver(RECEIVER, 'q');
    client.credit(RECEIVER);
    await client.session.expectNothing();
  });

  test.each([
    ['too large', dataSection('x'.repeat(300_000)), "'amqp:link:message-size-exceeded"],
    ['no message', Buffer.from('hello'), "'com.microsoft:argument-error"],
  ])('also when it never reaches the broker: %s [TXN-04]', async (_name, message, condition) => {
    await client.send(SENDER, 'one', id);
    const state = inTransaction(id);
    const answer = outcome(await client.answerTo(client.write(SENDER, message, { state })));
    expect(answer).toMatch(/^rejected\[error\[/);
    expect(answer).toContain(condition);
    expect(await client.commit(id)).toMatch(DOOMED);
  });

  test('can be rolled back with the others [TXN-04]', async () => {
    const state = inTransaction(id);
    await client.answerTo(client.write(SENDER, Buffer.from('hello'), { state }));
    expect(await client.rollBack(id)).toBe('accepted[]');
  });

  test('is reported by the commit alone when it was sent settled [TXN-04]', async () => {
    client.write(SENDER, dataSection('one'), { state: inTransaction(id), settled: true });
    const next = await client.declare();
    client.write(SENDER, Buffer.from('hello'), { state: inTransaction(next), settled: true });
    expect(await client.commit(next)).toMatch(DOOMED);
    expect(await client.commit(id)).toBe('accepted[]');
  });

  test('because its transaction is unknown or ended has its link detached, the only sign that Java sees [TXN-01]', async () => {
    await client.commit(id);
    for (const unknown of [id, UNKNOWN, Buffer.alloc(0), Buffer.alloc(300)]) {
      client.write(SENDER, dataSection('one'), { state: inTransaction(unknown) });
      const { condition, description } = await client.detached();
      expect(condition).toBe('amqp:transaction:unknown-id');
      expect(description).toContain("hasn't been declared yet, or has already been discharged");
      client.answerDetach(SENDER);
      await client.openSender(SENDER, 'q');
    }
  });

  test('because its transaction has run out of time is rejected, and so is the commit [TXN-08]', async () => {
    await client.send(SENDER, 'one', id);
    emulator.clock.advance(120_000);
    const timedOut = /^rejected\[error\['amqp:transaction:timeout/;
    expect(await client.send(SENDER, 'two', id)).toMatch(timedOut);
    expect(await client.commit(id)).toMatch(timedOut);
    expect(await client.rollBack(id)).toBe('accepted[]');
  });

  test('because it has a state that is no transaction dooms nothing', async () => {
    const state = composite('released');
    const answer = outcome(await client.answerTo(client.write(SENDER, dataSection('one'), { state })));
    expect(answer).toMatch(/^rejected\[error\['amqp:not-implemented.*the state 'released'/);
    expect(await client.commit(id)).toBe('accepted[]');
  });
});
