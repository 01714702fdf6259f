// Messages settled in a transaction, frame by frame: what each client's way of it is answered, and what becomes of the messages.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { type Frame, isTrue } from '../support/frame-channel.js';
import { bin, map, str, sym, TRUE } from '../support/frame-encoder.js';
import { creditFields } from '../support/frame-fields.js';
import { composite } from '../support/frame-lists.js';
import { notation } from '../support/frame-notation.js';
import { inTransaction, LinkClient, outcome } from '../support/link-client.js';

const SENDER = 0;
const RECEIVER = 1;
const OTHER = 2;
const UNKNOWN = Buffer.alloc(16, 7);
const ACCEPTED = composite('accepted');
const DEAD_LETTER = composite('error', {
  condition: sym('com.microsoft:dead-letter'),
  info: map([[sym('DeadLetterReason'), str('bad')]]),
});
const DOOMED = /^rejected\[error\['amqp:transaction:rollback/;

let emulator: EmulatorUnderTest;
let client: LinkClient;
let id: Buffer;

beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: ['q?lockDuration=PT30S', 'other'] });
  client = await LinkClient.open(emulator.connect());
  await client.openSender(SENDER, 'q');
  await client.openReceiver(RECEIVER, 'q');
  await client.openControl();
  id = await client.declare();
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

async function received(text = 'one') {
  await client.send(SENDER, text);
  return client.receive(RECEIVER);
}

/** Of a word that leaves the delivery unsettled. */
function provisional(word: Frame): string {
  expect(isTrue(word, 'settled')).toBe(false);
  return notation(word.field('state'));
}

async function expectNoMessage(): Promise<void> {
  client.credit(RECEIVER);
  await client.session.expectNothing();
}

describe('a settlement in a transaction', () => {
  test.each([
    ['accepted', ACCEPTED, 'accepted[]'],
    ['modified', composite('modified'), 'modified[false, false, null]'],
    ['modified, not here', composite('modified', { undeliverableHere: TRUE }), 'modified[false, true, null]'],
    ['rejected with a reason', composite('rejected', { error: DEAD_LETTER }), 'rejected[]'],
    ['released', composite('released'), 'released[]'],
  ])(
    'is answered in kind, and the delivery is settled with the commit: %s [TXN-05]',
    async (_n, said, told) => {
      for (const descriptor of ['ulong', 'symbol'] as const) {
        const one = await received();
        const open = await client.declare();
        const word = await client.settle(one, inTransaction(open, said, { descriptor }));
        const state = `transactional-state[binary ${open.toString('hex')}, ${told}]`;
        expect(provisional(word)).toBe(state);
        const committed = client.commit(open);
        expect(outcome(await client.wordOn(one.deliveryId))).toBe(state);
        expect(await committed).toBe('accepted[]');
      }
    },
  );

  test('may be settled by the client when it has been answered: nothing is enlisted twice [TXN-02]', async () => {
    const one = await received();
    const open = await client.declare();
    const state = inTransaction(open, ACCEPTED);
    await client.settle(one, state);
    client.dispose(one.deliveryId, state, { settled: true });
    expect(await client.commit(open)).toBe('accepted[]');
    await expectNoMessage();
  });

  test('completes with the commit, and its lock is gone then [TXN-05]', async () => {
    const one = await received();
    await client.settle(one, inTransaction(id, ACCEPTED));
    await client.commit(id);
    await client.wordOn(one.deliveryId);
    emulator.clock.advance(31_000);
    await expectNoMessage();
  });

  test('may be done again on the link after a roll back [TXN-05]', async () => {
    const one = await received();
    await client.settle(one, inTransaction(id, ACCEPTED));
    await client.rollBack(id);
    const again = await client.declare();
    expect(provisional(await client.settle(one, inTransaction(again, ACCEPTED)))).toContain('accepted[]');
    await client.rollBack(again);
    expect(outcome(await client.settle(one, ACCEPTED))).toBe('accepted[]');
    await expectNoMessage();
  });

  test('is not answered to a client that settles it itself, and rolled back the message comes again, as Qpid JMS has it [TXN-05]', async () => {
    const one = await received();
    client.dispose(one.deliveryId, inTransaction(id, ACCEPTED), { settled: true });
    await client.session.expectNothing();
    await client.rollBack(id);
    const again = await client.receive(RECEIVER);
    expect(again.text).toBe('one');
    client.dispose(again.deliveryId, inTransaction(await client.declare(), ACCEPTED), { settled: true });
  });

  test('of several deliveries in one disposition is answered for each [TXN-02]', async () => {
    const [first, second] = [await received('one'), await received('two')];
    emulator.clock.advance(31_000);
    const third = await client.receive(RECEIVER);
    const range = { last: third.deliveryId };
    client.dispose(first.deliveryId, inTransaction(id, ACCEPTED), range);
    for (const lost of [first, second]) {
      expect(outcome(await client.wordOn(lost.deliveryId))).toMatch(/^rejected.*message-lock-lost/);
    }
    expect(provisional(await client.wordOn(third.deliveryId))).toContain('accepted[]');
    expect(await client.commit(id)).toMatch(DOOMED);
    expect(outcome(await client.settle(third, ACCEPTED))).toBe('accepted[]');
  });

  test('counts although its link is gone [TXN-04]', async () => {
    const one = await received();
    await client.detach(RECEIVER);
    client.dispose(one.deliveryId, inTransaction(id, ACCEPTED), { settled: true });
    expect(await client.commit(id)).toBe('accepted[]');
    emulator.clock.advance(31_000);
    await client.openReceiver(OTHER, 'q');
    client.credit(OTHER);
    await client.session.expectNothing();
  });
});

describe('a settlement that is refused in a transaction', () => {
  test('is rejected plainly, and the commit fails [TXN-04]', async () => {
    await client.openReceiver(OTHER, 'other');
    await client.openSender(3, 'other');
    await client.send(3, 'elsewhere');
    const elsewhere = await client.receive(OTHER);
    await client.send(SENDER, 'one', id);
    const word = await client.settle(elsewhere, inTransaction(id, ACCEPTED));
    expect(outcome(word)).toMatch(/^rejected\[error\['amqp:not-allowed/);
    expect(await client.commit(id)).toMatch(DOOMED);
  });

  test('because its transaction is unknown dooms nothing, and the message stays locked [TXN-01]', async () => {
    const one = await received();
    const word = await client.settle(one, inTransaction(UNKNOWN, ACCEPTED));
    expect(outcome(word)).toMatch(/^rejected\[error\['amqp:transaction:unknown-id/);
    await expectNoMessage();
    expect(await client.commit(id)).toBe('accepted[]');
  });

  test('because it has no outcome says so, and the commit fails [TXN-04]', async () => {
    const one = await received();
    const word = await client.settle(one, inTransaction(id));
    expect(outcome(word)).toMatch(
      /^rejected\[error\['com.microsoft:argument-error, "The transactional-state/,
    );
    expect(await client.commit(id)).toMatch(DOOMED);
  });

  test('while it is in another transaction leaves that as it is [TXN-06]', async () => {
    const one = await received();
    client.dispose(one.deliveryId, inTransaction(id, ACCEPTED));
    client.dispose(one.deliveryId, composite('released'));
    expect(provisional(await client.wordOn(one.deliveryId))).toContain('accepted[]');
    expect(outcome(await client.wordOn(one.deliveryId))).toMatch(/^rejected\[error\[/);
    expect(await client.commit(id)).toBe('accepted[]');
    emulator.clock.advance(31_000);
    await expectNoMessage();
  });

  test('with a state that cannot be read ends the connection, as any other does', async () => {
    const one = await received();
    client.dispose(one.deliveryId, inTransaction(id, inTransaction(id, ACCEPTED)));
    await expect(client.wordOn(one.deliveryId)).rejects.toThrow('52 is not an outcome');
  });
});

describe('messages are not received in a transaction [TXN-02]', () => {
  test('a flow that names a transaction has its link detached, and no other', async () => {
    await client.send(SENDER, 'one');
    client.session.send('flow', {
      ...creditFields(RECEIVER, 1),
      properties: map([[sym('txn-id'), bin(id)]]),
    });
    expect(await client.detached()).toMatchObject({ condition: 'amqp:not-implemented' });
    client.answerDetach(RECEIVER);
    await client.openReceiver(OTHER, 'q');
    expect((await client.receive(OTHER)).text).toBe('one');
  });

  test('a message that is received and deleted stays deleted after a roll back', async () => {
    await client.send(SENDER, 'one');
    await client.send(SENDER, 'two', id);
    await client.openReceiver(OTHER, 'q', { isSettled: true });
    expect((await client.receive(OTHER)).text).toBe('one');
    await client.rollBack(id);
    await expectNoMessage();
  });
});
