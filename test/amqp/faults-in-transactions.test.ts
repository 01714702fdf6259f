// Faults in transactions, frame by frame: of declares and discharges, and of the sends that belong to one.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FaultyEmulator } from '../steer/faulty-emulator.js';
import { bin, FALSE } from '../support/frame-encoder.js';
import { composite } from '../support/frame-lists.js';
import { dataSection, section } from '../support/frame-message.js';
import { inTransaction, LinkClient, outcome } from '../support/link-client.js';

const SENDER = 0;
const CONTROL = 100;
const BUSY = /^rejected\[error\['com\.microsoft:server-busy/;
const DOOMED = /^rejected\[error\['amqp:transaction:rollback/;

let under: FaultyEmulator;
let client: LinkClient;

beforeEach(async () => {
  under = await FaultyEmulator.open();
  client = await LinkClient.open(under.connect());
  await client.openSender(SENDER, 'q');
  await client.openControl();
});
afterEach(() => under.stop());

/** A transaction with one message in it. */
async function withMessage(): Promise<Buffer> {
  const id = await client.declare();
  await client.send(SENDER, 'x', id);
  return id;
}

const declare = composite('declare');
const discharge = (id: Buffer) => composite('discharge', { transactionId: bin(id), fail: FALSE });
const control = (value: Buffer) => client.write(CONTROL, section('value', value));

describe('a declare', () => {
  test('that fails is rejected, and the next is answered with a transaction', async () => {
    under.faults.add({ on: 'declare', error: 'server-busy', times: 1 });
    expect(outcome(await client.control(declare))).toMatch(BUSY);
    expect(await client.commit(await withMessage())).toBe('accepted[]');
    expect(await under.conditions()).toEqual(['active 0']);
  });

  test('whose answer is lost leaves a transaction that no client knows; the next is answered', async () => {
    under.faults.add({ on: 'declare', loseAnswer: true, times: 1 });
    control(declare);
    await client.session.expectNothing();
    expect(await client.commit(await withMessage())).toBe('accepted[]');
  });

  test('that is held back is answered after its time, and before what is behind it', async () => {
    const id = await withMessage();
    under.faults.add({ on: 'declare', delay: 100 });
    const answered = [client.answerTo(control(declare)), client.answerTo(control(discharge(id)))];
    await under.pass(99);
    await client.session.expectNothing();
    expect(await under.messages()).toEqual([]);
    await under.pass(1);
    const texts = (await Promise.all(answered)).map(outcome);
    expect(texts).toEqual([expect.stringMatching(/^declared/), 'accepted[]']);
    expect(await under.conditions()).toEqual(['active 0']);
  });
});

describe('a discharge', () => {
  test('that fails is rejected and not carried out: it can be tried again', async () => {
    const id = await withMessage();
    under.faults.add({ on: 'discharge', error: 'server-busy', times: 1 });
    expect(await client.commit(id)).toMatch(BUSY);
    expect(await under.messages()).toEqual([]);
    expect(await client.commit(id)).toBe('accepted[]');
    expect(await under.conditions()).toEqual(['active 0']);
  });

  test('whose answer is lost is carried out, and not answered: tried again, it is unknown', async () => {
    const id = await withMessage();
    under.faults.add({ on: 'discharge', loseAnswer: true, times: 1 });
    control(discharge(id));
    await client.session.expectNothing();
    expect(await under.conditions()).toEqual(['active 0']);
    expect(await client.commit(id)).toMatch(/^rejected\[error\['amqp:transaction:unknown-id/);
  });

  test('can detach the control link, which rolls its transactions back', async () => {
    const id = await withMessage();
    under.faults.add({ on: 'discharge', detach: true });
    control(discharge(id));
    expect((await client.detached()).condition).toBe('amqp:link:detach-forced');
    expect(await under.messages()).toEqual([]);
    await client.openControl({ handle: CONTROL + 1 });
    under.faults.clear();
    expect(await client.commit(id, CONTROL + 1)).toMatch(/^rejected\[error\['amqp:transaction:unknown-id/);
  });

  test('that is held back is given up with its link', async () => {
    const id = await withMessage();
    under.faults.add({ on: 'discharge', delay: 100 });
    control(discharge(id));
    await under.pass(10);
    await client.detach(CONTROL);
    await under.pass(0);
    expect([under.timers.delays, await under.messages()]).toEqual([[], []]);
  });
});

describe('a send in a transaction', () => {
  test('that fails is rejected plainly, and the commit fails, whose sender may not have waited', async () => {
    const id = await withMessage();
    under.faults.add({ on: 'send', error: 'server-busy', times: 1 });
    expect(await client.send(SENDER, 'y', id)).toMatch(BUSY);
    expect(await client.commit(id)).toMatch(DOOMED);
    expect(await under.messages()).toEqual([]);
  });

  test('that fails and was sent settled makes the commit fail, too', async () => {
    const id = await withMessage();
    under.faults.add({ on: 'send', error: 'server-busy', times: 1 });
    client.write(SENDER, dataSection('y'), { state: inTransaction(id), settled: true });
    expect(await client.commit(id)).toMatch(DOOMED);
    expect(await under.messages()).toEqual([]);
  });

  test('whose answer is lost belongs to it', async () => {
    const id = await client.declare();
    under.faults.add({ on: 'send', loseAnswer: true });
    client.write(SENDER, dataSection('y'), { state: inTransaction(id) });
    await client.session.expectNothing();
    expect(await client.commit(id)).toBe('accepted[]');
    expect(await under.conditions()).toEqual(['active 0']);
  });

  test('that is held back until after the commit is not in it, and detaches its link as one in an unknown transaction', async () => {
    const id = await withMessage();
    under.faults.add({ on: 'send', delay: 100 });
    client.write(SENDER, dataSection('y'), { state: inTransaction(id) });
    expect(await client.commit(id)).toBe('accepted[]');
    await under.pass(100);
    expect((await client.detached()).condition).toBe('amqp:transaction:unknown-id');
    expect(await under.conditions()).toEqual(['active 0']);
  });
});
